"""Kills one command again and again, each time a little later, and looks at what it left.

    kills.py run|check|baseline|accept|accept-all|import|upgrade|history COUNT [SEED]       in a folder of the fault table (node.bash)

After every kill: what was there before is readable, nothing half-written has a name that anybody would read, and the
next command works. COUNT counts the kills that hit a command that ran. Ends with 1 at the first that
does not hold.
"""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

COMMAND = [f"{os.environ['BUILD']}/bin/gpugauge"]
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def gpugauge(*words):
    done = subprocess.run([*COMMAND, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def fail(sentence):
    print(f"kills: {sentence}")
    sys.exit(1)


def rounds():
    """Run files that make a baseline."""
    template = json.loads(pathlib.Path("earlier.json").read_text())
    files = []
    for number in range(5):
        template["id"] = f"01TEST{number + 50:020d}"
        template["started"] = f"2026-01-{number + 1:02d}T00:00:00.000Z"
        files.append(f"round-{number}.json")
        pathlib.Path(files[-1]).write_text(json.dumps(template))
    return files


def pin(name):
    code, said = gpugauge("baseline", "create", "--name", name, *rounds())
    if code != 0:
        fail(f"the baseline cannot be made: {said}")


def require_baselines(number, *shown):
    """They can be listed, and these read."""
    for words in (["list"], *(["show", one] for one in shown)):
        code, said = gpugauge("baseline", *words)
        if code != 0 or "unreadable" in said:
            fail(f"after kill {number} `baseline {' '.join(words)}` does not work: {said}")


class Run:
    """Measuring into a file that holds an earlier run."""

    def words(self, number):
        return ["run", "--device", "host", "--profile", "smoke", "--quiet", "--force", "--output", "work.json"]

    def __init__(self):
        pathlib.Path("work.json").write_bytes(pathlib.Path("earlier.json").read_bytes())

    def look(self, number):
        code, said = gpugauge("compare", "work.json")
        if code == 2:
            fail(f"after kill {number} work.json cannot be read: {said}")
        return json.loads(pathlib.Path("work.json").read_text())["complete"]


class Baseline:
    """Pinning five runs: a folder without a manifest is no baseline, one with a manifest is whole."""

    def __init__(self):
        self.files = rounds()

    def words(self, number):
        return ["baseline", "create", "--name", f"pinned-{number}", *self.files]

    def look(self, number):
        folder = pathlib.Path(os.environ["GPUGAUGE_STATE"], "baselines", f"pinned-{number}")
        code, said = gpugauge("baseline", "list")
        if code != 0 or "unreadable" in said:
            fail(f"after kill {number} the baselines cannot be listed: {said}")
        made = (folder / "baseline.json").is_file()
        code, said = gpugauge("baseline", "show", str(folder))
        if made and code != 0:
            fail(f"after kill {number} the baseline cannot be read: {said}")
        if not made:
            code, said = gpugauge(*self.words(number))
            if code != 0:
                fail(f"after kill {number} the baseline cannot be made any more: {said}")
        return made


class Check:
    """Verdict, reports, observation and stored run of a check, each whole: the earlier one or the new one."""

    def __init__(self):
        self.state = pathlib.Path(os.environ["GPUGAUGE_STATE"])
        self.runs = set()

    def words(self, number):
        reports = [word for one in ("json=report.json", "html=report.html", "junit=report.xml") for word in ("--report", one)]
        return ["check", "--device", "host", "--profile", "smoke", "--quiet", *reports, "--observation", "seen.json"]

    def look(self, number):
        code, said = gpugauge("status", "--device", "host", "--json")
        if code == 2 or json.loads(said)["devices"][0]["word"] != "cannot judge":
            fail(f"after kill {number} the verdict cannot be read: {said}")
        json.loads(pathlib.Path("report.json").read_text())
        for file, end in (("report.html", "</html>"), ("report.xml", "</testsuites>")):
            if not pathlib.Path(file).read_text().rstrip().endswith(end):
                fail(f"after kill {number} {file} does not end with {end}")
        code, said = gpugauge("diagnose", "seen.json")
        if code == 2:
            fail(f"after kill {number} the observation cannot be read: {said}")
        new = {str(file) for file in (self.state / "runs").glob("*.json")} - self.runs
        for file in new:
            code, said = gpugauge("compare", file)
            if code == 2:
                fail(f"after kill {number} a stored run cannot be read: {said}")
        self.runs |= new
        return new


class Accept:
    """A decision stands in the log of a baseline or does not; all earlier ones stay."""

    def __init__(self):
        pin("mine")
        self.log = pathlib.Path(os.environ["GPUGAUGE_STATE"], "baselines/mine/log.jsonl")
        self.decisions = self.log.read_text()
        slow = pathlib.Path("earlier.json").read_text().replace("0.001", "0.002")
        pathlib.Path("slow.json").write_text(slow)

    def words(self, number):
        return ["baseline", "accept", "mine", "--metric", "good/op:latency", "--run", "slow.json", "--reason", f"kill {number}"]

    def look(self, number):
        require_baselines(number, "mine")
        before, self.decisions = self.decisions, self.log.read_text()
        if not self.decisions.startswith(before):
            fail(f"after kill {number} an earlier decision is gone")
        return self.decisions != before


class AcceptAll(Accept):
    """Hundreds of decisions in one write: what is cut off is none, and the next one finds a log that goes on."""

    def __init__(self):
        template = json.loads(pathlib.Path("earlier.json").read_text())
        for process in template["processes"]:
            one = process["samples"]["benchmarks"].pop()
            for number in range(100):
                process["samples"]["benchmarks"].append({**one, "id": f"{one['id']}/{number}"})
        pathlib.Path("earlier.json").write_text(json.dumps(template))
        super().__init__()

    def words(self, number):
        return ["baseline", "accept", "mine", "--metric", "*", "--run", "slow.json", "--reason", f"kill {number} " + 200 * "x"]

    def look(self, number):
        require_baselines(number, "mine")
        before = self.decisions[: self.decisions.rfind("\n") + 1]
        self.decisions = self.log.read_text()
        if not self.decisions.startswith(before):
            fail(f"after kill {number} an earlier decision is gone")
        return self.decisions != before


class Import:
    """A baseline is imported whole or not at all, and can be imported then."""

    def __init__(self):
        pin("mine")
        gpugauge("baseline", "export", "mine", "it.json")

    def words(self, number):
        return ["baseline", "import", "it.json", "--name", f"imported-{number}"]

    def look(self, number):
        made = pathlib.Path(os.environ["GPUGAUGE_STATE"], "site", f"imported-{number}").is_dir()
        if not made:
            code, said = gpugauge(*self.words(number))
            if code != 0:
                fail(f"after kill {number} the baseline cannot be imported any more: {said}")
        require_baselines(number, f"imported-{number}")
        return made


class Upgrade:
    """An upgrade was begun or was not; what was begun is gone on with."""

    def words(self, number):
        return ["upgrade", "begin", "--device", "host", "--profile", "smoke", "--rounds", "2", "--quiet"]

    def look(self, number):
        code, said = gpugauge("upgrade", "status", "--json")
        if code == 2:
            fail(f"after kill {number} the upgrades cannot be read: {said}")
        begun = code == 0
        if begun and json.loads(said)["state"] == "measuring":
            code, said = gpugauge("upgrade", "begin", "--resume", "--quiet")
            if code != 0:
                fail(f"after kill {number} `upgrade begin --resume` does not go on: {said}")
        if begun:
            gpugauge("upgrade", "close", "--reason", f"kill {number}")
        return begun


class History:
    """Storing forty runs in one go: a run is in the store whole or not at all, and the store can be used."""

    def __init__(self):
        template = json.loads(pathlib.Path("earlier.json").read_text())
        os.mkdir("night")
        for number in range(40):
            template["id"] = f"01TEST{number + 100:020d}"
            template["started"] = f"2026-01-{number % 28 + 1:02d}T00:00:00.000Z"
            pathlib.Path("night", f"{number}.json").write_text(json.dumps(template))

    def words(self, number):
        if number % 3:
            for file in pathlib.Path(".").glob("store.sqlite*"):
                file.unlink()
        return ["history", "ingest", "--store", "store.sqlite", "night", "--quiet"]

    def look(self, number):
        if not pathlib.Path("store.sqlite").exists():
            return False
        answer = subprocess.run(
            [
                os.environ["GPUGAUGE_PYTHON"],
                "-c",
                (
                    "import sqlite3; "
                    "print(sqlite3.connect('store.sqlite').execute('PRAGMA integrity_check').fetchone()[0])"
                ),
            ],
            capture_output=True,
            text=True,
        ).stdout.strip()
        if answer != "ok":
            fail(f"after kill {number} the store is damaged: {answer}")
        code, said = gpugauge("history", "ingest", "--store", "store.sqlite", "night", "--quiet")
        if code != 0:
            fail(f"after kill {number} the store takes nothing any more: {said}")
        return True


def main():
    what = {
        "run": Run,
        "check": Check,
        "baseline": Baseline,
        "accept": Accept,
        "accept-all": AcceptAll,
        "import": Import,
        "upgrade": Upgrade,
        "history": History,
    }[sys.argv[1]]()
    count = int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(2**32)
    dice = random.Random(seed)
    start = time.monotonic()
    code, said = gpugauge(*what.words(0))
    if code not in (0, 3):  # 3: there is nothing to judge by
        fail(f"without a kill it ends with {code}: {said}")
    length = time.monotonic() - start
    what.look(0)
    hit = whole = number = 0
    while hit < count:
        number += 1
        if number > 10 * count:
            fail(f"only {hit} of {number} kills hit the command while it ran")
        child = subprocess.Popen([*COMMAND, *what.words(number)], **QUIET)
        time.sleep(dice.uniform(0, length))
        child.send_signal(signal.SIGKILL)
        missed = child.wait() != -signal.SIGKILL
        length *= 0.9 if missed else 1.05  # the machine's load changes
        hit += not missed
        whole += bool(what.look(number))
    # What a killed command left in TMPDIR and beside its output is cleared up by the next.
    gpugauge(*what.words(number + 1))
    gpugauge("run", "--device", "host", "--profile", "smoke", "--quiet", "--output", "work.json")
    print(f"{hit} kills in {number} tries, seed {seed}; after {whole} of them something whole was there")


if __name__ == "__main__":
    main()
