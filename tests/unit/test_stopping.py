"""A first signal asks to stop; a second one ends the process."""

import os
import signal

from swarm.stopping import stopping


def test_a_signal_is_heard_once_and_then_acts_as_ever() -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        stopped = stopping()
        assert not stopped()
        os.kill(os.getpid(), signal.SIGTERM)
        assert stopped()
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
        assert signal.getsignal(signal.SIGINT) != signal.SIG_DFL
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
