#!/usr/bin/env python3
"""The table of ratios, with exact vectors."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "frameworks"))

import ratios  # noqa: E402  pylint: disable=wrong-import-position
from gpugauge_probe import operation  # noqa: E402  pylint: disable=wrong-import-position


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
        made = [run(**{KERNEL: ("bandwidth", value), OTHER: ("bandwidth", 1.0), "copy/d2d": ("bandwidth", 0.5)})
                for value in (0.5, 1.0, 9.0)]
        columns, reached = self.line(*made)
        self.assertEqual(columns[2], "1.000")
        self.assertIs(reached, True)

    def test_what_is_missing_says_why(self):
        columns, reached = self.line(run(**{KERNEL: "needs a GPU", OTHER: ("bandwidth", 1.0)}))
        self.assertIsNone(reached)
        self.assertIn("needs a GPU", columns[4])

    def test_the_best_is_not_known_while_one_of_the_others_is_missing(self):
        columns, reached = self.line(run(**{KERNEL: ("bandwidth", 3.0), OTHER: ("bandwidth", 2.0)}))
        self.assertIsNone(reached)
        self.assertEqual(columns[2], "")
        self.assertIn("copy/d2d:bandwidth was not measured", columns[4])

    def test_figures_of_a_benchmark_that_failed_are_none(self):
        made = run(**{KERNEL: ("bandwidth", 3.0), OTHER: ("bandwidth", 1.0), "copy/d2d": ("bandwidth", 1.0)})
        made["processes"][0]["samples"]["benchmarks"][0].update(status="failed", reason="a wrong result")
        columns, reached = self.line(made)
        self.assertIsNone(reached)
        self.assertIn("a wrong result", columns[4])

    def test_nothing_measured_is_no_success(self):
        self.assertEqual(ratios.table(ratios.LIBRARIES, [run()])[1], 2)

    def test_every_ratio_has_a_metric_on_both_sides(self):
        for ratio in ratios.LIBRARIES + ratios.PYTORCH:
            self.assertTrue(all(key.count(":") == 1 for key in [ratio.kernel, *ratio.others]), ratio)
            self.assertTrue(0 < ratio.least <= 1)

    def test_what_pytorch_does_is_no_benchmark_to_ask_for(self):
        self.assertIn("cub/transform/triad", ratios.ids(ratios.PYTORCH))
        self.assertFalse([name for name in ratios.ids(ratios.PYTORCH) if name.startswith("torch/")])

    def test_what_is_compared_with_pytorch_is_what_its_probe_measures(self):
        wanted = {key.split(":")[0] for ratio in ratios.PYTORCH for key in ratio.others if key.startswith("torch/")}
        made = [operation.Matmul("torch", dtype, "gpu", None, None, None, None) for dtype in ("fp32", "bf16")]
        made += [operation.Stream("torch", kind, None, None, None, None) for kind in ("copy", "triad")]
        self.assertEqual(wanted, {one.id for one in made})


if __name__ == "__main__":
    unittest.main()
