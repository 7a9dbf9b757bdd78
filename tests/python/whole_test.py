"""Pages that a script writes are whole at every moment (scripts/lib/whole.py)."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import benchmarks  # noqa: E402  pylint: disable=wrong-import-position
import figures  # noqa: E402  pylint: disable=wrong-import-position
import whole  # noqa: E402  pylint: disable=wrong-import-position


class Whole(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.page = self.folder / "page.md"

    def before(self):
        """A page of old text, and another name of the same file: it shows whether that one is written over."""
        self.page.write_text("old", encoding="utf-8")
        kept = self.folder / "kept"
        kept.unlink(missing_ok=True)
        os.link(self.page, kept)
        return kept

    def test_the_old_text_stands_until_the_new_one_is_whole(self):
        kept = self.before()
        replace = os.replace

        def look(*arguments, **more):
            self.assertEqual(self.page.read_text(encoding="utf-8"), "old")
            replace(*arguments, **more)

        with mock.patch("os.replace", look):
            whole.write(self.page, "new \u00e9")
        self.assertEqual(self.page.read_text(encoding="utf-8"), "new \u00e9")
        self.assertEqual(kept.read_text(encoding="utf-8"), "old")
        self.assertEqual(len(list(self.folder.iterdir())), 2)

    def test_a_disk_that_is_full_leaves_the_old_text_and_nothing_else(self):
        self.before()
        with mock.patch("os.fsync", side_effect=OSError(28, "No space left on device")):
            with self.assertRaises(OSError):
                whole.write(self.page, "new")
        self.assertEqual(self.page.read_text(encoding="utf-8"), "old")
        self.assertEqual(len(list(self.folder.iterdir())), 2)

    def test_what_stdout_is_gets_the_text_and_nothing_of_it_is_replaced(self):
        program = ("import sys; sys.path.insert(0, sys.argv[1]); import whole; print('before', flush=True); "
                   "whole.write('/dev/stdout', 'text\\n'); print('after', flush=True)")
        command = [sys.executable, "-B", "-c", program, str(ROOT / "scripts" / "lib")]
        self.assertEqual(subprocess.run(command, capture_output=True, text=True, check=True).stdout, "before\ntext\nafter\n")
        with open(self.page, "a", encoding="utf-8") as file:
            subprocess.run(command, stdout=file, check=True)
        self.assertIn("after", self.page.read_text(encoding="utf-8"))

    def test_mode_and_link_stay_and_a_new_file_is_as_any_other(self):
        self.page.write_text("old", encoding="utf-8")
        self.page.chmod(0o640)
        link = self.folder / "link"
        link.symlink_to("page.md")
        whole.write(link, "new")
        self.assertTrue(link.is_symlink())
        self.assertEqual(self.page.read_text(encoding="utf-8"), "new")
        self.assertEqual(self.page.stat().st_mode & 0o777, 0o640)
        whole.write(self.folder / "fresh", "new")
        (self.folder / "other").touch()
        self.assertEqual((self.folder / "fresh").stat().st_mode, (self.folder / "other").stat().st_mode)

    def test_what_is_no_file_is_written_as_it_is(self):
        whole.write("/dev/null", "new")
        self.assertFalse(pathlib.Path("/dev/null").is_file())

    def test_each_script_that_writes_a_page_does_it_so(self):
        kept = self.before()
        with mock.patch.object(figures, "PAGE", self.page):
            self.assertEqual(figures.main(["--write"]), 0)
        self.assertEqual(kept.read_text(encoding="utf-8"), "old")
        kept = self.before()
        with mock.patch.object(benchmarks, "made", return_value=("new", [])):
            self.assertEqual(benchmarks.main([str(self.folder), "--write", "--page", str(self.page)]), 0)
        self.assertEqual((self.page.read_text(encoding="utf-8"), kept.read_text(encoding="utf-8")), ("new", "old"))
        kept = self.before()
        counted = self.folder / "counted.json"
        line = {"line_number": 1, "count": 1, "branches": []}
        counted.write_text(json.dumps({"files": [{"file": "harness/run/a.cpp", "lines": [line], "functions": []}]}), encoding="utf-8")
        for written in ([str(self.page), "--least", "0"], [str(self.folder / "out"), "--least", "0", "--page", str(self.page)]):
            kept = self.before()
            subprocess.run([sys.executable, "-B", str(ROOT / "scripts/lib/coverage.py"), str(counted), *written], check=True, capture_output=True)
            self.assertNotEqual(self.page.read_text(encoding="utf-8"), "old")
            self.assertEqual(kept.read_text(encoding="utf-8"), "old")


if __name__ == "__main__":
    unittest.main()
