"""What each command of the command line does; ``cli`` parses the arguments and prints."""
