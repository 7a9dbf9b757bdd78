"""The pages of the HTML report that the browser tests open, made by the command from synthetic runs and a real check."""

import functools
import json
import math
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))
from node import FAMILY, definitions, samples  # a family that is a script  # noqa: E402

HOSTILE = [
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 2'>",
    "\"'`&lt;b&gt; \\u003c ${window.hacked = 3}",
    "\u202egnp.exe\u2066 \u200f\u061c abc",
    "long " + "x" * 10000,
]


class Pages:
    def __init__(self, build, folder):
        self.bin = pathlib.Path(build) / "bin"
        self.folder = pathlib.Path(folder)

    def _gpugauge(self, name, *arguments, **more):
        page = self.folder / f"{name}.html"
        environment = dict(os.environ, GPUGAUGE_STATE=str(self.folder / "state"), **more)
        subprocess.run([self.bin / "gpugauge", *map(str, arguments), "--report", f"html={page}"],
                       env=environment, stdout=subprocess.DEVNULL, check=False, timeout=300)
        if not page.is_file():
            raise AssertionError(f"gpugauge wrote no {page}")
        return page

    def _fleet(self, name, nodes, rounds=1):
        runs = self.folder / name
        if not runs.is_dir():
            subprocess.run([self.bin / "make_fleet", runs, str(nodes), str(rounds)], stdout=subprocess.DEVNULL, check=True)
        return runs

    def _sides(self, name, nodes, rounds):
        """Runs of a fleet as if all were of one card: two cards as two sides may differ, and less is found."""
        def one_card(run):
            run["device"] = run["fingerprint"]["device"]["gpu.0.uuid"] = "GPU-00000000-0000-4000-8000-000000000000"

        sides = self._fleet(name, nodes, rounds)
        for runs in sides.iterdir():
            self._edit(runs, one_card)
        return sides

    def check(self):
        return self._gpugauge("check", "check", "--device", "host", "--profile", "smoke", "--quiet", "--wait", "120")

    def regression(self):
        sides = self._sides("sides", 6, 5)
        return self._gpugauge("regression", "compare", "--before", sides / "node-00004", "--after", sides / "node-00005")

    def _edit(self, runs, change):
        for file in runs.glob("round-*.json"):
            run = json.loads(file.read_text())
            change(run)
            file.write_text(json.dumps(run))

    def with_cause(self, version="", reason=""):
        """A variable makes every launch 3.8 times as slow on one side: a comparison whose cause has a name. `version`: another
        driver's there; `reason`: why the last process of each round gave no figures."""
        def slow_launches(run):
            run["fingerprint"]["settings"]["env.CUDA_LAUNCH_BLOCKING"] = "1"
            if version:
                run["fingerprint"]["stack"]["driver.version"] = version
            for process in run["processes"]:
                for benchmark in process["samples"]["benchmarks"]:
                    for metric in benchmark["metrics"]:
                        if metric["class"] == "launch":
                            metric["value"] *= 3.8 if metric["better"] == "lower" else 1 / 3.8
            if reason:
                run["processes"][-1].update(status="failed", exit_code=7, reason=reason, output=reason)
                del run["processes"][-1]["samples"]

        name = "hostile-cause" if version or reason else "cause"
        sides = self._sides(f"{name}-sides", 2, 5)
        self._edit(sides / "node-00001", slow_launches)
        return self._gpugauge(name, "compare", "--before", sides / "node-00000", "--after", sides / "node-00001", "--treatment", "driver")

    @functools.cached_property
    def over_time(self):
        """Two rounds of a GPU that becomes warm and slower: its telemetry, the power limit's reason, and a benchmark that
        noted its rate by seconds."""
        times = [.5 * at for at in range(140)]

        def warmer(run):
            run["fingerprint"]["settings"]["gpu.0.power_limit_watt"] = "700"
            source = "gpu:" + run["device"]
            warm = [1 - math.exp(-time / 20) for time in times]
            run["telemetry"] = [{"source": source, "name": quantity, "unit": unit, "seconds": times, "values": values} for quantity, unit, values in (
                ("sm_clock_hz", "hertz", [1.9e9 - 3e8 * share for share in warm]),
                ("power_watts", "watt", [min(699, 300 + 450 * share) for share in warm]),
                ("temperature_celsius", "celsius", [round(45 + 35 * share) for share in warm]),
                ("utilization", "1", [1.] * len(times)),
                ("throttle_reasons", "1", [4 if share > .8 else 0 for share in warm]))]
            for number, process in enumerate(run["processes"]):
                process.update(start_seconds=62 + 2 * number, wall_seconds=2)
                process["family"] = process["samples"]["family"] = "other" if number % 2 else "synthetic"
                for benchmark in process["samples"]["benchmarks"]:
                    benchmark["id"] = benchmark["id"].replace("synthetic", process["family"])
            run["processes"][0].update(start_seconds=0, wall_seconds=62)
            run["wall_seconds"] = 72
            benchmark = run["processes"][0]["samples"]["benchmarks"][0]
            work = benchmark["work"]["flops"] = 1e12
            rates = [6.5e14 * (1 - .06 * (1 - math.exp(-second / 15))) for second in range(60)]
            benchmark["batches"].update(operations_per_batch=10, sm_clock_hz=[], cpu_seconds_per_operation=[], window_seconds=60,
                                        seconds_per_operation=[work / rate * (1 + .01 * (part - 1)) for rate in rates for part in range(3)])
            benchmark["notes"].update(rate_per_second=" ".join(f"{rate:.4g}" for rate in rates), modes="one",
                                      sm_clock_mhz_per_second=" ".join(f"{1900 - 5 * second}" for second in range(60)))
            benchmark["metrics"] += [dict(benchmark["metrics"][0], name=metric, unit=unit, statistic="mean", value=value) for metric, unit, value in (
                ("mean", "flop/second", sum(rates) / 60), ("last_over_first", "1", rates[-1] / rates[0]))]

        runs = self._fleet("over-time-runs", 1, 2) / "node-00000"
        self._edit(runs, warmer)
        return self._gpugauge("over-time", "compare", *sorted(runs.glob("round-*.json")))

    def diagnosis(self, source="a report from the field", tail=""):
        """A lost GPU by the kernel's log; `tail`: what the log says of the process, as it could be named."""
        seen = self.folder / "seen.json"
        seen.write_text(json.dumps({
            "schema": "gpugauge.observation/1", "about": {"source": source, "compared_with": "earlier"},
            "metrics": [{"class": "hbm", "factor": None}],
            "log": [f"NVRM: Xid (PCI:0000:01:00): 79, pid=1234, name={tail or 'python3'}, GPU has fallen off the bus."]}))
        return self._gpugauge("diagnosis", "diagnose", seen)

    def fleet(self, nodes=40):
        return self._gpugauge(f"fleet-{nodes}", "fleet", self._fleet(f"nodes-{nodes}", nodes))

    def together(self, names=None):
        """Every pair of 24 nodes: the eighth is slow with everybody, and one path between others each time."""
        names = names or [f"node{number:02}" for number in range(1, 25)]
        measured = []
        for at, one in enumerate(names):
            for beside, other in enumerate(names[at + 1:], at + 1):
                share = .6 if 7 in (at, beside) else .45 if (at, beside) == (2, 14) else 1 - ((at * 7 + beside * 3) % 5) / 100
                measured += [{"nodes": [one, other], "value": 4e11 * share}] * (2 if (at, beside) == (2, 14) else 1)
        file = self.folder / f"pairs-{len(names)}.fabric"
        file.write_text(json.dumps({"schema": "gpugauge.fabric/1", "benchmark": "nccl/all_reduce/256MiB", "metric": "busbw",
                                    "unit": "byte/second", "better": "higher", "class": "coll_large", "measurements": measured}))
        return self._gpugauge(f"together-{len(names)}", "fleet", file)

    def has_history(self):
        done = subprocess.run([self.bin / "gpugauge", "history", "--help"], capture_output=True, text=True, check=False)
        return "Not in this build" not in done.stdout + done.stderr

    def _gpugauge_plain(self, *arguments, **more):
        environment = dict(os.environ, GPUGAUGE_STATE=str(self.folder / "state"), **more)
        subprocess.run([self.bin / "gpugauge", *map(str, arguments)], env=environment, stdout=subprocess.DEVNULL, check=False, timeout=300)

    def history(self, version="590.10.01"):
        """26 nights of two nodes; on the second the driver and one class of metrics change after the 14th, and another library
        after the 20th, which slows nothing."""
        runs = self._fleet("nights", 2, 26)
        for file in (runs / "node-00001").glob("round-*.json"):
            night = int(file.stem.split("-")[1])
            run = json.loads(file.read_text())
            if night > 14:
                run["fingerprint"]["stack"]["driver.version"] = version
                for process in run["processes"]:
                    for benchmark in process["samples"]["benchmarks"]:
                        for metric in benchmark["metrics"]:
                            if metric["class"] == "hbm":
                                metric["value"] *= .92 if metric["better"] == "higher" else 1 / .92
            if night > 20:
                run["fingerprint"]["stack"]["cublas.version"] = "13.1.0.3"
            file.write_text(json.dumps(run))
        store = self.folder / "nights.sqlite"
        self._gpugauge_plain("history", "ingest", runs, "--store", store, "--quiet")
        return self._gpugauge("history", "history", "trend", "synthetic/op/00?:bandwidth", "--store", store)

    def _family(self, folder, body):
        libexec = self.folder / folder
        libexec.mkdir()
        (libexec / "made.definitions").write_text(json.dumps(definitions("made", False)))
        (libexec / "made.samples").write_text(json.dumps(samples("made", False)))
        family = libexec / "gpugauge-bench-made"
        family.write_text(FAMILY.format(name="made", describe="describe", body=body))
        family.chmod(0o755)
        return libexec

    def check_with_nights(self):
        """A check of the host whose metrics were measured before, by a family whose values no noise changes."""
        libexec = self._family("libexec", "leave")
        host = ("--device", "host", "--profile", "smoke", "--quiet", "--wait", "120")
        store = self.folder / "host.sqlite"
        for night in range(2):
            run = self.folder / f"host-{night}.json"
            self._gpugauge_plain("run", *host, "--output", run, GPUGAUGE_LIBEXEC=str(libexec))
            self._gpugauge_plain("history", "ingest", run, "--store", store, "--quiet")
        return self._gpugauge("nightly", "check", *host, "--store", store, GPUGAUGE_LIBEXEC=str(libexec))

    def hostile_fleet(self):
        """Names that would be markup, in every place that a run's author chooses."""
        runs = self._fleet("hostile", 12)
        for number, name in enumerate(HOSTILE):
            file = runs / f"node-{number:05}" / "round-1.json"
            run = json.loads(file.read_text())
            for process in run["processes"]:
                process["samples"]["benchmarks"][0]["id"] = f"synthetic/op/{name}"
            file.write_text(json.dumps(run))
            # A slash cannot stand in the name of a folder.
            file.parent.rename(runs / name.replace("/", "\u2215")[:200])
        return self._gpugauge("hostile-fleet", "fleet", runs)

    def hostile_comparison(self):
        sides = self._fleet("hostile-sides", 2)
        for node in ("node-00000", "node-00001"):
            file = sides / node / "round-1.json"
            run = json.loads(file.read_text())
            run["remarks"] = HOSTILE
            run["profile"] = HOSTILE[0]
            run["fingerprint"]["suite"]["suite.profile"] = HOSTILE[0]
            for process in run["processes"]:
                for number, name in enumerate(HOSTILE):
                    process["samples"]["benchmarks"][number]["id"] = f"synthetic/op/{name}"
            file.write_text(json.dumps(run))
        return self._gpugauge("hostile-comparison", "compare", "--before", sides / "node-00000", "--after", sides / "node-00001")

    def hostile_check(self):
        """A family that dies with markup on its standard error, and a CUDA toolkit in a folder whose name is markup."""
        words = self.folder / "words"
        words.write_text("\n".join(sorted(HOSTILE, key=lambda name: "<img" in name)))  # the last line is quoted
        libexec = self._family("hostile-libexec", f"cat '{words}' >&2; exit 7")
        toolkit = self.folder / HOSTILE[1]
        (toolkit / "lib64").mkdir(parents=True)
        (toolkit / "version.json").write_text(json.dumps({"cuda": {"version": "13.0"}}))
        return self._gpugauge("hostile-check", "check", "--device", "host", "--profile", "smoke", "--quiet", "--wait", "120",
                              GPUGAUGE_LIBEXEC=str(libexec), CUDA_HOME=str(toolkit))

    @functools.cached_property
    def hostile_findings(self):
        """Evidence, the reason of a fault and a driver's version that would be markup; a diagnosis, a comparison and a check."""
        everything = " ".join(sorted(HOSTILE, key=lambda name: "<img" not in name))  # evidence is cut after some hundred characters
        return [self.diagnosis(everything, everything), self.with_cause(HOSTILE[0] + HOSTILE[3], everything), self.hostile_check()]
