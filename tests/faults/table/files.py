"""A place that takes no file."""

from fault import Fault

RUN = "gpugauge run $HOST --output out.json"
# A run that cannot be kept where it was asked for is kept in the state folder.
KEPT = r"out.json could not be written \({}\); what was there before is unchanged; the run is kept as .*state/runs/"
ERROR = {
    "ENOSPC": (28, "No space left on device"),
    "EDQUOT": (122, "Disk quota exceeded"),
    "EIO": (5, "Input/output error"),
    "ESTALE": (116, "Stale file handle"),
    "EACCES": (13, "Permission denied"),
    "EXDEV": (18, "Invalid cross-device link"),
    "EROFS": (30, "Read-only file system"),
}


def failing(name, call, error, step):
    number, words = ERROR[error]
    return Fault(
        name, RUN, 2, KEPT.format(f"{step}: {words}"), shim=f"{call}={number}", output="earlier", changes="state/runs"
    )


def on_small(name, options, fill, says, **more):
    """The output on a file system of its own, in a name space that ends with the command."""
    script = (
        f"mkdir place; unshare --mount bash -c 'mount -t tmpfs -o {options} none place && echo earlier >place/out.json"
        f' && {fill} gpugauge run --device host --profile smoke --quiet --output place/out.json; code=$?; [ "$(cat'
        ' place/out.json)" = earlier ] || echo CHANGED; ls -A place | grep -v -e "^out.json$" -e ballast && echo LEFT;'
        " exit $code'"
    )
    return Fault(name, script, 2, says, needs="can_mount", lacks="CHANGED|LEFT", **more)


ROWS = [
    on_small(
        "disk full",
        "size=64k",
        "head -c 100k /dev/zero >place/ballast 2>/dev/null;",
        "place/out.json could not be written .*No space left on device",
    ),
    on_small(
        "no inode left",
        "nr_inodes=3",
        "touch place/ballast 2>/dev/null; touch place/ballast2 2>/dev/null;",
        "place/out.json could not be written.*No space left on device",
    ),
    on_small(
        "read-only file system",
        "size=64k",
        "mount -o remount,ro none place;",
        "place/out.json could not be written.*Read-only file system",
    ),
    failing("disk full while writing", "write", "ENOSPC", "writing"),
    failing("quota used up", "write", "EDQUOT", "writing"),
    failing("input/output error while writing", "write", "EIO", "writing"),
    failing("input/output error while syncing", "fsync", "EIO", "syncing"),
    failing("a write that fails late, as on NFS", "close", "EDQUOT", "closing"),
    failing("renaming fails, as on NFS", "rename", "ESTALE", "renaming"),
    failing("renaming is not permitted", "rename", "EACCES", "renaming"),
    failing("renaming across devices", "rename", "EXDEV", "renaming"),
    Fault(
        "a limit of file sizes",
        "bash -c 'ulimit -S -f 0; exec gpugauge run --device host --profile smoke --quiet --output out.json' 2>&1 |"
        " cat; exit ${PIPESTATUS[0]}",
        2,
        "could not be written .*File too large",
        output="earlier",
    ),
    Fault(
        "its folder cannot be made",
        RUN.replace("out.json", "/proc/none/out.json"),
        2,
        "the folder /proc/none could not be made: .*; the run is kept as",
        changes="state/runs",
    ),
    Fault(
        "a name that is too long",
        RUN.replace("out.json", "$(printf x%.0s {1..300}).json"),
        2,
        "could not be written: File name too long; the run is kept as",
        changes="state/runs",
    ),
    Fault(
        "a folder of that name takes the file, as its name says",
        "mkdir out.json; " + RUN,
        0,
        "kept as out.json/[^/]+/[0-9A-Z]+.json",
        holds="[ -d out.json ]",
    ),
    Fault(
        "a pipe of that name",
        "mkfifo out.json; " + RUN,
        2,
        "out.json is not a regular file; give the name of a file",
        holds="[ -p out.json ]",
    ),
    Fault(
        "a device",
        RUN.replace("out.json", "/dev/full"),
        2,
        "/dev/full is not a regular file; give the name of a file",
        holds="[ -c /dev/full ]",
    ),
    Fault(
        "a link to another file",
        "echo x >target; ln -s target out.json; " + RUN,
        0,
        "good/op",
        holds="[ -L out.json ] && gpugauge compare target; [ $? != 2 ]",
        output="whole",
    ),
    Fault("a link that leads round", "ln -s out.json out.json; " + RUN, 0, "good/op", output="whole"),
    Fault("a link into nothing", "ln -s nowhere/target out.json; " + RUN, 0, "good/op", output="whole"),
    Fault(
        "no permission",
        "chmod 755 . && mkdir -m 555 place && chmod -R a+rX . && chmod -R a+rwX state tmp home && "
        "setpriv --reuid=65534 --regid=65534 --clear-groups gpugauge run $HOST --output place/out.json",
        2,
        "place/out.json could not be written: Permission denied; the run is kept as",
        needs=(
            'is_root && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$BUILD/bin/gpugauge" || { echo'
            " 'the build cannot be reached without root'; false; }"
        ),
        changes="state/runs",
    ),
    Fault("the state folder is a file", "rm -r state; : >state; gpugauge run $HOST", 2, "state", changes="state"),
    Fault("the state folder is read-only", "gpugauge run $HOST --state-dir /proc/state", 2, "/proc/state"),
    Fault(
        "a report's place is full",
        "gpugauge check $HOST --report json=/dev/full",
        2,
        "--report json=/dev/full: /dev/full is not a regular file; give the name of a file; without that it would have"
        " ended with",
        changes="state/runs",
    ),
    Fault(
        "a report's folder cannot be made",
        "gpugauge check $HOST --report junit=/proc/none/x.xml",
        2,
        "good/op.*the folder /proc/none could not be made.*; without that it would have ended with",
        changes="state/runs",
    ),
    Fault(
        "an observation's folder cannot be made",
        "gpugauge check $HOST --observation /proc/none/x.json",
        2,
        "/proc/none could not be made",
        changes="state/runs",
    ),
]
