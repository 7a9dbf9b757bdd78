"""Two commands at once, on one device, one output or one store."""

from fault import Fault

# The first says with `here` that it measures, and goes on when `over` is there.
WAITS = 'here; while [ ! -e "${0%/*}/over" ]; do sleep 0.05; done; leave'
FIRST = "start gpugauge run $HOST --output first.json; here; "
OVER = "; code=$?; touch libexec/over; finish >/dev/null || echo FIRST FAILED; exit $code"
HELD = (
    r"host is being measured by process \d+ \(.*gpugauge run --device host .*, user \d+, started 20..-..-..T..:..:..Z\);"
    r"( waited 0.5 s;)? nothing was measured; --wait SECONDS waits for it"
)

# Commands that do not see each other's devices, as in two containers, write to one place.
ELSEWHERE = "GPUGAUGE_DEVICE_LOCK=$GPUGAUGE_DEVICE_LOCK-2 gpugauge "
LOCK = (
    r" is the output of process \d+ \(gpugauge {}, user \d+\) on \S+ since 20..-..-..T..:..:..Z; nothing was measured; give"
    " another name, or wait for its end"
)
# Without locks both measure, and the one that ends later finds what the other wrote.
UNLOCKED = (
    "{}start gpugauge run $HOST --force --output out.json; here; rm libexec/here; (" + ELSEWHERE
    + "run $HOST --force --output out.json >second 2>&1; echo $? >>codes) & here; touch libexec/over; finish; echo $? >>codes; wait; cat second; sort codes"
)


def second(name, command, code, says, **more):
    return Fault(
        name,
        FIRST + command + OVER,
        code,
        says,
        family=WAITS,
        lacks="FIRST FAILED",
        holds="gpugauge compare first.json; [ $? != 2 ]",
        **more
    )


ROWS = [
    second("run on one device", "gpugauge run $HOST --output out.json", 3, "gpugauge: " + HELD),
    second("check on one device", "gpugauge check $HOST", 3, "cannot judge: " + HELD),
    second("baseline create on one device", "gpugauge baseline create $HOST", 3, "gpugauge: " + HELD),
    second("a wait that is too short", "gpugauge run $HOST --output out.json --wait 0.5", 3, "gpugauge: " + HELD),
    second(
        "one waits for the other",
        "(sleep 0.3; touch libexec/over) & gpugauge run $HOST --output out.json --wait 20",
        0,
        "good/op",
        output="whole",
    ),
    second(
        "the one that waits is stopped",
        "gpugauge run --device host --profile smoke --output out.json --wait 100 >said 2>&1 & second=$!; wait_until grep"
        " -q '^waiting: host' said; kill -TERM $second; wait $second; ended=$?; cat said; (exit $ended)",
        3,
        "stopped by SIGTERM before it was done",
    ),
    second("what does not measure", "gpugauge compare earlier.json; gpugauge list >/dev/null", 0, "good/op"),
    Fault(
        "the first one was killed",
        "start gpugauge run $HOST --output out.json; here; kill -KILL $command; wait $command; ls -A | grep -x"
        " .out.json.lock; touch libexec/over; gpugauge run $HOST --output out.json",
        0,
        r"\.out\.json\.lock .*good/op",
        family=WAITS,
        output="whole",
    ),
    Fault(
        "run into one output",
        "start gpugauge run $HOST --output out.json; here; " + ELSEWHERE + "run $HOST --output out.json" + OVER,
        2,
        "gpugauge: out.json" + LOCK.format("run"),
        family=WAITS,
        output="whole",
        lacks="FIRST FAILED",
    ),
    Fault(
        "check into one report",
        "start gpugauge check $HOST --report json=report.json; here; "
        + ELSEWHERE
        + "check $HOST --report json=report.json; code=$?; touch libexec/over; finish >/dev/null; echo first $?; exit $code",
        2,
        "gpugauge: report.json" + LOCK.format("check") + " first 3 *$",
        family=WAITS,
        holds="python -m json.tool report.json",
    ),
    Fault(
        "run into one output, on a file system without locks",
        UNLOCKED.format("rm -f out.json; "),
        0,
        "out.json was written by another process meanwhile, and is left as that wrote it; the run is kept as"
        r" .*state/runs/\w+.json.* 0 2 *$",
        family=WAITS,
        shim="flock=95",
        output="whole",
        holds="[ $(ls state/runs | wc -l) = 2 ]",
    ),
    Fault(
        "run over one earlier output, on a file system without locks",
        UNLOCKED.format("cp earlier.json out.json; "),
        0,
        r"out.json was written by another process meanwhile.* the run is kept as .*state/runs/\w+.json.* 0 2 *$",
        family=WAITS,
        shim="flock=95",
        output="whole",
        holds="! cmp -s earlier.json out.json && [ $(ls state/runs | wc -l) = 2 ]",
    ),
    Fault(
        "a baseline on a file system without locks",
        "gpugauge baseline create --output .outside earlier.json && gpugauge baseline retire ./.outside --reason test",
        0,
        "Baseline .*is retired",
        shim="flock=95",
        makes=r"\.outside/.*",
    ),
    Fault(
        "a baseline's log that another process holds for ever",
        "gpugauge baseline create --name mine earlier.json >/dev/null; exec 7<state/baselines/mine/log.jsonl; flock 7;"
        " gpugauge baseline retire mine --reason test",
        2,
        "log.jsonl has been locked by another process for 10 s; nothing was written; .fuser ",
        makes="state/baselines/.*",
    ),
    Fault(
        "a baseline that could not be finished beside one of that name that waited",
        "strace -f -qq -E ASAN_OPTIONS=detect_leaks=0 -e trace=rename,unlink -e inject=rename:error=ENOSPC:when=3"
        " -e inject=unlink:delay_enter=300000 -o calls gpugauge baseline create earlier.json --name m & for i in $(seq 500); do"
        " [ -d state/baselines/m/runs ] && break; sleep .01; done; gpugauge baseline create earlier.json --name m; code=$?;"
        " wait; gpugauge baseline show m; exit $code",
        0,
        "baseline.json could not be written .renaming: No space left.*kept in .*Baseline m of host",
        needs="command -v strace >/dev/null || { echo 'it needs strace'; false; }",
        makes="state/baselines(/.*)?|calls",
    ),
    Fault(
        "the lock of one that is gone",
        "echo 'process 1 (gpugauge run, user 0) on gone since 2025-01-01T00:00:00Z' >.out.json.lock; gpugauge run $HOST"
        " --output out.json",
        0,
        "good/op",
        output="whole",
        holds="[ ! -e .out.json.lock ]",
    ),
    Fault(
        "a link in place of the lock",
        "gpugauge run $HOST --output out.json",
        2,
        r"\.out\.json\.lock is a link, and no file that keeps others from out.json meanwhile; nothing was done; remove",
        before="ln -s $PWD/earlier.json .out.json.lock",
        holds='[ "$(readlink .out.json.lock)" = "$PWD/earlier.json" ]',
    ),
    Fault(
        "somebody's file in place of the lock",
        "gpugauge run $HOST --output out.json",
        2,
        r"\.out\.json\.lock holds what no gpugauge wrote, and cannot keep others from out.json meanwhile; nothing was done",
        before="echo my notes >.out.json.lock",
        holds='[ "$(cat .out.json.lock)" = "my notes" ]',
    ),
    *(
        Fault(
            f"a {what} in place of the lock",
            "gpugauge check $HOST --report json=out.json",
            2,
            r"\.out\.json\.lock is a " + what + ".*nothing was done; remove it, or give another name",
            before=f"{make} .out.json.lock",
            holds="rm -r .out.json.lock && [ \"$(ls state/runs | wc -l)\" = 1 ]",
        )
        for what, make in (("folder", "mkdir"), ("pipe", "mkfifo"))
    ),
    Fault(
        "a GPU and the host",
        "start gpugauge run --profile smoke --quiet --output first.json; here; touch libexec/over; gpugauge run"
        " --profile smoke --quiet --device 0 --output out.json --wait 20; code=$?; finish >/dev/null || echo FIRST"
        " FAILED; exit $code",
        0,
        "good/op",
        gpu=True,
        family=WAITS,
        output="whole",
        lacks="FIRST FAILED",
    ),
    Fault(
        "one GPU",
        "start gpugauge run --profile smoke --quiet --output first.json; here; gpugauge check --profile smoke --quiet"
        + OVER,
        3,
        r"cannot judge: GPU-[0-9a-f-]+ is being measured by process \d+",
        gpu=True,
        family=WAITS,
        lacks="FIRST FAILED",
    ),
    Fault(
        "two GPUs",
        "start gpugauge run --profile smoke --quiet --device 0 --output first.json; here; GPUGAUGE_LIBEXEC=$PWD/others"
        " gpugauge run --profile smoke --quiet --device 1 --output out.json"
        + OVER,
        0,
        "good/op",
        gpu=True,
        scenario="devices=2",
        family=WAITS,
        output="whole",
        lacks="FIRST FAILED",
        before="mkdir others; cp libexec/*good* others",
    ),
    Fault(
        "ten compare into one report",
        # The last one wins, whole.
        "for i in 1 2 3 4 5 6 7 8 9 10; do gpugauge compare earlier.json --report json=report.json >/dev/null 2>>said; echo"
        " $? >>codes & done; wait; cat said; sort codes | uniq -c; gpugauge compare earlier.json --report json=alone.json"
        " >/dev/null; exit 0",
        0,
        "^ *10 3 *$",
        holds="cmp report.json alone.json",
    ),
    Fault(
        "doctor lock, where a file of that name came while the stack was read",
        "mkdir root; (for i in $(seq 1000); do ls -A | grep -q '^.out.lock.gpugauge-' && break; sleep .01; done; echo mine"
        " >out.lock) & strace -f -qq -E ASAN_OPTIONS=detect_leaks=0 -e trace=link,rename -e"
        " inject=link,rename:delay_enter=500000 -o calls gpugauge doctor lock --output out.lock",
        2,
        "out.lock was written by another process meanwhile, and is left as that wrote it",
        needs="command -v strace >/dev/null || { echo 'it needs strace'; false; }",
        makes="calls",
        holds='[ "$(cat out.lock)" = mine ]',
        seconds=60,
    ),
    Fault(
        "ten ingest into one store",
        "for i in 1 2 3 4 5 6 7 8 9 10; do gpugauge history ingest --store s.sqlite earlier.json & done; wait; gpugauge"
        " history ingest --store s.sqlite earlier.json",
        0,
        "0 of 1 files stored .*1 known already",
        needs="gpugauge history --help | grep -qv 'Not in this build'",
        holds="[ -f s.sqlite ]",
        lacks="locked|busy",
        seconds=60,
    ),
    Fault(
        "ten make one baseline",
        "for i in 1 2 3 4 5 6 7 8 9 10; do gpugauge baseline create --name mine earlier.json & done; wait; gpugauge"
        " baseline show mine",
        0,
        "mine",
        seconds=60,
        makes="state/baselines(/mine(/baseline.json|/log.*|/runs|/runs/[0-9A-Z]{26}.json)?)?",
    ),
    Fault(
        "two GPUs, and no more writing once the first is measured",
        "mkdir place; export PLACE=$PWD/place; unshare --mount bash -c 'mount -t tmpfs none place; gpugauge run --profile"
        " smoke --quiet --state-dir place/s'",
        1,
        "place/s/runs/.* could not be written.*Read-only.*GPU-[0-9a-f-]+.: runs cannot be kept in place/s/runs: Read-only.*"
        "what was found stands, and so does exit code 1",
        gpu=True,
        scenario="devices=2",
        family='mount -o remount,ro "$PLACE"; kill -SEGV $$',
        needs="can_mount",
    ),
]
