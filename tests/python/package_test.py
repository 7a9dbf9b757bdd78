#!/usr/bin/env python3
"""What scripts/lib/check-package.py finds in a tree that is to become a package."""
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/lib/check-package.py"
spec = importlib.util.spec_from_file_location("check_package", SCRIPT)
check = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check)

OBJDUMP = """
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.2.5) free
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.34) __libc_start_main
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.9) epoll_create1
0000000000000000      DF *UND*  0000000000000000  GLIBCXX_3.4.9 _ZNSo3putEc
0000000000000000      DF *UND*  0000000000000000  GLIBCXX_3.4.29 _ZSt
0000000000001000 g    DF .text  0000000000000010  GLIBC_2.99 of_its_own
"""


@unittest.skipUnless(shutil.which("objdump") and shutil.which("readelf") and shutil.which("objcopy"), "binutils are not installed")
class CheckPackage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tree = pathlib.Path(self.folder.name)
        (self.tree / "bin").mkdir()
        (self.tree / "libexec/gpugauge").mkdir(parents=True)
        # A program that needs the C library alone, in every distribution.
        self.program = self.tree / "bin/gpugauge"
        shutil.copy("/bin/true", self.program)

    def tearDown(self):
        self.folder.cleanup()

    def run_check(self, *arguments):
        answer = subprocess.run([sys.executable, str(SCRIPT), str(self.tree), "--glibcxx", "3.4.30", *arguments],
                                capture_output=True, text=True)
        self.assertEqual(answer.stderr, "")
        return answer.returncode, answer.stdout

    def test_versions_are_numbers_not_words(self):
        self.assertEqual(check.newest(OBJDUMP), {"GLIBC": "2.34", "GLIBCXX": "3.4.29"})
        self.assertLess(check.number("2.9"), check.number("2.34"))

    def test_a_plain_program_passes(self):
        code, text = self.run_check("--glibc", "99.0")
        self.assertEqual((code, text.splitlines()[-1].split("; ")[-1]), (0, "0 findings"), text)

    def test_a_symbol_newer_than_stated_is_found(self):
        code, text = self.run_check("--glibc", "2.0")
        self.assertEqual(code, 1)
        self.assertRegex(text, r"bin/gpugauge needs GLIBC_[0-9.]+; 2\.0 is stated")

    def test_a_foreign_library_is_found_for_the_harness(self):
        libstdcxx = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, env={"PATH": "/sbin:/usr/sbin"}).stdout
        found = [line.split(" => ")[1] for line in libstdcxx.splitlines() if "libstdc++.so.6 " in line and " => " in line]
        if not found:
            self.skipTest("no libstdc++ here")
        # libstdc++ itself needs libgcc_s: a family may, the harness may not.
        shutil.copy(found[0], self.tree / "bin/other")
        code, text = self.run_check("--glibc", "99.0")
        self.assertEqual(code, 1)
        self.assertIn("bin/other needs libgcc_s.so.1", text)
        shutil.move(self.tree / "bin/other", self.tree / "libexec/gpugauge/gpugauge-bench-other")
        code, text = self.run_check("--glibc", "99.0")
        self.assertEqual(code, 0, text)

    @unittest.skipUnless(shutil.which("cc"), "no C compiler here")
    def test_an_empty_or_relative_entry_of_the_search_path_is_found(self):
        family = self.tree / "libexec/gpugauge/gpugauge-bench-made"
        for path, words in {"$ORIGIN/../../lib/gpugauge:/usr/local/cuda-13/extras/CUPTI/lib64": "",
                            "/usr/local/cuda/lib64:": "the working folder (an empty entry)",
                            ":/usr/local/cuda/lib64": "the working folder (an empty entry)", "lib": "lib"}.items():
            subprocess.run(["cc", "-x", "c", "-", "-o", str(family), f"-Wl,-rpath,{path}"], input="int main(void) { return 0; }",
                           text=True, check=True)
            code, text = self.run_check("--glibc", "99.0")
            self.assertEqual(code, 1 if words else 0, text)
            self.assertIn(f"gpugauge-bench-made looks for libraries in {words}\n" if words else "0 findings", text)

    def test_a_path_of_the_builder_is_found(self):
        with self.program.open("ab") as file:
            file.write(b"/somewhere/of/the/builder/file.cpp\0")
        code, text = self.run_check("--glibc", "99.0", "--builder", "/somewhere/of/the/builder")
        self.assertEqual(code, 1)
        self.assertIn("holds the path /somewhere/of/the/builder", text)

    def family_with_code(self, listed, status=0):
        """A family whose file has the section of GPU code, and a cuobjdump that lists `listed` for it; returns the latter."""
        family = self.tree / "libexec/gpugauge/gpugauge-bench-made"
        code = self.tree / "code"
        code.write_bytes(b"code")
        subprocess.run(["objcopy", f"--add-section=.nv_fatbin={code}", "/bin/true", str(family)], check=True)
        code.unlink()
        cuobjdump = pathlib.Path(self.folder.name) / "cuobjdump"
        lines = "".join(f"echo 'ELF file    1: made.1.{one}.cubin'\n" for one in listed)
        cuobjdump.write_text(f"#!/bin/sh\n{lines}[ {status} = 0 ] || echo 'cuobjdump fatal' >&2\nexit {status}\n")
        cuobjdump.chmod(0o755)
        return str(cuobjdump)

    def test_gpu_code_is_for_the_architectures_asked_for_all_of_them_and_no_other(self):
        cuobjdump = self.family_with_code(["sm_80", "sm_90a"])
        code, text = self.run_check("--glibc", "99.0", "--cuobjdump", cuobjdump, "--architectures", "sm_90a sm_80")
        self.assertEqual(code, 0, text)
        self.assertIn("1 with GPU code", text)
        for asked in ("sm_80", "sm_80 sm_90a sm_100a"):
            code, text = self.run_check("--glibc", "99.0", "--cuobjdump", cuobjdump, "--architectures", asked)
            self.assertEqual(code, 1)
            self.assertIn(f"gpugauge-bench-made holds machine code for sm_80 sm_90a, not {' '.join(sorted(asked.split()))}", text)

    def test_gpu_code_that_nobody_can_list_is_found(self):
        cuobjdump = self.family_with_code([])
        code, text = self.run_check("--glibc", "99.0", "--cuobjdump", cuobjdump, "--architectures", "sm_80")
        self.assertEqual(code, 1)
        self.assertIn("gpugauge-bench-made holds machine code for no architecture, not sm_80", text)
        cuobjdump = self.family_with_code(["sm_80"], 255)
        code, text = self.run_check("--glibc", "99.0", "--cuobjdump", cuobjdump, "--architectures", "sm_80")
        self.assertEqual(code, 1)
        self.assertIn("ended with 255: cuobjdump fatal", text)
        for arguments in ([], ["--cuobjdump", "/nonexistent/cuobjdump", "--architectures", "sm_80"]):
            code, text = self.run_check("--glibc", "99.0", *arguments)
            self.assertEqual(code, 1)
            self.assertIn("gpugauge-bench-made holds GPU code, and", text)

    def test_an_empty_tree_is_no_package(self):
        self.program.unlink()
        code, text = self.run_check("--glibc", "99.0")
        self.assertEqual(code, 1)
        self.assertIn("bin holds no executable", text)


if __name__ == "__main__":
    unittest.main()
