"""The command that stands beside this interpreter is the one that tests run."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

# What a shell starts in the background ignores SIGINT, and so would all that tests start.
_ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
if _ignored and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)
