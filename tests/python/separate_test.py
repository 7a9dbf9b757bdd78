#!/usr/bin/env python3
"""scripts/lib/separate.py: what a file hides among others shows, the newest files come first, and no time is said."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_library(room STATIC harness/room/first.cpp harness/room/second.cpp)
add_executable(command harness/room/main.cpp)
target_link_libraries(command PRIVATE room)
"""


@unittest.skipUnless(shutil.which("cmake") and shutil.which("ninja"), "cmake or ninja is not installed")
class Separate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name).resolve()
        self.room = self.root / "harness/room"
        self.room.mkdir(parents=True)
        (self.root / "scripts/lib").mkdir(parents=True)
        for name in ("separate.py", "tidy.py", "tidy_groups.py"):
            shutil.copy(ROOT / "scripts/lib" / name, self.root / "scripts/lib" / name)
        (self.root / "CMakeLists.txt").write_text(PROJECT)
        (self.room / "first.cpp").write_text("int first() { return 1; }\n")
        (self.room / "second.cpp").write_text("#include <string>\nstd::string second() { return {}; }\n")
        (self.room / "main.cpp").write_text("int first();\nint main() { return first() - 1; }\n")
        self.build = self.root / "build"

    def configure(self):
        done = subprocess.run(["cmake", "-G", "Ninja", "-S", str(self.root), "-B", str(self.build)], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def separate(self, *options):
        answer = subprocess.run([sys.executable, "-B", str(self.root / "scripts/lib/separate.py"), str(self.build), *options],
                                capture_output=True, text=True, check=False)
        self.assertEqual(answer.stderr, "")
        return answer.returncode, answer.stdout

    def test_a_file_that_does_not_stand_alone_is_named_and_the_others_are_compiled(self):
        (self.room / "second.cpp").write_text("std::string second() { return {}; }\n")
        self.configure()
        code, said = self.separate("--seconds", "100")
        self.assertEqual(code, 1, said)
        self.assertRegex(said, r"harness/room/second\.cpp:1:\d+: error:")
        self.assertTrue(said.endswith("One by one: 3 files, 3 compiled, not all of them without an error\n"), said)
        self.assertEqual({path.name for path in self.build.rglob("*.o")}, {"first.cpp.o", "main.cpp.o"})

    def test_without_a_limit_everything_is_made_and_with_one_what_was_left_out_is_said(self):
        self.assertEqual(self.separate()[0], 2)   # nothing is configured
        self.configure()
        code, said = self.separate("--seconds", "0.000001")
        self.assertEqual((code, said), (0, "One by one: 3 files, 0 compiled, 3 left out for lack of time\n"))
        self.assertEqual(list(self.build.rglob("*.o")), [])
        code, said = self.separate()
        self.assertEqual(code, 0, said)
        self.assertTrue(said.endswith("One by one: 3 files, 3 compiled\n"), said)
        self.assertTrue((self.build / "command").is_file())

    def test_what_is_made_twice_of_one_file_is_compiled_twice(self):
        with (self.root / "CMakeLists.txt").open("a") as project:
            project.write("add_executable(other harness/room/main.cpp)\ntarget_link_libraries(other PRIVATE room)\n")
        self.configure()
        self.assertEqual(self.separate("--seconds", "100")[0], 0)
        self.assertEqual(len(list(self.build.rglob("main.cpp.o"))), 2)


if __name__ == "__main__":
    unittest.main()
