"""A shell, a system or a limit that gives the command less than it is used to."""

from fault import Fault

RUN = "gpugauge run $HOST --output out.json"
REFUSED = (
    "could not be (made|written|opened|set up)|cannot be started|Cannot|out of memory|too many open files|Too many open"
    " files"
)

NOT_IN_TMP = (
    'can_mount && case "$BUILD$PWD$FAULTS" in *"/tmp"*) echo "the build or this test lies in /tmp"; false ;;'
    " esac"
)


def short(name, run, code, says, **more):
    return Fault(name, run, code, says, **more)


def descriptors(count):
    """Two descriptors are the shell's own; whatever it says must be a sentence with its exit code."""
    return Fault(
        f"{count} descriptors",
        f"code=0; bash -c 'ulimit -n {count}; exec gpugauge run --device host --profile smoke --quiet --output"
        " out.json' || code=$?; exit $code",
        2,
        REFUSED,
    )


def memory(name, command):
    """A file that would take more memory than there is."""
    return Fault(
        f"too little memory for what is read: {name}",
        f"truncate -s 900M x.json; bash -c 'ulimit -v 400000; exec \"$BUILD/bin/gpugauge\" {command}'",
        2,
        "gpugauge: out of memory|x.json",
        memory_mib=500,
    )


def threads(count):
    """The system gives no more threads: fewer do all of the work. More files than are read ahead."""
    night = "mkdir night; for file in $(seq 150); do cp earlier.json night/$file.json; done; "
    given = f"no more than {count} threads can be started"
    shim = f"threads={count}"
    files = r"night/\d+\.json"
    yield Fault(f"{given}: fleet", night + "gpugauge fleet night", 3, "was given 150 times", shim=shim, makes=files)
    yield Fault(
        f"{given}: history ingest",
        night + "gpugauge history ingest --store s.sqlite night",
        0,
        "1 of 150 files stored .*, 149 known already",
        shim=shim,
        makes=files,
    )


ROWS = [
    short(
        "HOME and every other place unset",
        "env -u HOME -u GPUGAUGE_STATE -u XDG_STATE_HOME gpugauge run $HOST",
        2,
        "none of GPUGAUGE_STATE, XDG_STATE_HOME and HOME is set; name one with --state-dir",
    ),
    short(
        "HOME and the XDG state directory relative",
        "env -u GPUGAUGE_STATE HOME=here XDG_STATE_HOME=there gpugauge run $HOST",
        2,
        "none of GPUGAUGE_STATE, XDG_STATE_HOME and HOME is set; name one with --state-dir .of the last two a relative"
        " path counts as none",
        holds="[ ! -e here ] && [ ! -e there ]",
    ),
    short(
        "an empty environment",
        'env -i GPUGAUGE_FAULT="$GPUGAUGE_FAULT" "$BUILD/bin/gpugauge" run $HOST',
        2,
        "none of GPUGAUGE_STATE, XDG_STATE_HOME and HOME is set",
    ),
    short(
        "the temporary folder is missing",
        "TMPDIR=/nonexistent " + RUN,
        2,
        "Cannot make a folder for temporary files in /nonexistent: No such file or directory; set TMPDIR",
    ),
    short(
        "the temporary folder is a file",
        "TMPDIR=$PWD/earlier.json " + RUN,
        2,
        "Cannot make a folder for temporary files in .*earlier.json",
    ),
    short(
        "/tmp is read-only",
        "env -u TMPDIR unshare --mount bash -c 'mount -t tmpfs -o ro none /tmp && exec gpugauge run --device host"
        " --profile smoke --quiet --output out.json'",
        2,
        "Cannot make a folder for temporary files in /tmp: Read-only file system; set TMPDIR",
        needs=NOT_IN_TMP,
    ),
    short(
        "/tmp is missing",
        # A root of its own: everything of this one but /tmp.
        "mkdir root; env -u TMPDIR unshare --mount bash -c 'mount -t tmpfs none root; for place in /*; do [ $place = /tmp ] ||"
        " { [ -L $place ] && cp -P $place root; } || { [ -d $place ] && mkdir root$place && mount --rbind $place root$place; };"
        " done; here=$PWD; exec chroot root bash -c \"cd $here && [ ! -e /tmp ] && exec gpugauge run --device host --profile"
        " smoke --quiet --output out.json\"'",
        2,
        "Cannot make a folder for temporary files in /tmp: No such file or directory; set TMPDIR",
        needs=NOT_IN_TMP,
    ),
    short(
        "the temporary folder is full",
        "unshare --mount bash -c 'mount -t tmpfs -o size=8k,nr_inodes=3 none tmp && exec gpugauge run --device host"
        " --profile smoke --quiet --output out.json'",
        3,
        "No space left on device.*nothing was measured",
        needs="can_mount",
        output="whole",
    ),
    short(
        "the working folder is gone",
        "mkdir gone; cd gone; rmdir ../gone; " + RUN,
        2,
        "out.json could not be written|No such file",
        changes="state/runs",
    ),
    short("standard input closed", RUN + " <&-", 0, "good/op", output="whole"),
    short("standard output closed", RUN + " >&-", 2, "standard output could not be written", output="whole"),
    short(
        "standard output full",
        RUN + " >/dev/full",
        2,
        "standard output could not be written: No space left on device",
        output="whole",
    ),
    short("standard error closed", RUN + " 2>&-", 0, "good/op", output="whole"),
    short(
        "standard error full",
        "gpugauge run --device host --profile smoke --output out.json 2>/dev/full",
        0,
        "good/op",
        output="whole",
    ),
    short("an error that nobody can be told", "gpugauge compare nothing.json 2>/dev/full", 2, "^$"),
    short("an error with standard error closed", "gpugauge compare nothing.json 2>&-", 2, "^$"),
    short("a problem with standard error full", "gpugauge list 2>/dev/full", 0, "good/op", describe="exit 127"),
    short("every stream closed", RUN + " <&- >&- 2>&-", 2, "^$", output="whole"),
    short(
        "nobody reads the output",
        "gpugauge run $HOST --output out.json | true; exit ${PIPESTATUS[0]}",
        0,
        "^$",
        output="whole",
    ),
    short(
        "its reader stops after a line",
        "gpugauge run $HOST --json --output out.json | head -n 1; exit ${PIPESTATUS[0]}",
        0,
        r"^[{]",
        output="whole",
    ),
    short(
        "no terminal",
        "setsid --wait gpugauge run --device host --profile smoke --output out.json </dev/null",
        0,
        "1/2|2/2",
        output="whole",
    ),
    short("a terminal that nobody knows", "TERM=nonsense COLUMNS=-5 " + RUN, 0, "good/op", output="whole"),
    short("a terminal of no width", "COLUMNS=0 " + RUN, 0, "good", output="whole"),
    short("a language that nobody speaks", "LC_ALL=xx_YY.nonsense LANG=nonsense " + RUN, 0, "good/op", output="whole"),
    short("numbers with a comma", "LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 " + RUN, 0, "good/op", output="whole"),
    short(
        "an empty PATH",
        'PATH= "$BUILD/bin/gpugauge" run $HOST --output out.json',
        0,
        "bad/op",
        output="whole",
        family='/bin/cat "${0%/*}/bad.samples" >"$samples"',
        describe='/bin/cat "${0%/*}/bad.definitions"',
        good=False,
    ),
    short(
        "the families' folder is missing",
        "GPUGAUGE_LIBEXEC=/nonexistent " + RUN,
        2,
        "there is no family that can be measured in /nonexistent",
    ),
    short(
        "the families' folder is a file",
        "GPUGAUGE_LIBEXEC=$PWD/earlier.json " + RUN,
        2,
        "there is no family that can be measured in",
    ),
    *(descriptors(count) for count in (4, 6, 8, 10, 12, 14)),
    memory("compare", "compare x.json"),
    memory("fleet", "fleet x.json earlier.json"),
    memory("history", "history ingest --store s.sqlite x.json"),
    Fault("no process can be started", RUN, 2, "cannot be started: .*resource temporarily unavailable", shim="fork=11"),
    *threads(0),
    *threads(1),
    Fault(
        "the clock steps back in mid-run",
        RUN,
        0,
        "good/op",
        shim="clock=-86400",
        family="sleep 1; leave",
        output="whole",
        holds=(
            'python -c \'import json; run = json.load(open("out.json")); assert 1 < run["wall_seconds"] < 3600,'
            ' run["wall_seconds"]\''
        ),
    ),
    Fault(
        "the clock steps ahead in mid-run",
        RUN,
        0,
        "good/op",
        shim="clock=86400",
        family="sleep 1; leave",
        output="whole",
        holds=(
            'python -c \'import json; run = json.load(open("out.json")); assert 1 < run["wall_seconds"] < 3600,'
            ' run["wall_seconds"]\''
        ),
    ),
]
