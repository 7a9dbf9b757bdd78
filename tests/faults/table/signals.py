"""A command that is stopped, or killed at any time."""

from fault import Fault

RUN = "gpugauge run $HOST --output out.json"
MEASURING = "start " + RUN + "; here && kill -{} $command; finish"
SLEEPS = "here; sleep 100"


def stopped(signal, **more):
    return Fault(
        f"SIG{signal} while measuring",
        MEASURING.format(signal),
        3,
        "good|bad|latency",
        family=SLEEPS,
        output="partial",
        holds=f"grep -q 'SIG{signal} stopped the run' out.json",
        good=False,
        **more,
    )


def early(signal):
    return Fault(
        f"SIG{signal} while families are asked",
        MEASURING.format(signal),
        3,
        f"gpugauge: stopped by SIG{signal} before it was done",
        describe=SLEEPS,
    )


# What kills.py works with, and what stays of a baseline whose maker was killed.
MAKES = (
    r"(work|round-\d+|slow|it|seen|report)\.json|report\.(html|xml)|night(/\d+\.json)?|store\.sqlite(-\w+)?|"
    r"state/(baselines|site|upgrades)(/.*)?"
)
# Kills a command COUNT times, each time a little later; whatever is there afterwards must be readable.
KILLS = """
python "$FAULTS/kills.py" {} {}
"""

# Beside a child that the command did not start, it ends those only that have its mark.
BESIDE = """sh -c '(while kill -0 $$; do sleep 0.02; done) 2>/dev/null & exec "$@"' sh """
# A process out of reach keeps the output open, which is awaited for half a second, and stops the command when the family is gone:
# in that moment, however busy the machine is.
ENDED_BUT_HEARD = """
leave
env -i PATH="$PATH" setsid sh -c 'while [ -e "/proc/$1" ]; do :; done; kill -TERM "$2"; sleep 0.4' sh $$ $PPID &
while [ "$(ps -o sid= -p $!)" = "$(ps -o sid= -p $$)" ]; do :; done
"""

# What a parent hands down is taken back: how children ended is told, and soon.
HANDED_DOWN = """
"$GPUGAUGE_PYTHON" -c 'import os, signal, sys
{}
os.execvp(sys.argv[1], sys.argv[1:])' gpugauge run $HOST --process-limit 60 --output out.json
"""

ROWS = [
    *(
        Fault(
            f"a parent that {name} SIGCHLD",
            HANDED_DOWN.format(call),
            0,
            "good/op",
            output="whole",
            seconds=15,
        )
        for name, call in (
            ("ignores", "signal.signal(signal.SIGCHLD, signal.SIG_IGN)"),
            ("blocks", "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM})"),
        )
    ),
    *(stopped(signal) for signal in ("INT", "TERM", "HUP")),
    *(early(signal) for signal in ("INT", "TERM", "HUP")),
    Fault(
        "SIGTERM when the temporary folder was just made",
        RUN,
        3,
        "good|bad|latency",
        output="partial",
        family=SLEEPS,  # one that is quick may be whole before it can be stopped
        shim="folder=stop",
        holds="grep -q 'SIGTERM stopped the run' out.json",
        good=False,
    ),
    Fault(
        "SIGTERM when the folder for injected faults was just made",
        "gpugauge selftest --inject --device host --profile smoke --only busy_core --quiet",
        3,
        "a signal ended the command before",
        shim="folder=stop",
    ),
    Fault(
        "SIGINT while the driver is asked",
        "start gpugauge run --profile smoke --quiet --output out.json; wait_until pgrep -P $command; kill -INT"
        " $command; finish",
        3,
        "gpugauge: stopped by SIGINT before it was done",
        gpu=True,
        scenario="hang=cuInit",
    ),
    Fault(
        "SIGINT twice",
        "start " + RUN + "; here; kill -INT $command; sleep 0.2; kill -INT $command; finish",
        3,
        "good|bad|latency",
        output="partial",
        family="trap '' TERM INT; here; while :; do sleep 1; done",
        good=False,
    ),
    Fault(
        "SIGTERM when the last family has ended",
        "start " + BESIDE + RUN + "; finish",
        0,
        r"bad/op[\s\S]*gpugauge: stopped by SIGTERM when the measurement was whole",
        family=ENDED_BUT_HEARD,
        output="whole",
        good=False,
    ),
    Fault(
        "SIGTERM when the first of five rounds is whole",
        "start " + BESIDE + "gpugauge baseline create -n 5 $HOST --name two; finish",
        3,
        "SIGTERM asked to stop when round 1 of 5 was whole; no baseline was made; 1 round is kept",
        family=ENDED_BUT_HEARD,
        makes=r"state/(runs|baselines)(/.*)?",
        good=False,
    ),
    Fault(
        "SIGHUP under nohup",
        "start nohup " + RUN + "; here; kill -HUP $command; sleep 0.2; touch libexec/over; finish",
        0,
        "good/op",
        output="whole",
        family='here; while [ ! -e "${0%/*}/over" ]; do sleep 0.05; done; leave',
    ),
    Fault(
        "SIGPIPE",
        MEASURING.format("PIPE").replace("finish", "touch libexec/over; finish"),
        0,
        "good/op",
        output="whole",
        family='here; while [ ! -e "${0%/*}/over" ]; do sleep 0.05; done; leave',
    ),
    Fault(
        "stopped and continued",
        "start " + RUN + "; here; kill -STOP $command; sleep 0.5; kill -CONT $command; touch libexec/over; finish",
        0,
        "good/op",
        output="whole",
        family='here; while [ ! -e "${0%/*}/over" ]; do sleep 0.05; done; leave',
    ),
    Fault(
        "SIGKILL while measuring, and the next one clears up",
        "start "
        + RUN
        + "; here; kill -KILL $command; finish >/dev/null; rm libexec/*bad*; "
        + RUN,
        0,
        "good/op",
        output="whole",
        family='exec setpriv --pdeathsig KILL sh -c ": >libexec/here; exec sleep 100"',
        changes="libexec",
    ),
    Fault(
        "the family is killed from outside",
        "start " + RUN + "; here; pkill -KILL -P $command; finish",
        1,
        r"gpugauge-bench-bad was ended by signal 9 \(SIGKILL\)",
        family=SLEEPS,
        output="whole",
    ),
    Fault(
        "killed at 20 random times",
        KILLS.format("run", 20),
        0,
        "20 kills",
        output="earlier",
        changes="state/",
        makes=MAKES,
        seconds=120,
        family="sleep 0.05; leave",
    ),
    Fault(
        "killed at 200 random times",
        KILLS.format("run", 200),
        0,
        "200 kills",
        output="earlier",
        changes="state/",
        makes=MAKES,
        seconds=900,
        family="sleep 0.05; leave",
        long=True,
    ),
    Fault(
        "baseline create killed at 10 random times",
        KILLS.format("baseline", 10),
        0,
        "10 kills",
        changes="state/",
        makes=MAKES,
        seconds=120,
    ),
    Fault(
        "baseline create killed at 100 random times",
        KILLS.format("baseline", 100),
        0,
        "100 kills",
        changes="state/",
        makes=MAKES,
        seconds=600,
        long=True,
    ),
    *(
        Fault(
            f"{command} killed at {count} random times",
            KILLS.format(word, count),
            0,
            f"{count} kills",
            changes="state/|^earlier.json$" if word == "accept-all" else "state/",
            makes=MAKES,
            seconds=12 * count,
            long=count > 10,
        )
        for command, word in (
            ("check", "check"),
            ("baseline accept", "accept"),
            ("baseline accept of hundreds of metrics", "accept-all"),
            ("baseline import", "import"),
            ("upgrade begin", "upgrade"),
        )
        for count in (10, 100)
    ),
    Fault(
        "upgrade begin with a link among the upgrades",
        "gpugauge upgrade begin --device host --profile smoke --rounds 2 --quiet",
        0,
        "is open",
        before="mkdir -p state/upgrades elsewhere; : >elsewhere/.mine.gpugauge-AAAAAA; ln -s $PWD/elsewhere"
        " state/upgrades/20200101-000000",
        changes="state/.*",
        makes="state/.*",
        holds="[ -e elsewhere/.mine.gpugauge-AAAAAA ]",
    ),
    Fault(
        "upgrade begin killed before its record has its name",
        "begin='gpugauge upgrade begin --device host --profile smoke --rounds 2 --quiet'; strace -f -qq -E"
        " ASAN_OPTIONS=detect_leaks=0 -e trace=rename -e inject=rename:error=EIO:signal=KILL:when=1 -o calls $begin; find"
        " state/upgrades -name '.*.gpugauge-*' | wc -l; $begin >/dev/null && find state/upgrades -name '.*.gpugauge-*'",
        0,
        "^[^\\n]*1[^\\n]*$",
        needs="command -v strace >/dev/null || { echo 'it needs strace'; false; }",
        changes="state/.*",
        makes="(state/.*|calls)",
    ),
    Fault(
        "history ingest killed at 10 random times",
        KILLS.format("history", 10),
        0,
        "10 kills",
        changes="state/",
        makes=MAKES,
        seconds=120,
    ),
    Fault(
        "history ingest killed at 100 random times",
        KILLS.format("history", 100),
        0,
        "100 kills",
        changes="state/",
        makes=MAKES,
        seconds=600,
        long=True,
    ),
]
