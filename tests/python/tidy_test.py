#!/usr/bin/env python3
"""scripts/lib/tidy.py: files that are read as one show what each shows alone, and what is clean is not looked at again."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/lib"))
sys.dont_write_bytecode = True
import tidy_groups  # noqa: E402

PROGRAM = next((found for found in map(shutil.which, ("clang-tidy-14", "clang-tidy")) if found), None)

# One finding of one check each, of clang's analyzer too; `first` is called by `caller` with nothing that the check would name.
PLANTED = {
    "clang-analyzer-core.NullDereference": "int first(const int* number) {\n  if (number == nullptr) return *number;\n  return 1;\n}\n",
    "clang-analyzer-cplusplus.NewDelete": "void second() {\n  int* made = new int(1);\n  delete made;\n  delete made;\n}\n",
    "clang-analyzer-deadcode.DeadStores": "int third(int number) {\n  int kept = number * 2;\n  kept = number;\n  kept = 4;\n  return number;\n}\n",
    "bugprone-use-after-move": "std::string fourth(std::string text) {\n  std::string other = std::move(text);\n  return other + text;\n}\n",
    "performance-unnecessary-value-param": "std::size_t fifth(std::vector<std::string> texts) { return texts.size(); }\n",
    "modernize-use-override": "struct Below { virtual ~Below() = default; virtual int up() = 0; };\n"
                              "struct Sixth : Below { virtual int up() { return 1; } };\n",
    "readability-container-size-empty": "bool seventh(const std::string& text) { return text.size() == 0; }\n",
    "cert-err34-c": "int eighth(const char* text) { return std::atoi(text); }\n",
    "cppcoreguidelines-init-variables": "int ninth(bool yes) {\n  int number;\n  if (yes) number = 1; else number = 2;\n  return number;\n}\n",
    "misc-unused-parameters": "int tenth(int unused) { return 3; }\n",
    "readability-redundant-preprocessor": "#define ONE\n#ifdef ONE\n#ifdef ONE\nint eleventh();\n#endif\n#endif\n",
    "bugprone-suspicious-include": "#include \"room/cpp/included.cpp\"\n",
}


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name).resolve()
        self.room = self.root / "harness/room"
        (self.room / "cpp").mkdir(parents=True)
        self.sources = {}

    def add(self, name, text, *defines):
        path = self.room / name
        path.write_text(text)
        flags = " ".join(f"-D{each}" for each in defines)
        self.sources[path] = f"/usr/bin/c++ {flags} -I{self.root}/harness -O2 -Wall -std=c++20 -o {name}.o -c {path}"
        return tidy_groups.Source(path, self.sources[path])


class Groups(Tree):
    def names(self, *sources, most=12, lines=1500):
        return [[source.path.stem for source in group] for group in tidy_groups.grouped(sources, most, lines)]

    def test_files_that_have_nothing_to_do_with_each_other_are_read_as_one_and_not_too_many(self):
        made = [self.add(f"{name}.cpp", f"namespace a {{\nnamespace {{\n\nint {name}_of(int value) {{\n  return value;\n}}\n\n"
                                        f"}}  // namespace\n}}  // namespace a\n") for name in ("one", "two", "three")]
        self.assertEqual(self.names(*made), [["one", "two", "three"]])
        self.assertEqual(self.names(*made, most=2), [["one", "two"], ["three"]])
        self.assertEqual(self.names(*made, lines=20), [["one", "two"], ["three"]])

    def test_files_that_define_the_same_stand_apart(self):
        own = "namespace {{\n\n{}\n\n}}  // namespace\n"
        for first, second in (("constexpr int most = 3;", "int most() {\n  return 4;\n}"), ("struct Row {\n};", "enum class Row { a };"),
                              ("using Row = int;", "struct Row {\n};"), ("const char* const names[] = {};", "int names = 3;")):
            with self.subTest(first=first):
                self.assertEqual(self.names(self.add("a.cpp", own.format(first)), self.add("b.cpp", own.format(second))), [["a"], ["b"]])
        tests = [self.add(f"{each}.cpp", "TEST(Suite, Name) {\n  EXPECT_TRUE(true);\n}\n") for each in "ab"]
        self.assertEqual(self.names(*tests), [["a"], ["b"]])

    def test_who_is_called_stands_apart_from_its_caller(self):
        called = self.add("called.cpp", "int looked(const int* number) {\n  return *number;\n}\n")
        self.assertEqual(self.names(called, self.add("caller.cpp", "int at(int n) {\n  return looked(&n);\n}\n")), [["called"], ["caller"]])
        self.assertEqual(self.names(called, self.add("passes.cpp", "auto at = std::bind(looked);\n")), [["called"], ["passes"]])
        self.assertEqual(self.names(called, self.add("comment.cpp", "// looked(1)\nint at(int n);\n")), [["called", "comment"]])
        method = self.add("method.cpp", "int Table::looked(int number) {\n  return number;\n}\n")
        self.assertEqual(self.names(method, self.add("user.cpp", "int at(Table& t) {\n  return t.looked(1);\n}\n")), [["method"], ["user"]])

    def test_conditional_code_and_other_flags_stand_apart_and_definitions_are_made_around_each(self):
        plain = self.add("plain.cpp", "int plain;\n", 'NAME=\\"plain\\"', "BOTH")
        other = self.add("other.cpp", "int other;\n", 'NAME=\\"other\\"', "BOTH")
        self.assertEqual(self.names(plain, self.add("conditional.cpp", "#ifdef A\n#endif\n")), [["plain"], ["conditional"]])
        self.assertEqual(self.names(plain, other), [["plain", "other"]])
        unit = self.root / "unit.cpp"
        self.assertEqual(tidy_groups.write_unit(unit, [plain, other]), ["-DBOTH", f"-I{self.root}/harness", "-std=c++20"])
        self.assertIn(f'#define NAME "other"\n#include "{other.path}"', unit.read_text())
        self.sources[other.path] += " -I/other"
        self.assertEqual(self.names(plain, tidy_groups.Source(other.path, self.sources[other.path])), [["plain"], ["other"]])


@unittest.skipUnless(PROGRAM, "clang-tidy is not installed")
class Looks(Tree):
    def setUp(self):
        super().setUp()
        (self.root / "scripts/lib").mkdir(parents=True)
        for name in ("scripts/lib/tidy.py", "scripts/lib/tidy_groups.py", ".clang-tidy"):
            shutil.copy(ROOT / name, self.root / name)
        self.build = self.root / "build"
        self.build.mkdir()

    def look(self, *options):
        commands = [{"directory": str(self.root), "command": command, "file": str(path)} for path, command in self.sources.items()]
        (self.build / "compile_commands.json").write_text(json.dumps(commands))
        answer = subprocess.run([sys.executable, "-B", str(self.root / "scripts/lib/tidy.py"), str(self.build), "--clang-tidy", PROGRAM,
                                 *options], capture_output=True, text=True, check=False)
        self.assertEqual(answer.stderr, "")
        return answer.returncode, answer.stdout

    def test_what_each_file_shows_alone_is_found_among_others_and_a_clean_one_is_clean(self):
        (self.room / "cpp/included.cpp").write_text("int included();\n")
        head = "#include <cstdlib>\n#include <string>\n#include <utility>\n#include <vector>\n\n"
        for place, text in enumerate(PLANTED.values()):
            self.add(f"planted{place}.cpp", head + text)
        self.add("caller.cpp", "int first(const int* number);\n\nint caller(int number) { return first(&number); }\n")
        self.add("clean.cpp", head + "std::string clean(const std::string& text) { return text + \"a\"; }\n")
        code, said = self.look()
        self.assertEqual(code, 1, said)
        for place, check in enumerate(PLANTED):
            self.assertRegex(said, rf"/planted{place}\.cpp:\d+:\d+: error: [^\n]*\[{check}[],]")
        self.assertIn(f"clang-tidy: {len(PLANTED) + 2} files, {len(PLANTED) + 2} looked at and 2 deeply, {len(PLANTED)} with findings\n", said)
        self.assertNotIn("UnifiedSource", said)
        read = "".join(path.read_text() for path in (self.build / "tidy").glob("UnifiedSource*"))
        self.assertGreater(read.count("#include"), 8)   # they were read as one, and not each alone

        for path in self.sources:
            if path.stem.startswith("planted"):
                path.write_text(f"int {path.stem}() {{ return 1; }}\n")
        code, said = self.look()
        self.assertEqual(code, 0, said)
        self.assertIn(f"{len(PLANTED)} looked at and {len(PLANTED)} deeply, 0 with findings", said)
        self.assertIn("0 looked at and 0 deeply, 0 with findings", self.look()[1])

    def test_files_that_do_not_compile_as_one_are_looked_at_alone_and_no_time_is_said(self):
        for name in ("a", "b"):   # a clash that nothing but the compiler sees
            self.add(f"{name}.cpp", f"#define MAKE(x) int x()\n#undef MAKE\nenum {{\n  hidden\n}};\nint {name}() {{ return hidden; }}\n")
        code, said = self.look()
        self.assertEqual(code, 0, said)
        self.assertIn("2 files, 2 looked at and 2 deeply, 0 with findings\n", said)
        shutil.rmtree(self.build / "tidy")
        code, said = self.look("--seconds", "0.000001")
        self.assertEqual(code, 0)
        self.assertTrue(said.endswith("0 with findings, 2 left out for lack of time\n"), said)

    def test_what_has_not_ended_when_the_time_is_over_is_ended_and_said(self):
        self.add("slow.cpp", "int slow() { return 1; }\n")
        program = self.root / "slow-tidy"
        program.write_text("#!/bin/sh\n[ \"$1\" = --version ] || exec sleep 100\necho 1\n")
        program.chmod(0o755)
        begun = time.monotonic()
        code, said = self.look("--seconds", "1.5", "--clang-tidy", str(program))
        self.assertEqual(code, 0, said)
        self.assertIn("1 files, 0 looked at and 0 deeply, 0 with findings, 1 left out for lack of time", said)
        self.assertLess(time.monotonic() - begun, 60)


if __name__ == "__main__":
    unittest.main()
