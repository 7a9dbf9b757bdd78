"""A place that takes no file."""

from fault import Fault

RUN = "gpugauge run $HOST --output out.json"
AGAIN = RUN + " --force"
# A run that cannot be kept where it was asked for is kept in the state folder.
KEPT = r"out.json could not be written \({}\); what was there before is unchanged; the run is kept as .*state/runs/"
ERROR = {
    "ENOSPC": (28, "No space left on device"),
    "EDQUOT": (122, "Disk quota exceeded"),
    "EIO": (5, "Input/output error"),
    "EPERM": (1, "Operation not permitted"),
    "ESTALE": (116, "Stale file handle"),
    "EACCES": (13, "Permission denied"),
    "EXDEV": (18, "Invalid cross-device link"),
    "EROFS": (30, "Read-only file system"),
}


def failing(name, call, error, step):
    number, words = ERROR[error]
    return Fault(
        name, AGAIN, 2, KEPT.format(f"{step}: {words}"), shim=f"{call}={number}", output="earlier", changes="state/runs"
    )


def on_small(name, options, fill, says, **more):
    """The output on a file system of its own, in a name space that ends with the command."""
    script = (
        f"mkdir place; unshare --mount bash -c 'mount -t tmpfs -o {options} none place && echo earlier >place/out.json"
        f' && {fill} gpugauge run --device host --profile smoke --quiet --force --output place/out.json; code=$?; [ "$(cat'
        ' place/out.json)" = earlier ] || echo CHANGED; ls -A place | grep -v -e "^out.json$" -e ballast && echo LEFT;'
        " exit $code'"
    )
    return Fault(name, script, 2, says, needs="can_mount", lacks="CHANGED|LEFT", **more)


EXPORT = "gpugauge history export --store s.sqlite --output "


def exporting(name, call, error, step):
    """The same of a file that is written piece by piece."""
    number, words = ERROR[error]
    return Fault(
        f"history export: {name}",
        EXPORT + "out.csv",
        2,
        rf"out.csv could not be written \({step}: {words}\); what was there before is unchanged",
        shim=f"{call}={number}",
        before="gpugauge history ingest --store s.sqlite earlier.json; echo earlier >out.csv",
        needs="has_history",
        holds='[ "$(cat out.csv)" = earlier ]',
    )


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
    exporting("disk full while writing", "write", "ENOSPC", "writing"),
    exporting("input/output error while syncing", "fsync", "EIO", "syncing"),
    exporting("a write that fails late, as on NFS", "close", "EDQUOT", "closing"),
    exporting("renaming fails, as on NFS", "rename", "ESTALE", "renaming"),
    exporting("its mode cannot be set", "fchmod", "EPERM", "setting its mode"),
    Fault(
        "history export: its folder is missing",
        EXPORT + "new/of/its/own.csv && head -c 8 new/of/its/own.csv",
        0,
        "started,",
        before="gpugauge history ingest --store s.sqlite earlier.json",
        needs="has_history",
        makes="new(/of(/its)?)?",
    ),
    Fault(
        "history export: a folder of that name",
        EXPORT + "place",
        2,
        "place is a directory; give the name of a file",
        before="gpugauge history ingest --store s.sqlite earlier.json; mkdir place",
        needs="has_history",
    ),
    Fault(
        "a limit of file sizes",
        "bash -c 'ulimit -S -f 0; exec gpugauge run --device host --profile smoke --quiet --force --output out.json' 2>&1 |"
        " cat; exit ${PIPESTATUS[0]}",
        2,
        "could not be written .*File too large",
        output="earlier",
    ),
    Fault(
        "its folder cannot be made",
        RUN.replace("out.json", "/proc/none/out.json"),
        2,
        "--output /proc/none/out.json: the folder /proc/none could not be made: .*; nothing was done",
    ),
    Fault(
        "a name that is too long",
        RUN.replace("out.json", "$(printf x%.0s {1..300}).json"),
        2,
        "could not be written: File name too long; name another place; nothing was done",
    ),
    Fault(
        "a folder of that name takes the file, as its name says",
        "mkdir out.json; " + RUN,
        0,
        "kept as out.json/[^/]+/[0-9A-Z]+.json",
        makes=r"out\.json/[^/]+(/[0-9A-Z]{26}\.json)?",
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
        "echo x >target; ln -s target out.json; " + AGAIN,
        0,
        "good/op",
        holds="[ -L out.json ] && gpugauge compare target; [ $? != 2 ]",
        output="whole",
    ),
    Fault(
        "a way through folders that are not there",
        "gpugauge run $HOST --output d/x/../../out.json && gpugauge compare earlier.json --report html=sub/../page.html; ls"
        " page.html",
        0,
        "good/op",
        output="whole",
        holds="[ ! -e d ] && [ ! -e sub ]",
    ),
    Fault(
        "another user's link in a folder like /tmp",
        "gpugauge run $HOST --output shared/out.json",
        2,
        "shared/out.json is a link of another user in a folder where everybody may write, and is not followed",
        before="mkdir shared; chmod 1777 shared; echo x >victim; ln -s $PWD/victim shared/out.json; chown -h 65534"
        " shared/out.json",
        needs="is_root || { echo 'only root can give a link to another user'; false; }",
        holds='[ "$(cat victim)" = x ]',
    ),
    *(
        Fault(
            f"another user's link in a folder's place in a folder like /tmp, {name}",
            f"gpugauge compare earlier.json --report html={page}",
            2,
            f"{link} is a link of another user in a folder where everybody may write, and is not followed",
            before="mkdir shared victim; chmod 1777 shared; echo x >victim/index.html; ln -s $PWD/victim shared/gauge;"
            " chown -h 65534 shared/gauge; ln -s shared/gauge/index.html mine.html; ln -s shared/gauge mine",
            needs="is_root || { echo 'only root can give a link to another user'; false; }",
            holds='[ "$(cat victim/index.html)" = x ] && [ "$(ls -A victim)" = index.html ]',
        )
        for name, page, link in (
            ("named", "shared/gauge/index.html", "shared/gauge"),
            ("behind a link of one's own", "mine.html", "shared/gauge"),
            ("behind a folder's link of one's own", "mine/sub/page.html", "shared/gauge"),
            ("before a way through folders that are not there", "shared/gauge/none/../page.html", "shared/gauge"),
        )
    ),
    Fault(
        "one's own link in a folder's place in a folder like /tmp",
        "gpugauge run $HOST --output shared/mine/out.json && mv target/out.json .",
        0,
        "good/op",
        before="mkdir shared target; chmod 1777 shared; ln -s $PWD/target shared/mine",
        output="whole",
    ),
    Fault(
        "an earlier measurement of that name",
        RUN,
        2,
        "out.json exists, and nothing was measured: choose another --output, or say --force",
        output="earlier",
    ),
    Fault("an earlier measurement that may be replaced", "cp earlier.json out.json; " + AGAIN, 0, "good/op", output="whole"),
    Fault("a link that leads round", "ln -s out.json out.json; " + RUN, 0, "good/op", output="whole"),
    Fault("a link into nothing", "ln -s nowhere/target out.json; " + RUN, 0, "good/op", output="whole"),
    Fault(
        "no permission",
        "chmod 755 . && mkdir -m 555 place && chmod -R a+rX . && chmod -R a+rwX state tmp home && "
        "setpriv --reuid=65534 --regid=65534 --clear-groups gpugauge run $HOST --output place/out.json",
        2,
        "place/out.json could not be written: Permission denied; name another place; nothing was done",
        needs=(
            'is_root && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$BUILD/bin/gpugauge" || { echo'
            " 'the build cannot be reached without root'; false; }"
        ),
    ),
    Fault("the state folder is a file", "rm -r state; : >state; gpugauge run $HOST", 2, "state", changes="state"),
    Fault("the state folder is read-only", "gpugauge run $HOST --state-dir /proc/state", 2, "/proc/state"),
    Fault(
        "a report's place is full",
        "gpugauge check $HOST --report json=/dev/full",
        2,
        "--report json=/dev/full: /dev/full is not a regular file; give the name of a file; nothing was done",
    ),
    Fault(
        "a report's folder is a file by then",
        "gpugauge check $HOST --report junit=page --report html=page/index.html",
        2,
        "good/op.*--report html=page/index.html: the folder page could not be made.*; without that it would have ended with",
        changes="state/runs",
        makes="page",
    ),
    Fault(
        "a report's folder cannot be made",
        "gpugauge check $HOST --report junit=/proc/none/x.xml",
        2,
        "--report junit=/proc/none/x.xml: the folder /proc/none could not be made.*; nothing was done",
    ),
    Fault(
        "an observation's folder cannot be made",
        "gpugauge check $HOST --observation /proc/none/x.json",
        2,
        "--observation /proc/none/x.json: the folder /proc/none could not be made.*; nothing was done",
    ),
]
