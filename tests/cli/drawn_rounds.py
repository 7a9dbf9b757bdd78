"""Rounds drawn from a recorded run: of each family so many of its processes, with replacement.

    drawn_rounds.py RUN FOLDER FIRST COUNT [BENCHMARK FACTOR]

Writes round-FIRST.json and so on, each of a boot and a day of its own. Nothing is made up but which processes
a round holds, and operations per clock, which are formed from the batches as a family forms them now. With
BENCHMARK every one of its batches takes FACTOR times as long.
"""

import copy
import json
import random
import statistics
import sys
from datetime import datetime, timedelta, timezone

PROCESSES = 5
# As bench/support/per_clock.hpp.
OPERATIONS_PER_BYTE = 1000


def slow_down(benchmark, factor):
    batches = benchmark["batches"]
    batches["seconds_per_operation"] = [seconds * factor for seconds in batches["seconds_per_operation"]]
    for metric in benchmark["metrics"]:
        metric["value"] *= factor if metric["better"] == "lower" else 1 / factor


def add_per_clock(benchmark, sms):
    batches, work = benchmark["batches"], benchmark["work"]
    rates = [
        work["flops"] / seconds / clock / sms
        for seconds, clock in zip(batches["seconds_per_operation"], batches.get("sm_clock_hz") or [])
        if clock > 0
    ]
    rate = next((metric for metric in benchmark["metrics"] if metric["name"] == "throughput"), None)
    if not rates or rate is None or work["flops"] < OPERATIONS_PER_BYTE * work["bytes"]:
        return
    metrics = [metric for metric in benchmark["metrics"] if not metric["name"].endswith("_per_clock_per_sm")]
    own = {"name": "flop_per_clock_per_sm", "unit": "flop/clock", "value": statistics.median(rates)}
    benchmark["metrics"] = [*metrics, {**rate, **own, "judged": True, "resolution": 0}]


def main():
    source, folder, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    slower, factor = (sys.argv[5], float(sys.argv[6])) if len(sys.argv) > 5 else ("", 1)
    with open(source, encoding="utf-8") as file:
        recorded = json.load(file)
    families = {}
    for process in recorded["processes"]:
        if process["status"] == "ok":
            families.setdefault(process["family"], []).append(process)
    for number in range(first, first + count):
        # The numbers of a round do not depend on how many are drawn before it.
        chance = random.Random(number)
        day = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(days=number)
        drawn = {**recorded, "id": f"{number:026}", "boot_id": f"boot-{number}", "started": f"{day:%Y-%m-%dT%H:%M:%SZ}"}
        drawn.update(complete=True, partial_reason="", remarks=[], processes=[], telemetry=[])
        for family, processes in sorted(families.items()):
            for index in range(PROCESSES):
                process = copy.deepcopy(chance.choice(processes))
                process.update(index=index, order=len(drawn["processes"]))
                sms = float(process["samples"]["context"].get("gpu.sm_count", 0))
                for benchmark in process["samples"]["benchmarks"]:
                    if benchmark["id"] == slower:
                        slow_down(benchmark, factor)
                    if sms and benchmark.get("work"):
                        add_per_clock(benchmark, sms)
                drawn["processes"].append(process)
        with open(f"{folder}/round-{number}.json", "w", encoding="utf-8") as file:
            json.dump(drawn, file)


main()
