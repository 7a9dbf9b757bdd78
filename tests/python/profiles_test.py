"""Which classes each profile measures: docs/measuring.md names those that it leaves out, and docs/benchmarks.md, which a test of its
own holds against the definitions, says what is measured."""
import pathlib
import re
import sys
import unittest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
DEPTHS = ["smoke", "quick", "standard", "deep", "exhaustive"]
# A user's own Python or program: no family measures them.
ELSEWHERE = {"framework_op", "application"}


def by_value(cell, words):
    """{words: values of the id}, of "deep: `/a` `/b`; quick: `/c`"; the values are None where the cell is of all."""
    if ": " not in cell:
        return {words(cell): None}
    return {words(head): None if values == "the others" else re.findall(r"`([^`]+)`", values)
            for head, values in (part.split(": ") for part in cell.split("; "))}


def classes_of(cell):
    return tuple(re.findall(r"`([a-z0-9_]+)`", cell))


def measured(page):
    """{profile: classes that it measures on a GPU of today, on its links and on the host}."""
    out = {depth: set() for depth in DEPTHS}
    for section in re.split(r"(?m)^### ", page)[1:]:
        rows = dict(re.findall(r"(?m)^\| ([a-z_ ]+) \| (.*) \|$", section))
        if ", before " in rows.get("needs", "") or "capability before " in rows.get("needs", ""):
            continue  # stands in for another one on older GPUs
        for depth, values in by_value(rows["profile"], str).items():
            for names, own in by_value(rows["class"], classes_of).items():
                if values is None or own is None or set(values) & set(own):
                    for deeper in DEPTHS[DEPTHS.index(depth):]:
                        out[deeper].update(names)
    return out


def all_classes(page):
    table = page[page.index("| class | what it stresses |"):page.index("| quantity |")]
    return [name for name in re.findall(r"(?m)^\| `([a-z0-9_]+)` \|", table) if name not in ELSEWHERE]


def left_out(page):
    """What docs/measuring.md says: {profile: classes}."""
    table = page[page.index("| profile | classes that it leaves out |"):]
    return {row[0]: re.findall(r"`([a-z0-9_]+)`", row[1])
            for row in re.findall(rf"(?m)^\| ({'|'.join(DEPTHS)}) \| (.*) \|$", table[:table.index("\n\n")])}


class Profiles(unittest.TestCase):
    def setUp(self):
        self.benchmarks = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
        self.measuring = (DOCS / "measuring.md").read_text(encoding="utf-8")

    def test_the_page_names_every_class_that_a_profile_leaves_out(self):
        covered = measured(self.benchmarks)
        want = {depth: [name for name in all_classes(self.benchmarks) if name not in covered[depth]] for depth in DEPTHS}
        self.assertEqual(left_out(self.measuring), want)

    def test_smoke_and_quick_look_at_what_a_broken_stack_breaks(self):
        covered = measured(self.benchmarks)
        self.assertLessEqual({"gemm16", "hbm", "launch", "h2d", "host_cpu", "host_memory"}, covered["smoke"])
        self.assertLessEqual({"gemm32", "gemmtf32", "conv", "first_launch", "d2h", "alloc", "sync"}, covered["quick"])
        self.assertEqual([name for name in all_classes(self.benchmarks) if name not in covered["deep"]], [])

    def test_reads_classes_and_profiles_by_value(self):
        section = ("### a/b\n\n| | |\n|---|---|\n| class | `smem`: `/l1`; `l2`, `hbm`: `/l2` `/dram` |\n"
                   "| profile | quick: `/l2`; deep: the others |\n| needs | {} |\n")
        page = section.format("a GPU")
        self.assertEqual(measured(page)["quick"], {"l2", "hbm"})
        self.assertEqual(measured(page)["smoke"], set())
        self.assertIn("smem", measured(page)["deep"])
        self.assertEqual(measured(section.format("a GPU of compute capability 7.0 or newer, before 8.0"))["deep"], set())

    def test_before_8_0_a_product_of_16_bits_is_measured_in_every_profile(self):
        found = [section for section in re.split(r"(?m)^### ", self.benchmarks)[1:]
                 if ", before 8.0" in section and "| class | `gemm16` |" in section and "| profile | smoke |" in section]
        self.assertEqual([section.split("\n")[0] for section in found], ["cublas/fp16/lt", "peak/fp16/mma_sync_m16n8k8"])

    def test_before_8_0_a_product_is_repeated_for_a_minute_too(self):
        load, = [section for section in re.split(r"(?m)^### ", self.benchmarks)[1:] if section.startswith("sustained/gemm_fp32\n")]
        self.assertIn("before 8.0 |", load)
        self.assertIn("| profile | deep |", load)


if __name__ == "__main__":
    sys.exit(unittest.main())
