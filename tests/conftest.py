"""The suite runs the same in the foreground and in the background of a script."""

import signal

# A shell without job control starts `… &` with the interrupt ignored, and what is ignored stays
# so in every program started from here: none of them could be interrupted by a test.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
