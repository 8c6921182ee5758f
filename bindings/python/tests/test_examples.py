"""The programs of examples/ and the pages of docs/ say what comes out."""
from __future__ import annotations

import contextlib
import doctest
import re
import subprocess
import sys
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
PAGE = TOP / "docs" / "python.md"


def output(*command: str) -> str:
    return subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=True).stdout


def shown(command: str) -> str:
    """What the page shows below a command."""
    match = re.search(rf"^    [$] {re.escape(command)}\n((?:    .*\n)+)", PAGE.read_text(), re.MULTILINE)
    assert match is not None, command
    return re.sub("^    ", "", match[1], flags=re.MULTILINE)


class Examples(unittest.TestCase):
    def test_the_event_loop_is_that_of_the_page(self) -> None:
        """And that of C: the CI compares them where both are installed."""
        program = "examples/python/event_loop.py"
        self.assertEqual(output(sys.executable, program), shown(f"python3 {program}"))

    def test_they_are_short(self) -> None:
        for name in ("examples/event_loop.c", "examples/python/event_loop.py"):
            self.assertLess(len((TOP / name).read_text().splitlines()), 80)

    def test_the_page_s_session(self) -> None:
        with contextlib.chdir(TOP):
            failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
        self.assertGreater(tried, 20)
        self.assertEqual(failed, 0)


if __name__ == "__main__":
    unittest.main()
