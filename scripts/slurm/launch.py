"""Work on nodes through Slurm: steps of this allocation, or one job a node. Nothing here waits for ever."""
import os
import re
import signal
import subprocess
import sys
import time
from collections import namedtuple

# Everything that is asked of Slurm ends within this many seconds.
ASK_SECONDS = 60
# What is told to end has this long to do so before it is killed.
GRACE_SECONDS = 10
# Slurm looks at limits now and then, and gives what is over its own a while to end.
SLURM_SECONDS = 120

# words: the command after srun's or sbatch's own options; log: where its output goes; nodes: tuple of names.
Work = namedtuple("Work", "nodes words log")
# code: exit status, or None with the reason why there is none.
End = namedtuple("End", "code reason")


class SlurmError(Exception):
    """Slurm gave no answer, or an answer that says why not: one sentence."""


def tell(text):
    """A line of progress."""
    print(text, file=sys.stderr, flush=True)


def ask(words, seconds=ASK_SECONDS):
    """Standard output of one of Slurm's commands."""
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds, universal_newlines=True, check=False)
    except FileNotFoundError:
        raise SlurmError(f"{words[0]} was not found: this runs where Slurm's commands are")
    except subprocess.TimeoutExpired:
        raise SlurmError(f"{words[0]} gave no answer within {seconds} s")
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise SlurmError(f"{' '.join(words[:3])} ended with {done.returncode}: {said[-1] if said else 'no word why'}")
    return done.stdout


def in_allocation():
    """Whether this runs inside a job."""
    return "SLURM_JOB_ID" in os.environ


def expand(nodes):
    """Names of Slurm's notation: "node[1-3]" gives node1, node2, node3."""
    return ask(["scontrol", "show", "hostnames", nodes]).split()


def nodes_of(partition=None, nodes=None):
    """({name: why no job can run there, or ""}) of a list in Slurm's notation, a partition, or all that Slurm knows."""
    words = ["sinfo", "--noheader", "--Node", "--format=%N|%T|%E"]
    if partition:
        words.append(f"--partition={partition}")
    if nodes:
        words.append(f"--nodes={nodes}")
    known = {}
    for line in ask(words).splitlines():
        name, state, reason = (line.strip().split("|", 2) + ["", ""])[:3]
        # A node that does not answer just now (idle*) may do so while its job waits.
        out = re.match(r"down|drain|fail|unknown", state)
        known[name] = f"Slurm calls it {state}" + (f": {reason}" if reason not in ("", "none") else "") if out else ""
    if nodes:
        for name in expand(nodes):
            known.setdefault(name, "Slurm knows no node of this name" + (f" in the partition {partition}" if partition else ""))
    return known


def words_of(path):
    """The line of a log that says best why something failed; "" for a file that is not there."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file.read()[-4000:].splitlines() if line.strip()]
    except OSError:
        return ""
    # srun ends with lines that only repeat that something failed.
    telling = [line for line in lines if not re.search(r"Exited with exit code|Job step aborted|Terminated|Killed", line)]
    errors = [line for line in telling if re.search(r"\berror\b", line, re.IGNORECASE)]
    return (errors or telling or lines or [""])[-1]


def last_line(text):
    """The last line that says something."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no word why")


class Running:
    """One srun, its limit, and how it is ended: where told to end, srun kills its tasks at once."""

    def __init__(self, work, options, seconds, slack):
        self.work, self.seconds, self.ended_by_us = work, seconds, False
        self.deadline = time.monotonic() + seconds + slack
        os.makedirs(os.path.dirname(work.log), exist_ok=True)
        with open(work.log, "ab") as log:
            self.process = subprocess.Popen(srun_words(work, options, seconds) + list(work.words), stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, start_new_session=True)

    def end(self):
        """End, or None while it runs. A srun that does not end when told to is killed, its children with it."""
        code = self.process.poll()
        now = time.monotonic()
        if code is None and now > self.deadline:
            self.signal(signal.SIGKILL if self.ended_by_us else signal.SIGTERM)
            self.ended_by_us, self.deadline = True, now + GRACE_SECONDS
        if code is None:
            return None
        if self.ended_by_us:
            return End(None, f"did not end within {self.seconds:.0f} s")
        if code != 0:
            return End(code, words_of(self.work.log) or f"ended with {code} and no word why")
        return End(0, "")

    def signal(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass


def srun_words(work, options, seconds):
    """srun for a step of this allocation on exactly these nodes, with all that they have."""
    return ["srun", f"--nodes={len(work.nodes)}", f"--nodelist={','.join(work.nodes)}", "--cpu-bind=none", "--mem=0",
            "--kill-on-bad-exit=1", f"--immediate={ASK_SECONDS}", f"--time={max(1, -(-int(seconds) // 60))}"] + list(options)


def run_steps(works, seconds, at_once=0, options=("--ntasks-per-node=1",), slack=0):
    """Ends, in order: each a step of this allocation, `at_once` of them at a time (0: all). With `slack` Slurm has so many seconds more to
    end one at its limit itself, which lets the tasks keep what they have."""
    ends, running, waiting = {}, {}, list(range(len(works)))
    try:
        while waiting or running:
            while waiting and (at_once <= 0 or len(running) < at_once):
                index = waiting.pop(0)
                running[index] = Running(works[index], options, seconds, slack)
            for index, one in list(running.items()):
                end = one.end()
                if end is not None:
                    ends[index] = end
                    del running[index]
            time.sleep(0.05)
    except BaseException:
        for one in running.values():
            one.signal(signal.SIGTERM)
        raise
    return [ends[index] for index in range(len(works))]


class Jobs:
    """One job a node: each starts when its node is free, so that nobody waits for all nodes at once."""

    def __init__(self, options, minutes, wait_seconds):
        self.options, self.minutes, self.wait_seconds = list(options), minutes, wait_seconds
        self.jobs = {}  # index -> job id
        self.gone = {}  # index -> when its job was first seen to have ended without a result

    def submit(self, work):
        os.makedirs(os.path.dirname(work.log), exist_ok=True)
        words = ["sbatch", "--parsable", f"--job-name=gpugauge-{work.nodes[0]}", "--nodes=1", f"--nodelist={work.nodes[0]}", "--exclusive",
                 "--mem=0", f"--time={self.minutes}", f"--output={work.log}", "--open-mode=append", "--no-requeue"]
        return ask(words + self.options + list(work.words)).strip().split(";")[0]

    def cancel(self, jobs):
        if jobs:
            try:
                ask(["scancel"] + list(jobs))
            except SlurmError as error:
                tell(f"gauge: {error}")

    def states(self):
        """{job: (state, why it waits)} of those that have not ended."""
        out = {}
        listed = ",".join(self.jobs.values())
        try:
            text = ask(["squeue", "--noheader", "--states=all", f"--jobs={listed}", "--format=%i|%T|%r"])
        except SlurmError as error:
            if "Invalid job id" in str(error):  # all of them ended so long ago that Slurm has forgotten them
                return out
            raise
        over = re.compile("BOOT_FAIL|CANCELLED|COMPLETED|DEADLINE|FAILED|NODE_FAIL|OUT_OF_MEMORY|PREEMPTED|TIMEOUT")
        for line in text.splitlines():
            job, state, reason = (line.strip().split("|", 2) + ["", ""])[:3]
            if not over.match(state):
                out[job] = (state, reason)
        return out

    def why(self, job):
        """How a job ended that left no result."""
        try:
            shown = ask(["scontrol", "--oneliner", "show", "job", job])
        except SlurmError:
            return f"its job {job} left no result"
        state = re.search(r"JobState=(\S+)", shown)
        reason = re.search(r"Reason=(\S+)", shown)
        return f"its job {job} left no result: {state.group(1) if state else 'state unknown'}" + \
            (f", {reason.group(1)}" if reason and reason.group(1) != "None" else "")

    def run(self, works, done, at_once=0):
        """Ends, in order. `done(work)` gives the End that the work itself wrote, or None."""
        ends, waiting, deadlines = {}, list(range(len(works))), {}  # deadlines: (while it waits, once it runs)
        try:
            while len(ends) < len(works):
                while waiting and (at_once <= 0 or len(self.jobs) < at_once):
                    index = waiting.pop(0)
                    try:
                        self.jobs[index] = self.submit(works[index])
                        deadlines[index] = (time.monotonic() + self.wait_seconds, None)
                    except SlurmError as error:
                        ends[index] = End(None, f"could not be submitted: {error}")
                self.look(works, done, ends, deadlines)
                time.sleep(min(5, 0.2 + 0.05 * len(self.jobs)))
        except BaseException:
            self.cancel(self.jobs.values())
            raise
        return [ends[index] for index in range(len(works))]

    def look(self, works, done, ends, deadlines):
        """Takes what has ended since the last look."""
        if not self.jobs:
            return
        try:
            states = self.states()
        except SlurmError as error:  # a controller that restarts: the deadlines go on
            tell(f"gauge: {error}; asking again")
            states = {job: ("unknown", str(error)) for job in self.jobs.values()}
        for index, job in list(self.jobs.items()):
            end = None
            if job not in states:
                end = done(works[index])
                # A shared folder may show a file seconds after it was written elsewhere.
                if end is None and time.monotonic() > self.gone.setdefault(index, time.monotonic()) + GRACE_SECONDS:
                    end = End(None, self.why(job))
            else:
                end = self.overdue(index, states[job], deadlines)
            if end is not None:
                ends[index] = end
                del self.jobs[index]

    def overdue(self, index, seen, deadlines):
        """Ends a job that waits for longer than asked for, or that Slurm itself does not bring to its end. End, or None."""
        state, reason = seen
        until, ending = deadlines[index]
        if state != "PENDING" and ending is None:
            ending = time.monotonic() + 60 * self.minutes + SLURM_SECONDS
            deadlines[index] = (until, ending)
        if time.monotonic() <= (until if state == "PENDING" else ending):
            return None
        self.cancel([self.jobs[index]])
        return End(None, f"its job {self.jobs[index]} was {state.lower()} for too long ({reason})")
