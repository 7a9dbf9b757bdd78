#!/usr/bin/env python3
"""Stands for gpugauge-bench-nccl under srun, real or fake: each rank writes what a made fabric gives for the nodes of its step.

$FAKE_FABRIC: {"slow_nodes": {node: share}, "slow_paths": [[node, node, share]], "dead": [node], "hangs": [node]}, all optional.
"""
import json
import os
import random
import subprocess
import sys
import time

FULL = 400e9


def benchmark(name, values):
    """One entry of a sample file; only busbw is judged."""
    metrics = [{"name": key, "unit": "byte/second", "better": "higher", "class": "coll_large", "statistic": "median", "value": value,
                "resolution": 0, "judged": key == "busbw",
                "note": "" if key == "busbw" else "busbw, which follows from it, is judged"} for key, value in values.items()]
    return {"id": name, "status": "ok", "reason": "", "parameters": {}, "notes": {}, "work": {"bytes": 0, "flops": 0, "items": 0},
            "metrics": metrics, "verifications": [{"method": "made for the test", "passed": True}], "batches": {
                "operations_per_batch": 1, "seconds_per_operation": [1e-3], "cpu_seconds_per_operation": [], "sm_clock_hz": [],
                "window_seconds": 1e-3, "cpu_seconds": 0}}


def main():
    """What the family does as far as scripts/slurm/bisect sees it: a sample file of each rank, an exit code."""
    flags = dict(word[2:].split("=", 1) for word in sys.argv[1:] if "=" in word)
    with open(os.environ["FAKE_FABRIC"], encoding="utf-8") as file:
        fabric = json.load(file)
    listed = os.environ["SLURM_STEP_NODELIST"]
    if "[" in listed:
        listed = subprocess.run(["scontrol", "show", "hostnames", listed], stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    nodes = sorted(listed.replace(",", " ").split())
    rank, size = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_STEP_NUM_TASKS"])
    here = os.environ["SLURMD_NODENAME"]
    if here in fabric.get("hangs", []):
        time.sleep(600)
    dead = [node for node in nodes if node in fabric.get("dead", [])]
    if here in dead:
        return 9
    result = {"schema": "gpugauge.samples/1", "family": "nccl", "status": "ok", "reason": "", "suite_version": "0.1.0", "source_hash": "made",
              "seed": 1, "context": {"ranks.rank": str(rank), "ranks.size": str(size), "ranks.launcher": "Slurm"}, "benchmarks": []}
    if dead:
        result.update(status="unavailable", reason=f"a rank of {size} did not come within 60 s ({dead[0]})")
        print(result["reason"])
    else:
        share = min([fabric.get("slow_nodes", {}).get(node, 1) for node in nodes] +
                    [part for one, other, part in fabric.get("slow_paths", []) if one in nodes and other in nodes])
        value = FULL * share * (1 + random.Random(" ".join(nodes)).uniform(-0.01, 0.01))
        result["context"]["ranks.nodes"] = " ".join(nodes)
        result["benchmarks"] = [benchmark(flags["benchmark_filter"].strip("^$"), {"algbw": value / 2, "busbw": value})]
    name = flags["gpugauge_samples"]
    with open(name.replace(".json", f".rank{rank}.json") if size > 1 else name, "w", encoding="utf-8") as file:
        json.dump(result, file)
    return 3 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
