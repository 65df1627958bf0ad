"""Timers of many agents: in order, one an agent."""

from swarm.mamoru.alarms import Alarms


def test_alarms_come_in_order_and_the_newest_setting_counts() -> None:
    alarms = Alarms()
    alarms.set("a", 3.0)
    alarms.set("b", 2.0)
    alarms.set("a", 1.0)
    alarms.set("c", 5.0)
    alarms.set("c", float("inf"))
    assert alarms.next() == 1.0
    assert alarms.due(2.5) == ["a", "b"] and alarms.next() == float("inf")


def test_an_earlier_alarm_is_not_put_off() -> None:
    alarms = Alarms()
    alarms.set("a", 3.0)
    alarms.sooner("a", 5.0)
    assert alarms.next() == 3.0
    alarms.sooner("a", 1.0)
    assert alarms.due(1.0) == ["a"]


def test_settings_that_no_longer_count_do_not_pile_up() -> None:
    alarms = Alarms()
    for number in range(10_000):
        alarms.set("a", float(number))
    assert len(alarms._heap) < 100
