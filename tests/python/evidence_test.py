#!/usr/bin/env python3
"""What the framework probes conclude, with exact vectors: where work ran, the ONNX model's bytes, the sample file's rules."""
import json
import pathlib
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "frameworks"))

from gpugauge_probe import evidence, family, onnx_model, operation  # noqa: E402  pylint: disable=wrong-import-position


def seen(**changes):
    """Healthy work on a GPU, with changes."""
    return {"result_device": "gpu", "kernels": ["sm90_xmma_gemm_bf16"], "driver_mapped": True, "gpu_bytes": 1 << 30,
            "processors": 1.0, "fallback": [], **changes}


class Tell(unittest.TestCase):
    """The places, and never more than what was seen."""

    def test_kernels_prove_the_gpu(self):
        self.assertEqual(evidence.tell(seen())[0], "gpu")

    def test_no_kernel_is_the_processor_whatever_the_framework_says(self):
        for used in (0, None):
            self.assertEqual(evidence.tell(seen(kernels=[], gpu_bytes=used))[0], "cpu")
        self.assertEqual(evidence.tell(seen(kernels=[], result_device="cpu"))[0], "cpu")

    def test_no_kernel_beside_a_result_and_memory_on_the_gpu_proves_nothing(self):
        place, why = evidence.tell(seen(kernels=[], gpu_bytes=700 << 20, processors=0.1))
        self.assertEqual(place, "unknown")
        self.assertEqual(why, "no kernel ran on the GPU, and yet the result lies there, where the process holds 700 MiB")

    def test_without_the_drivers_library_nothing_ran_on_a_gpu(self):
        self.assertEqual(evidence.tell(seen(kernels=None, driver_mapped=False))[0], "cpu")

    def test_one_operator_on_the_processor_is_a_fallback(self):
        place, why = evidence.tell(seen(fallback=["Conv"]))
        self.assertEqual(place, "cpu")
        self.assertIn("Conv", why)

    def test_memory_and_the_results_place_prove_it_where_kernels_cannot_be_listed(self):
        self.assertEqual(evidence.tell(seen(kernels=None))[0], "gpu")
        self.assertEqual(evidence.tell(seen(kernels=None, result_device="cpu"))[0], "cpu")

    def test_a_contradiction_is_unknown(self):
        self.assertEqual(evidence.tell(seen(kernels=None, gpu_bytes=0))[0], "unknown")

    def test_a_container_that_hides_processes_is_said(self):
        place, why = evidence.tell(seen(kernels=None, gpu_bytes=None))
        self.assertEqual(place, "gpu")
        self.assertIn("not visible", why)


class Listed(unittest.TestCase):
    """An empty list, and one of a profiler that sees nothing."""

    def test_a_profiler_that_sees_not_even_a_known_kernel_lists_nothing(self):
        self.assertIsNone(evidence.listed(lambda run: [], "work", "known"))

    def test_an_empty_list_counts_beside_a_known_kernel_and_is_taken_twice(self):
        self.assertEqual(evidence.listed(lambda run: ["add"] if run == "known" else [], "work", "known"), [])
        answers = {"work": [[], ["gemm"]], "known": [["add"]]}
        self.assertEqual(evidence.listed(lambda run: answers[run].pop(0), "work", "known"), ["gemm"])

    def test_kernels_need_no_second_look(self):
        asked = []
        self.assertEqual(evidence.listed(lambda run: asked.append(run) or ["gemm"], "work", "known"), ["gemm"])
        self.assertEqual(asked, ["work"])


class Nvml(unittest.TestCase):
    """NVML where there is none."""

    def test_a_missing_library_is_a_fault_and_no_crash(self):
        nvml = evidence.Nvml("libnvidia-ml-that-is-nowhere.so.1")
        self.assertIn("libnvidia-ml-that-is-nowhere", nvml.fault)
        self.assertEqual(nvml.processes(), [])
        self.assertIsNone(nvml.utilization(1))

    def test_what_an_older_library_lacks_is_not_seen_and_no_crash(self):
        nvml = evidence.Nvml("libnvidia-ml-that-is-nowhere.so.1")
        nvml.devices, nvml._library = [None], types.SimpleNamespace()  # pylint: disable=protected-access
        self.assertEqual(nvml.processes(), [])
        self.assertIsNone(nvml.utilization(1))

    def test_structures_have_the_headers_sizes(self):
        self.assertEqual(evidence.ctypes.sizeof(evidence.ProcessInfo), 24)
        self.assertEqual(evidence.ctypes.sizeof(evidence.UtilizationSample), 32)


class OnnxModel(unittest.TestCase):
    """The wire format."""

    def test_a_product_has_the_bytes_of_the_format(self):
        made = onnx_model.model("MatMul", [("a", (2, 300)), ("b", (300, 2))], ("c", (2, 2)), onnx_model.FLOAT)
        self.assertTrue(made.startswith(b"\x08\x08\x3a"))          # ir_version 8, then the graph
        self.assertTrue(made.endswith(b"\x42\x04\x0a\x00\x10\x0f"))  # operator set "", 15
        self.assertIn(b"\x0a\x01a\x0a\x01b\x12\x01c\x1a\x04work\x22\x06MatMul", made)
        self.assertIn(b"\x0a\x03\x08\xac\x02", made)               # the dimension 300 as a varint

    def test_attributes_are_integers(self):
        made = onnx_model.model("Conv", [("a", (1,)), ("b", (1,))], ("c", (1,)), onnx_model.FLOAT, [("pads", (1, 0))])
        self.assertIn(b"\x0a\x04pads\x40\x01\x40\x00\xa0\x01\x07", made)


class Work(unittest.TestCase):
    """Formulas and tolerances."""

    def test_flops(self):
        shape = operation.ConvolutionShape(2, 3, 4, 5, 6, 3)
        self.assertEqual(shape.terms(), 27)
        self.assertEqual(shape.flops(), 2.0 * 2 * 6 * 4 * 5 * 27)

    def test_what_only_moves_memory_has_a_bandwidth(self):
        batches = {"seconds_per_operation": [1.0, 2.0, 4.0]}
        made = family.metric(batches, 10.0, 8.0)
        self.assertEqual((made["name"], made["unit"], made["value"]), ("bandwidth", "byte/second", 4.0))
        self.assertEqual(family.metric(batches, 10.0)["name"], "throughput")
        triad = operation.Stream("torch", "triad", None, None, None, None)
        self.assertEqual((triad.id, triad.bytes, triad.flops), ("torch/triad/fp32/1GiB", 3.0 * 2**30, 2.0 * 2**28))

    def test_the_error_of_a_product_of_fp32_tells_what_it_was_computed_in(self):
        product = operation.Matmul("torch", "fp32", "gpu", None, None, None, None)
        self.assertEqual([product.numerics(one) for one in (0.0, 16 * 2.0**-24, 17 * 2.0**-24, 1.6e-5)], ["fp32", "fp32", "tf32", "tf32"])
        # At n = 4096, on the host: TF32 by truncating the inputs; bf16 by rounding them; the same, and the result is bf16, too.
        self.assertEqual([product.numerics(one) for one in (5.5e-5, 1.36e-4, 2.2e-4)], ["tf32", "bf16", "bf16"])
        self.assertEqual(operation.Matmul("torch", "bf16", "gpu", None, None, None, None).numerics(1e-3), "")
        self.assertEqual(operation.Convolution("torch", "fp32", "gpu", None, None, None, None).numerics(1e-3), "")
        self.assertIn("return 16 * 0x1p-24;", (ROOT / "kernels" / "gemm" / "work.hpp").read_text())

    def test_cublas_has_the_product_that_a_gpu_is_given_in_every_type(self):
        page = (ROOT / "docs" / "benchmarks.md").read_text()
        n = operation.MATMUL_SIZE["gpu"]
        for kind in ("bf16", "fp32", "tf32"):
            section = page.split(f"\n### cublas/{kind}/lt\n")[1].split("\n### ")[0]
            self.assertIn(f"{n}x{n}x{n}", section)

    def test_nan_never_passes(self):
        self.assertFalse(family.verification("x", float("nan"), 1)["passed"])
        self.assertNotIn("error", family.verification("x", float("inf"), 1))
        self.assertTrue(family.verification("x", 1, 1)["passed"])


class File(unittest.TestCase):
    """Nothing half-written, nothing that is not JSON."""

    def test_a_nan_is_refused_and_leaves_the_earlier_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "samples.json"
            family.write(path, {"a": 1})
            with self.assertRaises(ValueError):
                family.write(path, {"a": float("nan")})
            self.assertEqual(json.loads(path.read_text()), {"a": 1})

    def test_unknown_flags_are_refused(self):
        for flag in ("--gpugauge_window=0", "--gpugauge_window=x", "--nonsense", "--gpugauge_samples="):
            with self.assertRaises(family.UsageError):
                family.Options([flag])


if __name__ == "__main__":
    unittest.main()
