"""A first signal asks to stop; a second one ends the process."""

import os
import signal

from swarm.cli.stopping import Stopping


def test_a_signal_is_heard_once_and_then_acts_as_ever() -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        stopping = Stopping()
        assert not stopping()
        os.kill(os.getpid(), signal.SIGTERM)
        assert stopping()
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
        assert signal.getsignal(signal.SIGINT) != signal.SIG_DFL
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
