#!/usr/bin/env python3
"""A GoogleTest program, one process a suite: an error that sticks, a hang or a crash costs its own suite only.

Usage: suites.py RESULTS --seconds ALL --each ONE [--filter=PATTERN] [--jobs N] [--alone SUITE,...]
                 [--under 'NAME=COMMAND WORD...']... PROGRAM

Runs every suite that `PROGRAM --gtest_list_tests` names, each for ONE seconds at most, and none past ALL seconds. With --under all
suites run once under each command, in that order; NAME is what the results call it. N run at a time (1), the suites of --alone
before them and one after another: what they time, no other may disturb. RESULTS (JSON) is written anew after every suite: a list of

  {"under": NAME or "", "suite": ..., "asked": [test...], "ended": "" or how it ended badly, "begun": true or false,
   "tests": [{"name": ..., "state": "passed", "failed" or "skipped", "reason": ..., "small": true or false}...]}

What the processes said goes to standard output. Ends with 0 when there is a list of tests, 1 when not.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as xml

GRACE_SECONDS = 5  # from the last signal to leaving a process that does not end
SAID = 4000        # characters of a process that ended badly
GROUPS = set()     # of the processes that run now
STARTING = threading.Lock()
SAYING = threading.Lock()


def listed(program, pattern):
    """{suite: [test...]} in the program's order; ValueError with what it said instead."""
    answer = subprocess.run([program, "--gtest_list_tests", f"--gtest_filter={pattern}"], capture_output=True, text=True, timeout=60,
                            check=False)
    suites, current = {}, None
    for line in answer.stdout.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith("  ") and current is not None:
            suites[current].append(word)
        elif word.endswith("."):
            current = word[:-1]
            suites[current] = []
    if answer.returncode or not suites:
        said = (answer.stderr or answer.stdout).strip().splitlines()
        raise ValueError(f"{program} lists no tests: {said[0] if said else f'it ended with {answer.returncode}'}")
    return suites


def test_of(case):
    """One test of GoogleTest's XML, whose skips have reasons; those of its JSON have none before 1.13."""
    failed, skipped = case.findall("failure"), case.findall("skipped")
    state = "failed" if failed else "skipped" if skipped else "passed"
    reason = " ".join((failed or skipped)[0].get("message", "").split()) if failed or skipped else ""
    if skipped and not failed:  # "file:line reason" is where it was skipped, not why
        first, _, rest = reason.partition(" ")
        reason = rest if ":" in first and rest else reason
    small = any(one.get("name") == "small" and one.get("value") == "true" for one in case.iter("property"))
    return {"name": case.get("name"), "state": state, "reason": reason[:200], "small": small or case.get("small") == "true"}


def results_of(path):
    """The tests that GoogleTest wrote; None where it wrote none that can be read."""
    try:
        cases = xml.parse(path).getroot().iter("testcase")
        return [test_of(case) for case in cases if case.get("status") != "notrun"]
    except (OSError, xml.ParseError):
        return None


def end_group(group):
    """SIGKILL to what is left of it."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def leave(number, _):
    """Ends all that runs, and this too; also what is being started in this moment."""
    STARTING.acquire(timeout=1)  # pylint: disable=consider-using-with  # nothing goes on after it
    for group in list(GROUPS):
        end_group(group)
    os._exit(128 + number)


def run(words, limit, log):
    """Its exit status, or None where the limit ended it. In a process group of its own, all of which is ended."""
    with open(log, "wb") as output, STARTING:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        GROUPS.add(process.pid)
    status = None
    try:
        status = process.wait(limit)
    except subprocess.TimeoutExpired:
        pass
    end_group(process.pid)
    GROUPS.discard(process.pid)
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.returncode = -signal.SIGKILL  # stuck in the kernel: the next suite begins without it
    return status


def how_it_ended(status, tests, limit):
    """"" where its tests say all; else how it ended, as a clause."""
    if status is None:
        return f"ran past its {limit:.0f} s"
    if status < 0:
        return f"was ended by signal {-status} ({signal.Signals(-status).name})"
    if tests is None:
        return f"ended with {status} and without results"
    if status and not (status == 1 and any(test["state"] == "failed" for test in tests)):
        return f"ended with {status}"
    return ""


def one_suite(record, words, limit):
    """Runs the suite of a record, says how it went and what it said, and fills the record in."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        file, log = pathlib.Path(folder, "tests.xml"), pathlib.Path(folder, "log")
        names = ":".join(f"{record['suite']}.{name}" for name in record["asked"])
        status = run([*words, f"--gtest_filter={names}", f"--gtest_output=xml:{file}"], limit, log)
        tests, said = results_of(file), log.read_text(encoding="utf-8", errors="replace")
    ended = how_it_ended(status, tests, limit)
    if ended and tests is None:
        last = [line.split("]", 1)[1].strip() for line in said.splitlines() if line.startswith("[ RUN ")]
        ended += f" in {last[-1]}" if last else ""
    record.update(begun=True, ended=ended, tests=tests or [])
    with SAYING:
        print(f"{record['under']} {record['suite']}: {ended or 'ended well'} ({time.monotonic() - start:.1f} s)".lstrip())
        if ended or any(test["state"] == "failed" for test in tests or []):
            print(said[-SAID:].rstrip())
        sys.stdout.flush()


def write(path, records):
    """All at once: what stands there is whole."""
    new = pathlib.Path(f"{path}.new")
    new.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    new.replace(path)


def main(arguments):
    """The command; its exit code."""
    parser = argparse.ArgumentParser(prog="suites.py")
    parser.add_argument("results")
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--each", type=float, required=True)
    parser.add_argument("--filter", default="*")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--alone", type=lambda names: set(names.split(",")), default=set())
    parser.add_argument("--under", action="append", default=[])
    parser.add_argument("program")
    options = parser.parse_args(arguments)
    end = time.monotonic() + options.seconds
    try:
        suites = listed(options.program, options.filter)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        print(error, file=sys.stderr)
        return 1
    under = {name: shlex.split(words) for name, _, words in (one.partition("=") for one in options.under or ["="])}
    records = [{"under": name, "suite": suite, "asked": asked, "ended": "", "begun": False, "tests": []}
               for name in under for suite, asked in suites.items()]
    write(options.results, records)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, leave)

    def begin(record):
        left = end - time.monotonic()
        if left > 0:
            one_suite(record, [*under[record["under"]], options.program], min(options.each, left))
            with SAYING:
                write(options.results, records)

    # Never in this thread, in which signals are heard: what it were starting then, it could not end.
    for jobs, alone in ((1, True), (max(1, options.jobs), False)):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(begin, [one for one in records if (one["suite"] in options.alone) == alone]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
