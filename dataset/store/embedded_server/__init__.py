"""The parts of the embedded server: who runs it, from which binaries, on which files, as which process."""
