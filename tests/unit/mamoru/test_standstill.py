"""What a process that slept has lost."""

from swarm.mamoru.standstill import Standstill


def test_what_passes_beyond_the_expected_was_lost() -> None:
    clocks = {"wall": 1000.0, "steady": 5.0}
    found = Standstill(lambda: clocks["wall"], lambda: clocks["steady"])
    for wall, steady, lost in (
        (1, 1, 0),
        (4, 4, 0),
        (300, 300, 299),  # SIGSTOP
        (300, 1, 299),  # sleep, on a clock that sleeps too; or the clock set forward
        (-300, 1, 0),  # set back: the machine shifts its timers by itself
    ):
        clocks["wall"] += wall
        clocks["steady"] += steady
        assert found.noticed(1.0) == lost
