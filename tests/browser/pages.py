"""The pages of the HTML report that the browser tests open, made by the command from synthetic runs and a real check."""

import json
import os
import pathlib
import subprocess

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

    def _gpugauge(self, name, *arguments):
        page = self.folder / f"{name}.html"
        environment = dict(os.environ, GPUGAUGE_STATE=str(self.folder / "state"))
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

    def check(self):
        return self._gpugauge("check", "check", "--device", "host", "--profile", "smoke", "--quiet")

    def regression(self):
        sides = self._fleet("sides", 6, 5)
        return self._gpugauge("regression", "compare", "--before", sides / "node-00004", "--after", sides / "node-00005")

    def fleet(self, nodes=40):
        return self._gpugauge(f"fleet-{nodes}", "fleet", self._fleet(f"nodes-{nodes}", nodes))

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
