"""A framework as a family: the command line and the sample file of `gpugauge-bench-<family>` (docs/schema/samples.schema.json).

Standard library only, Python 3.8 or later: it runs in the user's own Python.
"""
import ctypes
import hashlib
import json
import math
import os
import random
import signal
import statistics
import sys
import time

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_UNAVAILABLE, EXIT_INTERRUPTED = 0, 1, 2, 3, 130
INPUT_SEED = 0x6775  # of all input data, as in bench/support/family.hpp
MINIMUM_BATCHES = 20
BATCH_SECONDS = 20e-3  # waiting for the GPU at a batch's end takes some 10 us: below a thousandth of it


class UsageError(Exception):
    """A flag that is not known, or a value that cannot be."""


class Skip(Exception):
    """An operation that cannot be measured here, which is no fault; its text says why."""


class Options:
    """The flags of a family; see `gpugauge-bench-host --help`."""

    def __init__(self, arguments):
        self.samples = self.only = self.seed = self.parent = None
        self.window_seconds = 1.0
        for argument in arguments:
            name, _, value = argument.partition("=")
            try:
                self._take(name, value)
            except ValueError as error:
                raise UsageError(f"{argument}: {error}") from error

    def _take(self, name, value):
        if name == "--gpugauge_samples" and value:
            self.samples = value
        elif name == "--gpugauge_only" and value:
            self.only = value
        elif name == "--gpugauge_seed":
            self.seed = int(value)
        elif name == "--gpugauge_parent":
            self.parent = int(value)
        elif name == "--gpugauge_window":
            self.window_seconds = float(value)
            if not 0 < self.window_seconds <= 3600:
                raise ValueError("give seconds above 0 and up to 3600")
        elif name == "--gpugauge_depth":
            pass  # every operation is measured, whatever the profile
        else:
            raise ValueError("no such flag, or its value is missing")


def die_with_parent(parent):
    """Asks the kernel to kill this process when its parent ends (prctl PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)
    if os.getppid() != parent:
        raise UsageError(f"--gpugauge_parent={parent}: that process is not the parent of this one")


def source_hash():
    """SHA-256 over the probe's own files: results of different probes are never compared."""
    digest = hashlib.sha256()
    folder = os.path.dirname(os.path.abspath(__file__))
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(name.encode() + b"\0" + file.read())
    return digest.hexdigest()


def measure(run, finish, window_seconds):
    """Batches of `run`, each followed by `finish`, which waits until the work is done. Returns the sample file's batches."""
    def timed(operations):
        begin = time.perf_counter()
        for _ in range(operations):
            run()
        finish()
        return time.perf_counter() - begin

    timed(1)
    warm_until = time.perf_counter() + min(0.5, window_seconds)
    last = timed(1)
    while time.perf_counter() < warm_until:
        last = timed(1)
    operations = max(1, round(BATCH_SECONDS / max(last, 1e-9)))
    seconds, cpu_begin, begin = [], time.process_time(), time.perf_counter()
    while len(seconds) < MINIMUM_BATCHES or time.perf_counter() - begin < window_seconds:
        seconds.append(float(f"{timed(operations) / operations:.7g}"))
        if time.perf_counter() - begin > 3 * window_seconds and len(seconds) >= 3:
            break
    return {
        "operations_per_batch": operations,
        "seconds_per_operation": seconds,
        "cpu_seconds_per_operation": [],
        "sm_clock_hz": [],
        "window_seconds": time.perf_counter() - begin,
        "cpu_seconds": time.process_time() - cpu_begin,
    }


def metric(batches, flops, moved_bytes=0.0):
    """From the median batch: bandwidth of an operation that only moves bytes, else throughput."""
    name, unit, work = ("bandwidth", "byte/second", moved_bytes) if moved_bytes else ("throughput", "flop/second", flops)
    return {
        "name": name, "unit": unit, "better": "higher", "class": "framework_op", "statistic": "median",
        "value": work / statistics.median(batches["seconds_per_operation"]), "resolution": 0, "judged": True, "note": "",
    }


def result(identifier, parameters, status="ok", reason=""):
    """A benchmark's entry with nothing measured yet."""
    return {
        "id": identifier, "status": status, "reason": reason, "parameters": parameters, "notes": {},
        "work": {"bytes": 0, "flops": 0, "items": 0},
        "batches": {"operations_per_batch": 0, "seconds_per_operation": [], "cpu_seconds_per_operation": [],
                    "sm_clock_hz": [], "window_seconds": 0, "cpu_seconds": 0},
        "metrics": [], "verifications": [],
    }


def verification(method, error, tolerance):
    """A check: NaN and infinity never pass."""
    passed = math.isfinite(error) and error <= tolerance
    out = {"method": method, "passed": passed, "tolerance": tolerance}
    if math.isfinite(error):
        out["error"] = error
    return out


def chosen(operations, options):
    """The operations that --gpugauge_only leaves, in seeded order."""
    left = list(operations)
    if options.only:
        with open(options.only, encoding="utf-8") as file:
            wanted = {line.strip() for line in file if line.strip()}
        left = [one for one in left if one.id in wanted]
        if not left:
            raise UsageError("--gpugauge_only: leaves no benchmark of this family")
    if options.seed is not None:
        random.Random(options.seed).shuffle(left)
    return left


def summarise(samples):
    """The family's status from its benchmarks', as bench/support/family.cpp does."""
    states = [one["status"] for one in samples["benchmarks"]]
    if "interrupted" in states:
        samples["status"] = "interrupted"
    elif "ok" in states or not states:
        samples["status"] = "ok"
    else:
        samples["status"] = "failed" if "failed" in states else "skipped"
        samples["reason"] = "no benchmark could be measured; the first said: " + samples["benchmarks"][0]["reason"]


def end_on_signals():
    """SIGTERM as Ctrl-C: what was measured is kept."""
    def stop(_number, _frame):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, stop)


def text_of(samples):
    """The sample file's text; a value that is not finite raises ValueError."""
    return json.dumps(samples, indent=1, allow_nan=False) + "\n"


def write(path, samples):
    """Beside and renamed, so that no reader ever sees half of it."""
    temporary = f"{path}.{os.getpid()}.part"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text_of(samples))
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def one_line(error, limit=400):
    """An exception as one line of text."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= limit else text[:limit] + " ..."


def exit_code(samples):
    """The exit code that a family of this status ends with."""
    states = [one["status"] for one in samples["benchmarks"]]
    if samples["status"] == "unavailable":
        return EXIT_UNAVAILABLE
    if "failed" in states:
        return EXIT_FAILED
    return EXIT_INTERRUPTED if "interrupted" in states else EXIT_OK


def say(text):
    """To the standard error stream, which the harness keeps with the process."""
    print(text, file=sys.stderr, flush=True)
