#!/usr/bin/env python3
"""Stands for gpugauge-bench-nccl under srun, real or fake: rank 0 writes what a made fabric gives for the nodes of its step.

$FAKE_FABRIC: {"slow_nodes": {node: share}, "slow_paths": [[node, node, share]], "dead": [node], "hangs": [node]}, all optional.
"""
import json
import os
import random
import subprocess
import sys
import time

FULL = 400e9


def main():
    """What the family does as far as scripts/slurm/bisect sees it: a sample file of rank 0, an exit code."""
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
    result = {"status": "ok", "reason": "", "benchmarks": []}
    if dead:
        result.update(status="unavailable", reason=f"a rank of {size} did not come within 60 s ({dead[0]})")
        print(result["reason"])
    else:
        share = min([fabric.get("slow_nodes", {}).get(node, 1) for node in nodes] +
                    [part for one, other, part in fabric.get("slow_paths", []) if one in nodes and other in nodes])
        value = FULL * share * (1 + random.Random(" ".join(nodes)).uniform(-0.01, 0.01))
        result["benchmarks"] = [{"id": flags["benchmark_filter"].strip("^$"), "status": "ok", "reason": "", "metrics": [
            {"name": "algbw", "better": "higher", "value": value / 2}, {"name": "busbw", "better": "higher", "value": value}]}]
    if rank == 0:
        name = flags["gpugauge_samples"]
        with open(name.replace(".json", ".rank0.json") if size > 1 else name, "w", encoding="utf-8") as file:
            json.dump(result, file)
    return 3 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
