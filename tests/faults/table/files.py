"""A place that takes no file."""

from fault import Fault

HOST = "--device host --profile smoke --quiet"
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


def full(name, command, room_kib, says, code=2, first="true", keeps="^$", **more):
    """The command writes below `place`, a file system that has so much room left after `first`. What is there afterwards
    was there before, and before is unchanged; but for what `keeps` names."""
    script = f"""mkdir place
unshare --mount bash -c 'mount -t tmpfs -o size=1m none place && ({first}) >/dev/null || exit 99
  state() {{ find place -mindepth 1 -type d; find place -type f ! -name ballast -exec sha256sum {{}} +; }}
  head -c $((1024 - {room_kib} - $(du -sk place | cut -f1)))k /dev/zero >place/ballast
  before=$(state); {command}; code=$?
  diff <(echo "$before" | sort) <(state | sort) | grep "^[<>] ." | grep -vE "{keeps}" && echo LEFT; exit $code'"""
    return Fault(name, script, code, says, **{"needs": "can_mount", "lacks": "LEFT", **more})


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


NO_ROOM = "(No space left on device|no space left in)"
STANDS = ".* what was found stands, and so does exit code 1"
# Eight runs of one node.
ROUNDS = """for i in 1 2 3 4 5 6 7 8; do
  sed "s/\\"id\\": *\\"[0-9A-Z]*\\"/\\"id\\": \\"01TEST0000000000000000005$i\\"/; s/\\"started\\": *\\"[^\\"]*\\"/\\"started\\": \\"2026-01-0${i}T00:00:00.000Z\\"/" earlier.json >round-$i.json
done
"""

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
    *(
        full(
            f"disk full, a new history, {room} KiB left",
            f"gpugauge history ingest --store {store} round-*.json",
            room,
            f"the store {store}: no space left in .*place.*; .*make room and run",
            needs="has_history && can_mount",
            before=ROUNDS,
        )
        for room, store in (
            (0, "place/h.sqlite"),
            (16, "place/h.sqlite"),
            (48, "place/h.sqlite"),
            (56, "place/of/its/own.sqlite"),
            (100, "place/h.sqlite"),
        )
    ),
    full(
        "disk full, a history with runs",
        "gpugauge history ingest --store place/h.sqlite round-*.json; code=$?; gpugauge history export --store"
        " place/h.sqlite; (exit $code)",
        4,
        "no space left in .*place;.*01TEST00000000000000000001",
        first="gpugauge history ingest --store place/h.sqlite state/runs",
        keeps="place/h.sqlite-(wal|shm)$",  # of SQLite, which the next writer removes
        needs="has_history && can_mount",
        before=ROUNDS,
    ),
    *(
        full(
            f"disk full, baseline create, {room} KiB left",
            "gpugauge baseline create --output place/bl/mine round-*.json",
            room,
            "place/bl/mine/.* could not be written .*" + NO_ROOM,
            before=ROUNDS,
        )
        for room in (0, 24)
    ),
    *(
        full(
            f"disk full, baseline import, {room} KiB left",
            "gpugauge baseline import --state-dir place/s it.json",
            room,
            NO_ROOM,
            before=ROUNDS + "gpugauge baseline create --name mine round-*.json; gpugauge baseline export mine it.json",
        )
        for room in (0, 24)
    ),
    *(
        full(
            f"disk full, upgrade begin, {room} KiB left",
            f"gpugauge upgrade begin --state-dir place/s {HOST} --rounds 2",
            room,
            "place/s/upgrades/.* could not be written .*" + NO_ROOM,
            keeps="place/s$",
        )
        for room in (0, 8)
    ),
    full(
        "disk full, check, no room for the run",
        f"gpugauge check --state-dir place/s {HOST}",
        0,
        "good/op.* what was measured and judged could not be kept: place/s/runs/.* could not be written .*" + NO_ROOM,
        keeps="place/s(/runs|/verdicts)?$",
    ),
    full(
        "disk full, check, a verdict against the device",
        f"gpugauge check --state-dir place/s {HOST} --exit-style slurm",
        0,
        "failed: 1 of 1 metric .bad.*place/s/runs/.* could not be written .*" + NO_ROOM + STANDS,
        code=1,
        keeps="place/s(/runs|/verdicts)?$",
        family="kill -SEGV $$",
    ),
    full(
        "disk full, run, no room for its output either",
        f"gpugauge run --state-dir place/s {HOST} --output place/out.json",
        0,
        "good/op.* place/out.json could not be written .*" + NO_ROOM + ".*; nor could it be kept in the state folder: place/s",
        keeps="place/s(/runs)?$",
    ),
    full(
        "disk full, run, no room for it",
        f"gpugauge run --state-dir place/s {HOST}",
        0,
        "good/op.* place/s/runs/.* could not be written .*" + NO_ROOM,
        keeps="place/s(/runs)?$",
    ),
    full(
        "disk full, run, something failed",
        f"gpugauge run --state-dir place/s {HOST}",
        0,
        "bad .0 of 1 processes whole.*place/s/runs/.* could not be written .*" + NO_ROOM + STANDS,
        code=1,
        keeps="place/s(/runs)?$",
        family="kill -SEGV $$",
    ),
    full(
        "disk full, check, no room for the verdict",
        f"gpugauge check --state-dir place/s {HOST}",
        8,
        "good/op.* the verdict could not be kept for .gpugauge status.: .*" + NO_ROOM,
        keeps="place/s(/runs(/[0-9A-Z]{26}.json)?|/verdicts)?$",
    ),
    full(
        "disk full, check, no room for another verdict",
        f"gpugauge check --state-dir place/s {HOST} >said; code=$?; gpugauge status --device host --state-dir place/s; (exit $code)",
        8,
        "the verdict could not be kept for .gpugauge status.: .*" + NO_ROOM + ".*Host.*cannot judge, .* ago: nothing to judge",
        first=f"gpugauge check --state-dir place/s {HOST}; test -s place/s/verdicts/host.json",
        keeps="place/s/runs/[0-9A-Z]{26}.json$",
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
