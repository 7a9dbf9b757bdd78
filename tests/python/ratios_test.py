#!/usr/bin/env python3
"""The table of ratios, with exact vectors."""
import contextlib
import io
import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "frameworks"))

import counts  # noqa: E402  pylint: disable=wrong-import-position
import peak_rates  # noqa: E402  pylint: disable=wrong-import-position
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
        for ratio in [*ratios.with_peaks([]), *ratios.PYTORCH]:
            self.assertTrue(ratio.others or ratio.rate)
            self.assertTrue(all(key.count(":") == 1 for key in [ratio.kernel, *ratio.others]), ratio)
            self.assertTrue(0 < ratio.least <= 1)

    def peaks(self, capability, name="", **rates):
        """What is said of instructions of a GPU, benchmark -> (columns, reached)."""
        made = run(**{f"peak/{one.replace('__', '/')}": ("operation_per_clock_per_sm" if one.startswith("int8") else "flop_per_clock_per_sm", rate)
                      for one, rate in rates.items()})
        made["processes"][0]["samples"]["context"] = {"gpu.compute_capability": capability, "gpu.name": name} if capability else {}
        formed = ratios.lines(ratios.with_peaks([made]), [made])
        return {columns[0].split(":")[0]: (columns, reached) for columns, reached in formed if columns[0].startswith("peak/")}

    def test_mma_sync_of_8_0_is_held_against_the_rate_of_8_0(self):
        found = self.peaks("8.0", "NVIDIA A100-SXM4-80GB", bf16__mma_sync=2000.0, fp64__mma_sync=127.0, fp64__fma=64.0, fp32__fma=120.0)
        self.assertEqual(found["peak/bf16/mma_sync"][0][1:], ("2048 of 8.0", "0.977", "0.95", "reached"))
        self.assertEqual(found["peak/fp64/mma_sync"][0][1:], ("128 of 8.0", "0.992", "0.95", "reached"))
        self.assertIs(found["peak/fp64/fma"][1], True)
        self.assertEqual(found["peak/fp32/fma"][0][1:], ("128 of 8.0", "0.938", "0.95", "below"))
        self.assertIs(found["peak/fp32/fma"][1], False)
        self.assertIn("was not measured", found["peak/int8/mma_sync"][0][4])
        self.assertEqual([name for name in found if "wgmma" in name or "fp8" in name or "m16n8k" in name], [])

    def test_mma_sync_of_12_0_is_held_against_the_rate_of_12_0_and_its_fp64_is_not_of_tensor_cores(self):
        found = self.peaks("12.0", "NVIDIA RTX PRO 6000 Blackwell", fp8__mma_sync=1900.0, int8__mma_sync=2040.0, fp64__mma_sync=3.9)
        self.assertEqual(found["peak/fp8/mma_sync"][0][1:], ("2048 of 12.0", "0.928", "0.95", "below"))
        self.assertEqual(found["peak/int8/mma_sync"][0][1:], ("2048 of 12.0", "0.996", "0.95", "reached"))
        self.assertEqual(found["peak/fp64/mma_sync"][0][1:4], ("4 of 12.0", "0.975", ""))
        self.assertIsNone(found["peak/fp64/mma_sync"][1])

    def test_mma_sync_of_9_0_is_reported_and_nothing_is_asked_of_it(self):
        found = self.peaks("9.0", "NVIDIA H200", bf16__mma_sync=2560.0, bf16__wgmma=4000.0, fp64__mma_sync=125.0, fp64__mma_sync_m16n8k16=200.0)
        self.assertEqual(found["peak/bf16/mma_sync"],
                         (("peak/bf16/mma_sync:flop_per_clock_per_sm", "4096 of 9.0", "0.625", "",
                           "only reported: not the instruction that is meant to reach it"), None))
        self.assertIs(found["peak/bf16/wgmma"][1], True)
        self.assertIsNone(found["peak/fp64/mma_sync"][1])
        self.assertIs(found["peak/fp64/mma_sync_m16n8k16"][1], False)
        self.assertNotIn("peak/fp16/mma_sync", found, "nothing is asked of it, and it was not measured")

    def test_what_is_only_reported_counts_neither_as_asked_nor_as_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "run.json")
            made = run(**{"peak/bf16/mma_sync": ("flop_per_clock_per_sm", 2560.0), "peak/bf16/wgmma": ("flop_per_clock_per_sm", 4090.0)})
            made["processes"][0]["samples"]["context"] = {"gpu.compute_capability": "9.0"}
            path.write_text(json.dumps({**made, "schema": "gpugauge.run/1", "complete": True}), encoding="utf-8")
            kept = counts.count_ratios([path])
        self.assertEqual((kept["reached"], kept["below"]), (1, []))
        self.assertFalse([entry for entry in kept["missing"] if "mma_sync:" in entry and entry.startswith("peak/bf16")])

    def test_models_whose_tensor_cores_are_cut_are_held_against_their_own_rate(self):
        found = self.peaks("8.6", "NVIDIA GeForce RTX 3090", bf16__mma_sync=505.0, int8__mma_sync=2000.0)
        self.assertEqual(found["peak/bf16/mma_sync"][0][1:4], ("512 of 8.6", "0.986", "0.95"))
        self.assertEqual(found["peak/int8/mma_sync"][0][1:4], ("2048 of 8.6", "0.977", "0.95"))
        self.assertEqual(self.peaks("8.6", "NVIDIA RTX A6000", bf16__mma_sync=505.0)["peak/bf16/mma_sync"][0][1], "1024 of 8.6")
        self.assertNotIn("peak/fp64/fma", self.peaks("9.0", "NVIDIA H20", fp32__fma=250.0))
        self.assertNotIn("peak/fp16/mma_sync_m16n8k8", self.peaks("7.5", "NVIDIA T1000", fp16__mma_sync_m16n8k8=9.0))

    def test_the_instructions_of_7_5_are_reported_there_and_later_gpus_lack_them(self):
        small = "peak/int8/mma_sync_m8n8k16"
        found = self.peaks("7.5", "Tesla T4", int8__mma_sync_m8n8k16=2000.0)
        self.assertEqual(found[small][0][1:4], ("2048 of 7.5", "0.977", ""))
        self.assertIsNone(found[small][1])
        self.assertNotIn("peak/int8/mma_sync", found)
        for capability in peak_rates.capabilities():
            self.assertEqual(small in {one.metric.split(":")[0] for one in peak_rates.rates(capability)}, capability == "7.5", capability)

    def test_a_gpu_without_a_known_rate_and_several_gpus_are_said(self):
        columns, reached = self.peaks("8.7", "Orin", fp32__fma=250.0)["peak/*"]
        self.assertIsNone(reached)
        self.assertEqual(columns[4], "no rate is known of Orin of compute capability 8.7")
        made = [run(**{"peak/fp32/fma": ("flop_per_clock_per_sm", 128.0)}) for _ in range(2)]
        for one, capability in zip(made, ("8.0", "9.0")):
            one["processes"][0]["samples"]["context"] = {"gpu.compute_capability": capability}
        self.assertIn("the runs are of different GPUs", ratios.lines(ratios.with_peaks(made), made)[-1][0][4])

    def test_on_10_x_tcgen05_is_the_fast_instruction(self):
        cores = {"peak/fp64/fma", "peak/fp32/fma", "peak/fp16/fma_x2"}
        fast = {f"peak/{word}/tcgen05" for word in ("tf32", "fp16", "bf16", "fp8", "int8")}
        asked = {one.metric.split(":")[0] for one in peak_rates.rates("10.0") if one.gated}
        self.assertEqual(asked, cores | fast)
        asked = {one.metric.split(":")[0] for one in peak_rates.rates("10.3") if one.gated}
        self.assertEqual(asked, cores - {"peak/fp64/fma"} | fast - {"peak/int8/tcgen05"})
        for capability in ("8.0", "9.0", "12.0"):
            self.assertFalse([one for one in peak_rates.rates(capability) if "tcgen05" in one.metric], capability)

    def test_the_rates_are_read_from_the_judges_table_as_it_stands_there(self):
        products, cores, cut, slow = peak_rates.read()
        self.assertEqual(products["9.0"], {"gemm64": 256, "gemm32": 256, "gemmtf32": 2048, "gemm16": 4096, "fp8": 8192, "int8": 8192})
        self.assertEqual(cores["8.0"], {"fp64": 64, "fp32": 128, "fp16": 512, "int32": 128})
        self.assertEqual(cut["GeForce"], (0.5, 1))
        self.assertAlmostEqual(cut["H20"][0], 148 / 633)
        self.assertEqual(cut["T1000"], (0, 0))
        self.assertEqual(slow, ["H800", "H20"])

    def test_the_sources_that_hold_the_rates_are_named_where_they_are_not_there(self):
        before = peak_rates.TABLE
        self.addCleanup(setattr, peak_rates, "TABLE", before)
        peak_rates.TABLE = before.with_name("none.cpp")
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as said:
            path = pathlib.Path(folder, "run.json")
            path.write_text('{"schema": "gpugauge.run/1", "processes": []}', encoding="utf-8")
            self.assertEqual(ratios.main([str(path)]), 2)
        self.assertIn("the rates of instructions stand in the sources, which are not here", said.getvalue())

    def test_the_kernel_of_a_library_is_named_where_a_sample_file_knows_it(self):
        made = run(**{KERNEL: ("bandwidth", 3.0), OTHER: ("bandwidth", 4.0), "copy/d2d": ("bandwidth", 2.0)})
        samples = {"benchmarks": [{"id": OTHER, "notes": {"kernel": "reduce<a|b>" + 100 * "x"}, "metrics": [{"name": "bandwidth", "value": 99.0}]}]}
        (columns, reached), = ratios.lines([self.ratio], [made], ratios.kernels([samples]))
        self.assertEqual(columns[1], f"{OTHER}:bandwidth, by `" + ("reduce<a\\|b>" + 100 * "x")[:100] + "...`")
        self.assertEqual(columns[2], "0.750", "no figure of the sample file counts")
        self.assertIs(reached, False)
        unknown = {"benchmarks": [{"id": OTHER, "notes": {"kernel_unknown": "no CUPTI"}, "metrics": [{"name": "bandwidth"}]}]}
        self.assertEqual(ratios.lines([self.ratio], [made], ratios.kernels([unknown]))[0][0][1], f"{OTHER}:bandwidth")

    def test_the_best_of_a_librarys_candidates_has_a_kernel_of_its_own(self):
        notes = {"kernel": "first", "kernel_best": "fastest"}
        metrics = [{"name": "throughput"}, {"name": "throughput_best"}]
        self.assertEqual(ratios.kernels([{"benchmarks": [{"id": "a", "notes": notes, "metrics": metrics}]}]),
                         {"a:throughput": "first", "a:throughput_best": "fastest"})
        self.assertEqual(ratios.kernels([{"benchmarks": [{"id": "a", "notes": {"kernel": "only"}, "metrics": metrics}]}])["a:throughput_best"], "only")

    def test_a_sample_file_that_cannot_be_read_costs_the_names_alone(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()) as printed:
            path, cut = pathlib.Path(folder, "run.json"), pathlib.Path(folder, "kernels-cub.json")
            made = run(**{"gemm/fp32/simt/4096x4096x4096": ("throughput", 95.0), "torch/matmul/fp32/4096x4096x4096": ("throughput", 100.0)})
            path.write_text(json.dumps({"schema": "gpugauge.run/1", **made}), encoding="utf-8")
            for text in ('{"schema": "gpugauge.samples/1", "bench', '{"schema": "gpugauge.samples/1"}', '{"schema": "gpugauge.samples/1", "benchmarks": [7]}'):
                cut.write_text(text, encoding="utf-8")
                self.assertEqual(ratios.main(["--pytorch", "--kernels", str(cut), str(path)]), 0, text)
            self.assertEqual(ratios.main(["--pytorch", "--kernels", str(cut), str(pathlib.Path(folder, "none.json"))]), 2)
        self.assertEqual(printed.getvalue().count("| 0.950 | 0.90 | reached |"), 3)
        self.assertEqual(said.getvalue().count(f"{cut}: no names of kernels are taken from it: "), 3)

    def test_a_filter_chooses_what_is_compared_with_of_one_library(self):
        wanted = re.compile(ratios.compared("cublas"))
        self.assertTrue(wanted.search("cublas/bf16/lt/8192x8192x8192"))
        for other in ("cublas/bf16/lt/16384x16384x16384", "cublas/beside/bf16/8192x8192x8192", "cub/reduce"):
            self.assertFalse(wanted.search(other), other)

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
        for title, all_wanted in (("Beside NVIDIA's libraries", [one for one in (*ratios.LIBRARIES, *ratios.peaks_of("9.0")) if one.least]), ("Beside PyTorch", ratios.PYTORCH)):
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
