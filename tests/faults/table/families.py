"""A family whose executable is broken, that crashes, hangs, floods or leaves processes behind."""

from fault import Fault

RUN = "gpugauge run $HOST --output out.json"
# A family that hangs is ended after a second, not after a minute.
LIMITED = RUN + " --process-limit 1"


def broken(name, says, **more):
    """The good family is measured, the bad one fails: exit 1 and a whole run file that says why."""
    return Fault(name, RUN, **{"code": 1, "says": says, "output": "whole", **more})


def crash(signal, number):
    return broken(
        f"crashes by SIG{signal}",
        rf"gpugauge-bench-bad was ended by signal {number} \(SIG{signal}\); it said: last words",
        family=f"echo last words\nkill -{number} $$\nsleep 1",
    )


def undescribed(name, says, **more):
    """It cannot say what it measures: of the host the rest is measured all the same."""
    return Fault(name, RUN, 0, says, output="whole", **more)


ROWS = [
    Fault(
        "the machine has no /dev/null",
        "unshare --mount bash -c 'mount -t tmpfs none /dev; gpugauge run --device host --profile smoke --quiet --output"
        " out.json'",
        2,
        "gpugauge-bench-(bad|good) cannot be started: .*no such file or directory ./dev/null.",
        needs="can_mount",
        lacks="interpreter",
    ),
    broken("executable missing", "gpugauge-bench-bad does not exist; install it again", describe='describe; rm "$0"'),
    broken(
        "executable not executable",
        "gpugauge-bench-bad is not executable .Permission denied.; check its mode",
        describe='describe; chmod 644 "$0"',
    ),
    broken(
        "executable of another architecture",
        "was built for another architecture .ELF machine 183, this command is",
        before=(
            "cp /bin/true libexec/other && printf '\\267' | dd of=libexec/other bs=1 seek=18 conv=notrunc status=none"
        ),
        describe='describe; mv "${0%/*}/other" "$0"',
        needs='[ "$(uname -m)" = x86_64 ] || { echo "only on x86_64"; false; }',
    ),
    broken(
        "executable cut short",
        "is damaged or cut short; install it again",
        before="head -c 2000 /bin/true >libexec/short; chmod +x libexec/short",
        describe='describe; mv "${0%/*}/short" "$0"',
    ),
    broken(
        "executable empty",
        "is neither an executable of this system nor a script; install it again",
        describe='describe; : >"$0"',
    ),
    broken(
        "executable's interpreter missing",
        r"no such file or directory \(the loader or interpreter that it names\)",
        before="printf '#!/nonexistent/sh\\n' >libexec/script; chmod +x libexec/script",
        describe='describe; mv "${0%/*}/script" "$0"',
    ),
    broken(
        "a folder in its place", "is not a regular file; install it again", describe='describe; rm "$0"; mkdir "$0"'
    ),
    undescribed(
        "never executable",
        "family bad: gpugauge-bench-bad cannot be started: .* is not executable",
        before="chmod 644 libexec/gpugauge-bench-bad",
    ),
    Fault(
        "no family at all",
        RUN,
        2,
        "there is no family that can be measured in .*libexec; build or install GPUGauge whole",
        before="rm libexec/*",
        good=False,
    ),
    *(
        crash(signal, number)
        for number, signal in enumerate(
            "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT".split(), 1
        )
    ),
    *(
        crash(signal, number)
        for signal, number in {"XCPU": 24, "XFSZ": 25, "VTALRM": 26, "PROF": 27, "IO": 29, "PWR": 30, "SYS": 31}.items()
    ),
    broken("crashes by a real-time signal", r"was ended by signal 40\b", family="kill -40 $$; sleep 1"),
    broken("crashes after it wrote its samples", r"was ended by signal 11 \(SIGSEGV\)", family="leave; kill -SEGV $$"),
    broken(
        "ends with a code and no samples",
        "ended with exit code 7; it said: no device today",
        family="echo no device today; exit 7",
    ),
    broken("ends with 0 and no samples", "gpugauge-bench-bad left no sample file", family=":"),
    Fault(
        "hangs",
        LIMITED,
        1,
        "exceeded its time limit of 1 s and was ended; it said: waiting",
        family="echo waiting; sleep 100",
        output="whole",
    ),
    Fault(
        "hangs and takes no SIGTERM",
        LIMITED,
        1,
        "exceeded its time limit of 1 s and was ended",
        family="trap '' TERM INT HUP; while :; do sleep 1; done",
        output="whole",
    ),
    Fault(
        "hangs with children that take no SIGTERM",
        LIMITED,
        1,
        "exceeded its time limit of 1 s and was ended",
        output="whole",
        family="trap '' TERM; setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' & while :; do sleep 1; done",
    ),
    Fault(
        "stops itself",
        LIMITED,
        1,
        "exceeded its time limit of 1 s and was ended",
        family="kill -STOP $$",
        output="whole",
    ),
    Fault(
        "waits uninterruptibly in the kernel",
        LIMITED,
        1,
        "exceeded its time limit of 1 s and was ended",
        output="whole",
        family='exec "$BUILD/tests/faults/vfork_child"',
    ),
    Fault(
        "cannot be killed",
        LIMITED + "; code=$?; touch libexec/over; exit $code",
        1,
        "did not end even after SIGKILL: it is stuck in the kernel; look at dmesg",
        shim="nokill",
        family="trap '' TERM; here; while [ ! -e \"${0%/*}/over\" ]; do sleep 0.1; done",
        output="whole",
    ),
    undescribed(
        "hangs when asked what it is",
        "family bad: .*exceeded its time limit of 20 s",
        describe="sleep 100",
        long=True,
        seconds=60,
    ),
    broken("prints garbage", "good/op", family="head -c 300000 /dev/urandom; leave", code=0),
    broken(
        "prints garbage and fails",
        r"ended with exit code 1; it said",
        family="printf '\\033[2J\\377\\000\\n\\033]0;owned\\007x'; exit 1",
    ),
    broken("prints 1 GB", "good/op", family="head -c 1000000000 /dev/zero; leave", code=0, seconds=60),
    broken(
        "prints 1 GB on one line and fails",
        "ended with exit code 3",
        family="head -c 1000000000 /dev/zero | tr '\\0' x; exit 3",
        seconds=60,
        long=True,
    ),
    undescribed(
        "prints 1 GB when asked what it is",
        "family bad: .*describes itself in more than",
        describe="head -c 1000000000 /dev/zero",
        seconds=60,
    ),
    undescribed("prints garbage when asked what it is", "family bad: ", describe="head -c 5000 /dev/urandom"),
    undescribed("says nothing when asked what it is", "family bad: ", describe=":"),
    undescribed(
        "crashes when asked what it is",
        r"family bad: .*was ended by signal 11 \(SIGSEGV\) when asked to describe itself; it said: oops",
        describe="echo oops >&2; kill -SEGV $$",
    ),
    undescribed(
        "describes itself in another schema",
        "family bad: .*gpugauge.definitions/1",
        describe="""echo '{"schema": "gpugauge.definitions/9", "family": "bad", "definitions": []}'""",
    ),
    undescribed(
        "describes benchmarks of another family", "family bad: .*good/op", describe='cat "${0%/*}/good.definitions"'
    ),
    broken(
        "leaves a child behind",
        r"bad, process 0: left 1 process running when it ended; it was ended",
        family="setsid sleep 100 & leave",
        code=0,
    ),
    broken(
        "leaves a daemon behind",
        r"left \d+ process(es)? running",
        family="(setsid sh -c 'trap \"\" HUP TERM; sleep 100 & sleep 100' >/dev/null 2>&1 &) ; leave",
        code=0,
    ),
    broken(
        "leaves fifty children behind",
        r"left 50 processes running",
        family="i=0; while [ $i -lt 50 ]; do setsid sleep 100 & i=$((i+1)); done; leave",
        code=0,
    ),
    broken(
        "leaves a child that prints without end", r"left \d+ process(es)? running", family="setsid yes & leave", code=0
    ),
    broken(
        "takes memory up to its limit",
        "ended with exit code 1; it said: .*memory exhausted",
        family="ulimit -v 200000; tail /dev/zero",
    ),
    broken("uses up its descriptors", "ended with exit code 2; it said: .*", family="ulimit -n 3; echo x | cat"),
    broken(
        "library missing",
        "it said: .*libfault_library.so.1: cannot open shared object file: No such file",
        family='LD_LIBRARY_PATH= exec "$BUILD/tests/faults/needs_library"',
    ),
    broken(
        "library cut short",
        "it said: .*libfault_library.so.1: file too short",
        before="mkdir libexec/lib; : >libexec/lib/libfault_library.so.1",
        family='LD_LIBRARY_PATH="${0%/*}/lib" exec "$BUILD/tests/faults/needs_library"',
    ),
    broken(
        "library of another major version",
        "it said: .*libfault_library.so.1: cannot open shared object file",
        before='mkdir libexec/lib; cp "$BUILD/tests/faults/libfault_library.so.1" libexec/lib/libfault_library.so.2',
        family='LD_LIBRARY_PATH="${0%/*}/lib" exec "$BUILD/tests/faults/needs_library"',
    ),
    broken(
        "library without a function",
        "it said: .*undefined symbol: gpugauge_fault_library",
        before='mkdir libexec/lib; cp "$BUILD/tests/faults/libshim.so" libexec/lib/libfault_library.so.1',
        family='LD_LIBRARY_PATH="${0%/*}/lib" LD_BIND_NOW=1 exec "$BUILD/tests/faults/needs_library"',
    ),
    undescribed(
        "library missing when asked what it is",
        "family bad: .*ended with exit code 127 when asked to describe itself; it said: .*libfault_library",
        describe='LD_LIBRARY_PATH= exec "$BUILD/tests/faults/needs_library"',
    ),
    Fault(
        "a baseline with a family that crashes",
        "gpugauge baseline create $HOST --rounds 2",
        2,
        "run .* cannot be part of a baseline: family bad process 0 is failed: .*; it is kept as .*state/runs/.*.json; no"
        " baseline was made",
        family="kill -SEGV $$",
        changes="state/runs",
    ),
    Fault(
        "check with a family that crashes",
        "gpugauge check $HOST",
        1,
        r"family bad .*SIGSEGV.*failed: 1",
        family="kill -SEGV $$",
        changes="state/runs",
    ),
    Fault(
        "a GPU's family that cannot say what it is",
        "gpugauge run --profile smoke --quiet --output out.json",
        3,
        "gpugauge: family bad: .*exit code 127",
        describe="exit 127",
        gpu=True,
        output="whole",
    ),
    Fault(
        "two runs without a family that could not say what it is, compared",
        "gpugauge run --profile smoke --quiet --output now.json; gpugauge compare then.json now.json",
        3,
        r"cannot judge: 1 family was not measured: bad \(.*exit code 127",
        before="gpugauge run --profile smoke --quiet --output then.json >/dev/null 2>&1 || true",
        describe="exit 127",
        gpu=True,
        changes=".",
    ),
    Fault(
        "baseline with a GPU's family that cannot say what it is",
        "gpugauge baseline create --device 0 --profile smoke --rounds 3 --quiet",
        2,
        "no baseline was made: 1 family cannot be measured: family bad: .*exit code 127",
        describe="exit 127",
        gpu=True,
        lacks="^Baseline",
    ),
    Fault(
        "check with a GPU's family that cannot say what it is",
        "gpugauge check --profile smoke --quiet",
        3,
        r"cannot judge: 1 family was not measured: bad \(.*exit code 127",
        describe="exit 127",
        gpu=True,
        changes="state/runs",
    ),
    Fault(
        "one that is broken and asked for by name",
        RUN + " --family bad",
        2,
        "gpugauge: family bad: .*exit code 127",
        describe="exit 127",
    ),
    Fault(
        "one that is broken and not asked for",
        "gpugauge check --profile smoke --quiet --family good",
        3,
        "family bad: .*exit code 127",
        describe="exit 127",
        gpu=True,
        lacks="not measured",
        changes="state/runs",
    ),
]
