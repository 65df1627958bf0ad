"""Everybody once in a while, a share at a time."""

from swarm.mamoru.rounds import Rounds


def test_a_round_reaches_each_once_in_its_time() -> None:
    rounds = Rounds(5.0, 1.0)
    for number in range(100):
        rounds.add(str(number))
    assert len(rounds.share(0.0)) == 100, "the new ones at once"
    found = [agent for second in range(1, 6) for agent in rounds.share(float(second))]
    assert sorted(found, key=int) == [str(number) for number in range(100)]


def test_a_round_of_one_and_of_one_dropped() -> None:
    rounds = Rounds(5.0, 1.0)
    rounds.add("a")
    rounds.share(0.0)
    found = [rounds.share(float(second)) for second in range(1, 11)]
    assert [second + 1 for second, share in enumerate(found) if share] == [5, 10]
    rounds.drop("a")
    assert rounds.share(20.0) == []
