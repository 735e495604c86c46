"""How a command ends."""

OK = 0
FINDINGS = 1  # errors in a spec, packages that are not up to date, calls that disagree
USAGE = 2
BROKEN = 3  # the disk or the program
INTERRUPTED = 130  # as a shell reports a program that SIGINT or SIGPIPE ends
BROKEN_PIPE = 141


class BadUsageError(Exception):
    """The command line asks for what is not there; the message says what there is."""
