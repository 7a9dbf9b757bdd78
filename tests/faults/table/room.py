"""A file system without room."""

from fault import Fault

HOST = "--device host --profile smoke --quiet"
NO_ROOM = "(No space left on device|no space left in)"
STANDS = ".* what was found stands, and so does exit code 1"
# Eight runs of one node.
ROUNDS = """for i in 1 2 3 4 5 6 7 8; do
  sed "s/\\"id\\": *\\"[0-9A-Z]*\\"/\\"id\\": \\"01TEST0000000000000000005$i\\"/; s/\\"started\\": *\\"[^\\"]*\\"/\\"started\\": \\"2026-01-0${i}T00:00:00.000Z\\"/" earlier.json >round-$i.json
done
"""


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


def filled(name, command, room_kib, says, family="leave", **more):
    """The same of a file system that has room for a round when it begins, and so much left once it is measured."""
    fill = f'''room=$(($(df -k --output=avail "$PLACE" | tail -n 1) - {room_kib}))
[ "$room" -le 0 ] || head -c "${{room}}k" /dev/zero >>"$PLACE/ballast"
'''
    row = full(name, command, room_kib, says, family=fill + family, **more)
    begins = f"head -c $((1024 - {room_kib} - $(du -sk place | cut -f1)))k /dev/zero >place/ballast"
    assert begins in row.run
    row.run = row.run.replace("size=1m", "size=8m").replace(begins, "export PLACE=$PWD/place; : >place/ballast")
    return row


ROWS = [
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
    *(
        full(
            f"disk full, check, nothing is measured for it, {room} KiB left",
            f"gpugauge check --state-dir place/s {HOST}",
            room,
            "runs cannot be kept in place/s/runs: No space left on device, a round takes up to 4 MiB; nothing was measured;"
            " make room there, or name another state directory",
            keeps="place/s(/runs|/verdicts)?$",
            family="here; leave",
            holds="[ ! -e libexec/here ]",
        )
        for room in (0, 1000)
    ),
    filled(
        "disk full, check, no room for the run",
        f"gpugauge check --state-dir place/s {HOST}",
        0,
        "good/op.* what was measured and judged could not be kept: place/s/runs/.* could not be written .*" + NO_ROOM,
        keeps="place/s(/runs|/verdicts)?$",
    ),
    filled(
        "disk full, check, a verdict against the device",
        f"gpugauge check --state-dir place/s {HOST} --exit-style slurm",
        0,
        "failed: 1 of 1 metric .bad.*place/s/runs/.* could not be written .*" + NO_ROOM + STANDS,
        code=1,
        keeps="place/s(/runs|/verdicts)?$",
        family="kill -SEGV $$",
    ),
    filled(
        "disk full, run, no room for its output either",
        f"gpugauge run --state-dir place/s {HOST} --output place/out.json",
        0,
        "good/op.* place/out.json could not be written .*" + NO_ROOM + ".*; nor could it be kept in the state folder: place/s",
        keeps="place/s(/runs)?$",
    ),
    filled(
        "disk full, run, no room for it",
        f"gpugauge run --state-dir place/s {HOST}",
        0,
        "good/op.* place/s/runs/.* could not be written .*" + NO_ROOM,
        keeps="place/s(/runs)?$",
    ),
    filled(
        "disk full, run, something failed",
        f"gpugauge run --state-dir place/s {HOST}",
        0,
        "bad .0 of 1 processes whole.*place/s/runs/.* could not be written .*" + NO_ROOM + STANDS,
        code=1,
        keeps="place/s(/runs)?$",
        family="kill -SEGV $$",
    ),
    filled(
        "disk full, check, no room for the verdict",
        f"gpugauge check --state-dir place/s {HOST}",
        8,
        "good/op.* the verdict could not be kept for .gpugauge status.: .*" + NO_ROOM,
        keeps="place/s(/runs(/[0-9A-Z]{26}.json)?|/verdicts)?$",
    ),
    filled(
        "disk full, check, no room for another verdict",
        f"gpugauge check --state-dir place/s {HOST} >said; code=$?; gpugauge status --device host --state-dir place/s; (exit $code)",
        8,
        "the verdict could not be kept for .gpugauge status.: .*" + NO_ROOM + ".*Host.*cannot judge, .* ago: nothing to judge",
        first=f"gpugauge check --state-dir place/s {HOST}; test -s place/s/verdicts/host.json",
        keeps="place/s/runs/[0-9A-Z]{26}.json$",
    ),
]
