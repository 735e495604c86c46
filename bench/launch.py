"""Runs the command line that it is given, and prints seconds, seconds of processors and megabytes of memory.

A process of its own, and a small one: Linux counts the memory of a process that starts another as that
of the other too, until the other has a program of its own.
"""

import os
import sys
import time


def main(command: list[str]) -> int:
    """The command's exit status; its own output is thrown away."""
    quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    start = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - start
    print(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
