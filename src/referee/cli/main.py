"""The entry point of the `referee` command: every error is printed as a sentence, not a traceback."""

from __future__ import annotations

import io
import os
import sys


def main() -> None:
    """Run the command. Exit codes: 0 done, 1 something differs, 2 refused, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without █ shows \u2588 instead of failing
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        _flush()


def _run() -> None:
    # Imported here, so that Ctrl-C during loading does not print a traceback either.
    from referee.cli.app import app

    try:
        app()
    except Exception as problem:
        from referee.core.errors import RefereeError

        if not isinstance(problem, (RefereeError, OSError)):
            raise
        print(f"referee: {_said(problem)}", file=sys.stderr)
        sys.exit(2)


def _said(problem: Exception) -> str:
    """An error as a sentence; one from the file system begins with the file, like all others."""
    if isinstance(problem, OSError) and problem.filename is not None:
        return f"{os.fsdecode(problem.filename)}: {problem.strerror}"
    return str(problem)


def _flush() -> None:
    """Print what is still buffered, unless the reader has closed the pipe, as `| head -1` does."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
