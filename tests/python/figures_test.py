"""docs/figures.md from recordings: what is shown, and how."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import figures  # noqa: E402  pylint: disable=wrong-import-position


def benchmark(name, metrics, **more):
    return {"id": name, "status": "ok", "notes": {}, "metrics": metrics, **more}


def metric(name, value, unit, judged=True):
    return {"name": name, "value": value, "unit": unit, "judged": judged}


class Figures(unittest.TestCase):
    def test_a_value_has_four_digits_a_prefix_and_a_short_unit(self):
        self.assertEqual(figures.shown(3.0391e12, "byte/second"), "3.039 TB/s")
        self.assertEqual(figures.shown(9.8946e-07, "second"), "989.5 ns")
        self.assertEqual(figures.shown(0, "second"), "0 ns")
        self.assertEqual(figures.shown(3.5e-11, "second"), "0.035 ns")
        self.assertEqual(figures.shown(1.00961, ""), "1.01")
        self.assertEqual(figures.shown(4075.7, "flop/clock"), "4076 FLOP/clock")

    def test_of_a_run_only_judged_values_of_benchmarks_that_went_well_are_shown(self):
        good = benchmark("memory/copy", [metric("bandwidth", 2e12, "byte/second"), metric("other", 1, "byte", judged=False)])
        faster = benchmark("memory/copy", [metric("bandwidth", 4e12, "byte/second")])
        failed = benchmark("memory/read", [metric("bandwidth", 9e12, "byte/second")], status="failed")
        run = {"processes": [{"samples": {"benchmarks": [good, failed]}}, {"samples": {"benchmarks": [faster]}}, {"samples": None}]}
        self.assertEqual(figures.measured(run).splitlines()[2:], ["| memory/copy | bandwidth | 3 TB/s | 2 TB/s | 4 TB/s | 2 |"])

    def test_a_percentile_of_too_few_operations_is_called_so(self):
        few = benchmark("launch/after_idle", [metric("operation_p50", 6.6e-5, "second"), metric("operation_p90", 1e-4, "second"),
                                              metric("operation_p99", 2e-4, "second", judged=False)], notes={"operations_timed": "21"})
        without = benchmark("launch/overlap", [metric("two_over_one", 1, "")])
        lines = figures.launching({"benchmarks": [few, without]}).splitlines()[2:]
        self.assertEqual(lines, ["| launch/after_idle | 66 us | 100 us | too few operations | 21 |"])


if __name__ == "__main__":
    unittest.main()
