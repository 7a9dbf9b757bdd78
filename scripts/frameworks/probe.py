#!/usr/bin/env python3
"""Runs one framework of this Python and proves where its work ran. Usage: probe.py torch|tensorflow|jax|onnxruntime [FLAGS]

Speaks the language of a family: --gpugauge_samples=FILE, --gpugauge_window=SECONDS, --gpugauge_only=FILE, --gpugauge_seed=N,
--gpugauge_parent=PID; without a file the samples go to standard output. Ends with 0, 1 (an operation failed), 2 (usage), 3 (the
framework is absent or cannot be imported).
"""
import importlib
import os
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
FRAMEWORKS = ("torch", "tensorflow", "jax", "onnxruntime")

if __name__ == "__main__":
    sys.path[0] = FOLDER
    sys.dont_write_bytecode = True  # nothing is changed in this folder, or in the framework's

from gpugauge_probe import evidence, family  # noqa: E402  pylint: disable=wrong-import-position


def measure(operation, nvml, libraries, options, samples_facts):
    """One benchmark's entry: timed, verified, and with what shows where it ran."""
    entry = family.result(operation.id, operation.parameters)
    run, error, result_device = operation.prepare()
    run()
    operation.finish()
    batches = family.measure(run, operation.finish, options.window_seconds)
    kernels = operation.kernels_of(run) if operation.kernels_of else None
    processors = batches["cpu_seconds"] / max(batches["window_seconds"], 1e-9)
    libraries.update(evidence.mapped_libraries())
    ours = set(evidence.host_pids())
    processes = nvml.processes()
    of_us = [used for pid, used in processes if pid in ours]
    used_bytes = None if not of_us or None in of_us else sum(of_us)
    ran_on, why = evidence.tell({
        "result_device": operation.where(result_device()), "kernels": kernels,
        "driver_mapped": any(os.path.basename(path).startswith("libcuda.so") for path in libraries),
        "gpu_bytes": used_bytes, "processors": processors,
        "fallback": operation.fallback() if hasattr(operation, "fallback") else [],
    })
    notes = {"ran_on": ran_on, "evidence": why, "timer": "perf_counter", "processors_busy": f"{processors:.2f}"}
    if kernels:
        notes["kernels"] = "\n".join(sorted(set(kernels))[:20])
    if used_bytes is not None:
        notes["gpu_memory_bytes"] = str(used_bytes)
    busy = max((nvml.utilization(pid) or 0 for pid in ours), default=0)
    if busy:
        notes["gpu_utilization_percent"] = str(busy)
    entry.update(batches=batches, notes=notes, metrics=[family.metric(batches, operation.flops, operation.bytes)])
    entry["work"].update(flops=operation.flops, bytes=operation.bytes)
    method = "largest error against fp64" + ("" if operation.bytes else " on the processor, relative to the norms")
    found = error()
    entry["verifications"].append(family.verification(method, found, operation.tolerance()))
    if ran_on == "gpu" and operation.numerics(found):
        notes["numerics"] = operation.numerics(found)
    if not entry["verifications"][0]["passed"]:
        entry.update(status="failed", reason="the result is wrong: its error is above what rounding explains")
    samples_facts.setdefault("framework.ran_on", ran_on)
    if samples_facts["framework.ran_on"] != ran_on:
        samples_facts["framework.ran_on"] = "mixed"
    return entry


def fill(samples, name, options):
    """Imports the framework, then measures; what goes wrong becomes a status and one sentence."""
    context = samples["context"]
    context["framework.name"] = name
    context["framework.python"] = sys.executable
    context["framework.python_version"] = sys.version.split()[0]
    begin = time.perf_counter()
    work = importlib.import_module(f"gpugauge_probe.{name}_work")
    if sys.path and sys.path[0] == FOLDER:
        del sys.path[0]  # nothing of ours may stand before the user's own modules
    try:
        framework = work.load()
    except Exception as error:  # pylint: disable=broad-except
        absent = isinstance(error, ModuleNotFoundError) and error.name == name
        context["framework.installed"] = "no" if absent else "yes"
        samples.update(status="unavailable",
                       reason=f"{name} is not installed in {sys.executable}" if absent
                       else f"{name} cannot be imported: {family.one_line(error)}")
        return
    context["framework.import_seconds"] = f"{time.perf_counter() - begin:.3f}"
    context.update(work.facts(framework))
    place, described = work.device(framework)
    context["framework.device"] = place
    context["framework.device_name"] = described
    nvml, libraries = evidence.Nvml(), set()
    context["nvml.fault"] = nvml.fault
    context["nvml.gpus"] = str(len(nvml.devices))
    for operation in family.chosen(work.operations(framework, place), options):
        try:
            samples["benchmarks"].append(measure(operation, nvml, libraries, options, context))
        except KeyboardInterrupt:
            samples["benchmarks"].append(family.result(operation.id, operation.parameters, "interrupted",
                                                       "a signal ended the process"))
            break
        except family.Skip as error:
            samples["benchmarks"].append(family.result(operation.id, operation.parameters, "skipped", str(error)))
        except Exception as error:  # pylint: disable=broad-except
            samples["benchmarks"].append(family.result(operation.id, operation.parameters, "failed", family.one_line(error)))
    for number, path in enumerate(sorted(libraries)):
        context[f"framework.library.{number}"] = path
    family.summarise(samples)


def main(arguments):
    if not arguments or arguments[0] not in FRAMEWORKS:
        family.say(f"probe.py: name one of {', '.join(FRAMEWORKS)} first")
        return family.EXIT_USAGE
    name = arguments[0]
    try:
        options = family.Options(arguments[1:])
        if options.parent is not None:
            family.die_with_parent(options.parent)
        samples = {"schema": "gpugauge.samples/1", "family": name, "status": "ok", "reason": "",
                   "suite_version": os.environ.get("GPUGAUGE_VERSION", ""), "source_hash": family.source_hash(),
                   "seed": options.seed or 0, "context": {}, "benchmarks": []}
        # Whatever the framework prints must not mix with what is asked of this program.
        answer = os.dup(1)
        os.dup2(2, 1)
        family.end_on_signals()
        fill(samples, name, options)
        if samples["status"] == "unavailable":
            family.say(f"{name}: unavailable: {samples['reason']}")
        if options.samples:
            family.write(options.samples, samples)
        else:
            os.write(answer, (family.text_of(samples)).encode())
        return family.exit_code(samples)
    except (family.UsageError, OSError) as error:
        family.say(f"probe.py {name}: {error}")
        return family.EXIT_USAGE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
