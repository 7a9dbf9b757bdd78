#!/usr/bin/env python3
"""The table of ratios, with exact vectors."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib"))

import ratios  # noqa: E402  pylint: disable=wrong-import-position


def run(**metrics):
    """A run of one process that measured these: benchmark id -> (metric, value), or a text why not."""
    benchmarks = []
    for name, said in metrics.items():
        measured = isinstance(said, tuple)
        benchmarks.append({"id": name, "status": "ok" if measured else "skipped", "reason": "" if measured else said,
                           "metrics": [{"name": said[0], "value": said[1]}] if measured else []})
    return {"processes": [{"samples": {"benchmarks": benchmarks}}, {"samples": None}]}


KERNEL, OTHER = "primitive/reduce", "cub/reduce"


class Ratios(unittest.TestCase):
    """Median over processes, best of the others, and a reason for what is missing."""

    def setUp(self):
        self.ratio = ratios.Ratio(f"{KERNEL}:bandwidth", [f"{OTHER}:bandwidth", "copy/d2d:bandwidth"], 0.98)

    def line(self, *runs):
        return ratios.line(self.ratio, *ratios.values(runs))

    def test_the_best_of_the_others_counts(self):
        columns, reached = self.line(run(**{KERNEL: ("bandwidth", 3.0), OTHER: ("bandwidth", 2.0), "copy/d2d": ("bandwidth", 4.0)}))
        self.assertEqual(columns[1:4], ("copy/d2d:bandwidth", "0.750", "0.98"))
        self.assertIs(reached, False)

    def test_medians_over_processes(self):
        made = [run(**{KERNEL: ("bandwidth", value), OTHER: ("bandwidth", 1.0)}) for value in (0.5, 1.0, 9.0)]
        columns, reached = self.line(*made)
        self.assertEqual(columns[2], "1.000")
        self.assertIs(reached, True)

    def test_what_is_missing_says_why(self):
        columns, reached = self.line(run(**{KERNEL: "needs a GPU", OTHER: ("bandwidth", 1.0)}))
        self.assertIsNone(reached)
        self.assertIn("needs a GPU", columns[4])

    def test_nothing_measured_is_no_success(self):
        self.assertEqual(ratios.table([run()])[1], 2)

    def test_every_ratio_has_a_metric_on_both_sides(self):
        for ratio in ratios.RATIOS:
            self.assertTrue(all(key.count(":") == 1 for key in [ratio.kernel, *ratio.others]), ratio)
            self.assertTrue(0 < ratio.least <= 1)


if __name__ == "__main__":
    unittest.main()
