"""Kills one command again and again, each time a little later, and looks at what it left.

    kills.py run|baseline|history COUNT [SEED]       in a folder of the fault table (node.bash)

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


class Run:
    """Measuring into a file that holds an earlier run."""

    def words(self, number):
        return ["run", "--device", "host", "--profile", "smoke", "--quiet", "--output", "work.json"]

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
        template = json.loads(pathlib.Path("earlier.json").read_text())
        self.files = []
        for number in range(5):
            template["id"] = f"01TEST{number + 50:020d}"
            file = f"round-{number}.json"
            pathlib.Path(file).write_text(json.dumps(template))
            self.files.append(file)

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
    what = {"run": Run, "baseline": Baseline, "history": History}[sys.argv[1]]()
    count = int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(2**32)
    dice = random.Random(seed)
    start = time.monotonic()
    subprocess.run([*COMMAND, *what.words(0)], check=True, **QUIET)
    length = time.monotonic() - start
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
    gpugauge("run", "--device", "host", "--profile", "smoke", "--quiet", "--output", "work.json")
    print(f"{hit} kills in {number} tries, seed {seed}; after {whole} of them something whole was there")


if __name__ == "__main__":
    main()
