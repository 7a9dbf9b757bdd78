#!/usr/bin/env python3
"""The table of ratios, with exact vectors."""
import contextlib
import io
import pathlib
import re
import sys
import tempfile
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


ROOT = pathlib.Path(__file__).resolve().parents[2]
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
        self.assertEqual(ratios.table(ratios.lines(ratios.LIBRARIES, [run()]), ratios.RATIO_HEAD)[1], 2)
        self.assertEqual(ratios.table(ratios.spread_lines([run()]), ratios.SPREAD_HEAD)[1], 2)

    def test_every_ratio_has_a_metric_on_both_sides(self):
        for ratio in ratios.LIBRARIES + ratios.PEAKS + ratios.PYTORCH:
            self.assertTrue(ratio.others or ratio.rate)
            self.assertTrue(all(key.count(":") == 1 for key in [ratio.kernel, *ratio.others]), ratio)
            self.assertTrue(0 < ratio.least <= 1)

    def peak(self, rate, capability):
        made = run(**{"peak/fp32/fma": ("flop_per_clock_per_sm", rate)})
        made["processes"][0]["samples"]["context"] = {"gpu.compute_capability": capability} if capability else {}
        return ratios.lines([one for one in ratios.PEAKS if one.kernel.startswith("peak/fp32/")], [made])[0]

    def test_a_rate_is_held_against_that_of_its_own_compute_capability_only(self):
        self.assertEqual(self.peak(250.0, "9.0")[0][1:4], ("256 of 9.0", "0.977", "0.95"))
        self.assertIs(self.peak(128.0, "9.0")[1], False)
        for other in ("8.0", ""):
            columns, reached = self.peak(250.0, other)
            self.assertIsNone(reached)
            self.assertIn(f"the GPU's is {other or 'unknown'}", columns[4])

    def test_the_rates_are_those_that_the_judge_knows(self):
        text = (ROOT / "harness" / "judge" / "peaks.cpp").read_text(encoding="utf-8")
        gemm = next(line for line in text.splitlines() if 'Row{"9.0"' in line)
        cores = re.search(r'CudaCores{"9.0", (\d+), (\d+), (\d+), \d+}', text)
        known = [int(one) for one in re.findall(r" (\d+),", gemm)]
        rates = {one.kernel.split(":")[0]: one.rate for one in ratios.PEAKS}
        self.assertEqual([rates[f"peak/{name}"] for name in ("fp64/mma_sync_m16n8k16", "fp32/fma", "tf32/wgmma", "bf16/wgmma",
                                                             "fp8/wgmma", "int8/wgmma")], known)
        self.assertEqual(rates["peak/fp16/wgmma"], known[3])
        self.assertEqual([rates[f"peak/{name}"] for name in ("fp64/fma", "fp32/fma", "fp16/fma_x2")],
                         [int(one) for one in cores.groups()])

    def spread(self, metric_class, values, judged=True):
        processes = [{"samples": {"benchmarks": [{"id": KERNEL, "status": "ok", "reason": "", "metrics": [
            {"name": "bandwidth", "value": value, "class": metric_class, "judged": judged}]}]}} for value in values]
        return ratios.spread_lines([{"processes": processes}])

    def test_the_spread_is_that_of_five_processes_or_says_of_how_few(self):
        (columns, reached), = self.spread("hbm", (99.9, 100.0, 100.1, 100.2, 170.0))  # median 100.1, deviations 0.1
        self.assertEqual(columns, (f"{KERNEL}:bandwidth", "5", "0.15%", "69.83%", "0.5%", "reached, but 1 of 5 far away"))
        self.assertIs(reached, True)
        self.assertIs(self.spread("gemm16", (99, 100, 101, 102, 103))[0][1], False)
        self.assertIs(self.spread("launch_latency", (99, 100, 101, 102, 103))[0][1], True)
        (columns, reached), = self.spread("hbm", (100.0, 100.0, 100.2))
        self.assertEqual(columns, (f"{KERNEL}:bandwidth", "3", "0.00%", "0.20%", "0.5%", "reached, and 5 processes are asked for"))
        self.assertIs(reached, True)
        # Farther than five times 0.5%, and not as far.
        self.assertEqual([self.spread("hbm", (100.0, 100.0, 100.0, far))[0][0][-1][:28] for far in (102.6, 97.6)],
                         ["reached, but 1 of 4 far away", "reached, and 5 processes are"])
        self.assertIsNone(self.spread("hbm", (1.0, 1.0))[0][1])
        self.assertIsNone(self.spread("hbm", (0.0,) * 5)[0][1])
        self.assertEqual(self.spread("h2d", (1.0,) * 5), [])
        self.assertEqual(self.spread("hbm", (1.0,) * 5, judged=False), [])

    def test_the_page_of_figures_has_a_row_for_every_ratio_that_is_asked_for(self):
        page = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
        for title, all_wanted in (("Beside NVIDIA's libraries", ratios.LIBRARIES + ratios.PEAKS), ("Beside PyTorch", ratios.PYTORCH)):
            section = page.split(f"\n### {title}")[1].split("\n### ")[0]
            for wanted in all_wanted:
                rows = [row for row in section.splitlines() if row.startswith(f"| {wanted.kernel} | ")]
                self.assertEqual([f" | {wanted.least:.2f} | " in row for row in rows], [True], (title, wanted.kernel))

    def test_what_is_asked_for_is_printed_before_any_run(self):
        text = ratios.asked(ratios.PYTORCH)
        self.assertIn("| gemm/bf16/wgmma/4096x4096x4096:throughput | torch/matmul/bf16/4096x4096x4096:throughput |  | 1.00 | not yet measured |\n", text)

    def test_what_pytorch_does_is_no_benchmark_to_ask_for(self):
        self.assertIn("cub/transform/triad", ratios.ids(ratios.PYTORCH))
        self.assertFalse([name for name in ratios.ids(ratios.PYTORCH) if name.startswith("torch/")])

    def test_what_is_compared_with_pytorch_is_what_its_probe_measures(self):
        wanted = {key.split(":")[0] for ratio in ratios.PYTORCH for key in ratio.others if key.startswith("torch/")}
        made = [operation.Matmul("torch", dtype, "gpu", None, None, None, None) for dtype in ("fp32", "bf16")]
        made += [operation.Stream("torch", kind, None, None, None, None) for kind in ("copy", "triad")]
        self.assertEqual(wanted, {one.id for one in made})

    def test_a_run_file_that_lacks_what_is_read_is_no_ratio_that_falls_short(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as said:
            for rest in ("", ', "processes": [7]', ', "processes": [{"samples": {"benchmarks": [{"id": 3}]}}]'):
                path = pathlib.Path(folder, "run.json")
                path.write_text(f'{{"schema": "gpugauge.run/1"{rest}}}', encoding="utf-8")
                for options in ([], ["--pytorch"], ["--spread"]):
                    self.assertEqual(ratios.main([*options, str(path)]), 2)
                    self.assertIn(f"{path}: not as a run file is: ", said.getvalue())


if __name__ == "__main__":
    unittest.main()
