#!/usr/bin/env python3
"""What scripts/lib/coverage.py says of gcovr's JSON, and when it fails."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/lib/coverage.py"


def line(number, count, *branches):
    return {"line_number": number, "count": count, "branches": [{"count": taken, "throw": False} for taken in branches]}


class Coverage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.json = pathlib.Path(self.folder.name) / "coverage.json"
        self.out = pathlib.Path(self.folder.name) / "coverage.txt"

    def tearDown(self):
        self.folder.cleanup()

    def report(self, files, *arguments):
        self.json.write_text(json.dumps({"gcovr/format_version": "0.11", "files": files}))
        answer = subprocess.run([sys.executable, "-B", str(SCRIPT), str(self.json), str(self.out), *arguments], capture_output=True, text=True)
        self.assertEqual(answer.stderr, "")
        return answer.returncode, answer.stdout, self.out.read_text() if self.out.exists() else ""

    def half(self):
        return [{"file": "harness/judge/gate.cpp", "lines": [line(1, 2), line(2, 0), line(3, 0), line(4, 5, 5, 0), line(9, 0)],
                 "functions": [{"name": "_Z1fv", "demangled_name": "f()", "lineno": 1, "execution_count": 2},
                               {"name": "_Z1gv", "demangled_name": "g()", "lineno": 2, "execution_count": 0}]},
                {"file": "harness/run/loop.cpp", "lines": [line(1, 1)], "functions": []}]

    def test_rooms_files_functions_and_gaps_are_named(self):
        code, said, text = self.report(self.half(), "--least", "50")
        self.assertEqual(code, 0)
        self.assertIn("| judge | 5 | 40.0% | 2 | 50.0% |", said)
        self.assertIn("| run | 1 | 100.0% | 0 | - |", said)
        self.assertIn("| all | 6 | 50.0% | 2 | 50.0% |", said)
        self.assertIn("40.0% of    5 harness/judge/gate.cpp", text)
        self.assertNotIn("of    1 harness/run/loop.cpp", text)
        self.assertIn("Functions never entered: 1 of 2\nharness/judge/gate.cpp:2 g()\n", text)
        self.assertIn("lines that never ran: 2-3 9\n", text)
        self.assertIn("branches never taken of lines that ran: 4 (1 of 2)\n", text)

    def test_less_than_asked_for_fails(self):
        code, said, _ = self.report(self.half(), "--least", "50.1")
        self.assertEqual(code, 1)
        self.assertIn("Less than 50.1% of the harness's lines ran.", said)

    def test_a_template_is_entered_where_one_instance_is(self):
        instances = [{"file": "harness/result/reader.hpp", "lines": [line(7, 0, 0, 0), line(7, 3, 3, 0)],
                      "functions": [{"name": "a", "demangled_name": "read<int>()", "lineno": 7, "execution_count": 0},
                                    {"name": "b", "demangled_name": "read<double>()", "lineno": 7, "execution_count": 3}]}]
        code, said, text = self.report(instances, "--least", "100")
        self.assertEqual(code, 0)
        self.assertIn("| all | 1 | 100.0% | 2 | 50.0% |", said)
        self.assertIn("Functions never entered: 0 of 1\n", text)

    def test_nothing_counted_is_no_pass(self):
        for files in ([], [{"file": "harness/run/loop.cpp", "lines": [line(1, 0)], "functions": []}]):
            code, said, _ = self.report(files, "--least", "0")
            self.assertEqual(code, 1)
            self.assertIn("nothing was counted", said)

    def test_the_page_holds_the_table_and_the_commit(self):
        page = pathlib.Path(self.folder.name) / "page.md"
        code, _, _ = self.report(self.half(), "--least", "10", "--commit", "0123456789ab", "--page", str(page))
        self.assertEqual(code, 0)
        text = page.read_text()
        self.assertIn("at commit 0123456789ab", text)
        self.assertIn("| judge | 5 | 40.0% | 2 | 50.0% |", text)
        self.assertIn("| `harness/judge/gate.cpp` | 5 | 40.0% |", text)
        self.assertIn("1 of 2 functions were never entered", text)


if __name__ == "__main__":
    unittest.main()
