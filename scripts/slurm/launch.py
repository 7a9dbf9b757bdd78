"""Work on nodes through Slurm: steps of this allocation, or one job a node; and how gauge and bisect begin, speak and end. Nothing
here waits for ever."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))
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


# Words of a node's state with which it takes no job. Those of scripts/slurm/drain, and unknown, which may be drained. Powered down is
# none of them: Slurm powers such a node up for a job.
OUT = {"down", "drain", "drained", "draining", "fail", "failing", "unknown"}

UNKNOWN = "unknown"  # the state of a job that Slurm is not there to be asked for

LOST = []  # why standard output took no more of the result


class SlurmError(Exception):
    """Slurm gave no answer, or an answer that says why not, or a file is in the way: one sentence."""


class Standing:
    """What is true of a command that ends before it is through. code: its exit code where it is interrupted; said: what was judged by
    then, "" while that is nothing."""

    def __init__(self):
        self.code, self.said = 3, ""


def run_main(name, body, interrupted):
    """Exit code of body(Standing), said as `interrupted` where it is and nothing was judged. Whatever goes wrong is 2 and one sentence:
    1 is for what was found."""
    def stop(number, _frame):
        raise KeyboardInterrupt(number)

    standing = Standing()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup has it
            signal.signal(number, stop)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = body(standing)
    except KeyboardInterrupt:
        tell(f"{name}: interrupted; {standing.said or interrupted}")
        return standing.code
    except SlurmError as error:
        why = str(error)
    except Exception as error:  # pylint: disable=broad-except  # Python's own end of it is 1
        at = traceback.extract_tb(error.__traceback__)[-1]
        why = f"this was not foreseen, please report it: {type(error).__name__}: {error} ({os.path.basename(at.filename)}, line {at.lineno})"
    else:
        if not LOST or code == 1:
            return code
        why = f"standard output could not be written: {LOST[0]}; without that the exit code would have been {code}"
    tell(f"{name}: {why}" + (f"; {standing.said}" if standing.said else ""))
    return 2


def tell(text):
    """A line of progress. One that nobody can read stops nothing."""
    _write(sys.stderr, text, "\n")


def say(text, end="\n"):
    """A line of the result. Where standard output does not take it, the work goes on, and run_main says so at the end."""
    LOST.extend(_write(sys.stdout, text, end))


def _write(stream, text, end):
    """[why it failed], or nothing."""
    if stream is None:
        return []
    try:
        print(text, file=stream, end=end, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # else Python fails again at its end, and takes an exit code of its own
        return [error.strerror]
    return []


def write_whole(path, write):
    """The file at `path` by write(FILE): whole, or as it was before."""
    try:
        with open(path + ".part", "w", encoding="utf-8") as file:
            write(file)
        os.replace(path + ".part", path)
    except OSError as error:
        raise SlurmError(f"{path} could not be written: {error.strerror}; make room there, or give --output another folder")


def make_folder(path):
    """A folder that may be there."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise SlurmError(f"{path} could not be made: {error.strerror}; give --output a folder that can be written and that all nodes share")


def find_command(given):
    """gpugauge: as given, on PATH, or installed beside this script."""
    command = os.path.abspath(given or shutil.which("gpugauge") or os.path.join(HERE, "..", "..", "..", "bin", "gpugauge"))
    if not os.access(command, os.X_OK):
        named = f"{command} is no command" if given else "gpugauge is neither on PATH nor installed beside this script"
        raise SlurmError(f"{named}: put gpugauge on PATH or name it with --gpugauge")
    return command


def drain(node, reason):
    """Whether scripts/slurm/drain has the node as asked."""
    try:
        return subprocess.run([os.path.join(HERE, "drain"), node, reason], check=False).returncode == 0
    except (OSError, ValueError) as error:
        tell(f"{node} could not be drained: {error}")
        return False


def ask(words, seconds=ASK_SECONDS):
    """Standard output of one of Slurm's commands."""
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds, universal_newlines=True, errors="replace",
                              check=False)
    except FileNotFoundError:
        raise SlurmError(f"{words[0]} was not found: this runs where Slurm's commands are")
    except OSError as error:
        raise SlurmError(f"{words[0]} could not be started: {error.strerror}")
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
        known[name] = f"Slurm calls it {state}" + (f": {reason}" if reason not in ("", "none") else "") if is_out(state) else ""
    if nodes:
        for name in expand(nodes):
            known.setdefault(name, "Slurm knows no node of this name" + (f" in the partition {partition}" if partition else ""))
    return known


def is_out(state):
    """Whether a state, with its words and flags as in "idle+drain" or "down*", is one with which a node takes no job. A node that does not
    answer just now (idle*) may do so while its job waits."""
    return any(word.rstrip("*~#!%$@^-") in OUT for word in state.lower().split("+"))


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
        make_folder(os.path.dirname(work.log))
        with open(work.log, "ab") as log:
            try:
                self.process = subprocess.Popen(srun_words(work, options, seconds) + list(work.words), stdin=subprocess.DEVNULL, stdout=log,
                                                stderr=subprocess.STDOUT, start_new_session=True)
            except OSError as error:
                raise SlurmError(f"srun could not be started: {error.strerror}; this runs where Slurm's commands are")

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
                    make_folder(os.path.dirname(works[index].log))
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
            states = {job: (UNKNOWN, str(error)) for job in self.jobs.values()}
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
        runs = 60 * self.minutes + SLURM_SECONDS
        if state == UNKNOWN:  # it may wait, and begin at the last moment
            ending = ending or until + runs
        elif state != "PENDING" and ending is None:
            ending = time.monotonic() + runs
            deadlines[index] = (until, ending)
        if time.monotonic() <= (until if state == "PENDING" else ending):
            return None
        self.cancel([self.jobs[index]])
        return End(None, f"its job {self.jobs[index]} was {state.lower()} for too long ({reason})")
