"""A file that was handed in: to compare, to fleet, to the history, to diagnose and to the doctor."""

from fault import Fault

# As another user, who may read all of the row's folder and write none of it.
OTHER = "setpriv --reuid=65534 --regid=65534 --clear-groups "
STORE = "has_history"
AS_OTHER = STORE + (
    f' && is_root && {{ {OTHER}test -x "$BUILD/bin/gpugauge" || {{ echo "the build cannot be reached without root"; false; }}; }}'
)


def run_file(name, make, says, **more):
    return Fault(
        f"run file: {name}", "timeout 20 gpugauge compare x.json", 2, "gpugauge: .*" + says, before=make, **more
    )


def changed(statement):
    """earlier.json as x.json after a statement of Python on `run`."""
    return f"""python -c "import json; run = json.load(open('earlier.json')); {statement}; json.dump(run, open('x.json', 'w'))" """


def store(name, make, says, command="gpugauge history trend 'good/*' --store s.sqlite", code=2, **more):
    return Fault(
        f"store: {name}",
        command,
        code,
        says,
        before="gpugauge history ingest --store s.sqlite earlier.json >/dev/null; " + make,
        changes="s.sqlite|x.sqlite",
        **{"needs": STORE, **more},
    )


def damaged(name, statement, says, command="gpugauge history changes --store s.sqlite"):
    """Changed past every writer of ours, as anybody can who may write the file."""
    make = f"""python - <<'PY'
import sqlite3
base = sqlite3.connect("s.sqlite")
base.execute("{statement}")
base.commit()
PY"""
    return store(name, make, says, command)


def waits(command):
    """/proc/kmsg is a regular file whose reader waits for the kernel's next line."""
    return Fault(
        f"store: a file whose reader waits, for {command.replace(' earlier.json', '')}",
        f"gpugauge {command}",
        3 if command == "fleet /proc/kmsg" else 2,
        "/proc/kmsg (could not be (read|opened): |: file is not a database)",
        needs=STORE + " && { [ -e /proc/kmsg ] || { echo 'it has no /proc/kmsg'; false; }; }",
    )


ROWS = [
    run_file("missing", "true", "x.json could not be opened: No such file or directory"),
    run_file("empty", ": >x.json", "x.json: the file is empty"),
    run_file("cut short", "head -c 700 earlier.json >x.json", "x.json.*truncated"),
    run_file("a key twice", """echo '{"schema": "gpugauge.run/1", "schema": "x"}' >x.json""", "x.json"),
    run_file("nested a hundred thousand deep", "head -c 100000 /dev/zero | tr '\\0' '[' >x.json", "x.json"),
    run_file(
        "of another schema", "sed 's|gpugauge.run/1|gpugauge.run/2|' earlier.json >x.json", "x.json.*gpugauge.run/1"
    ),
    run_file("a pipe", "mkfifo x.json", "x.json is not a regular file"),
    run_file("a folder without one", "mkdir x.json", "x.json holds no [*].json file"),
    run_file("binary", "head -c 100000 /dev/urandom >x.json", "x.json"),
    run_file("of 3 GiB", "truncate -s 3G x.json", "x.json has 3221225472 bytes; at most"),
    run_file("an escape sequence in it", """printf '{"schema": "\\033[31mred"}' >x.json""", "x.json"),
    run_file(
        "a word of 100 kB",
        """python -c "print('{\\"schema\\": \\"' + 'w' * 100000 + '\\"}')" >x.json""",
        "x.json: is of schema 'w{80}[.]{3}'",
        lacks="w{81}",
    ),
    run_file(
        "marks that turn the text and a NUL in it",
        """printf '{"schema": "a\\\\u202eb\\\\u0000c\\\\u2028d"}' >x.json""",
        "x.json: is of schema 'a[?]b[?]c[?]d'; gpugauge.run/1 is expected here",
    ),
    run_file(
        "a value of 1e308",
        changed("run['processes'][0]['samples']['benchmarks'][0]['metrics'][0]['value'] = 1e308"),
        "x.json: .*value is 1e[+]308, and nothing of a machine is above 1e[+]30",
    ),
    run_file(
        "a process that is ok and ended with 139",
        changed("run['processes'][0]['exit_code'] = 139"),
        "x.json: good process 0: is ok although it ended with exit code 139",
    ),
    run_file(
        "a whole run that says why it is partial",
        changed("run['partial_reason'] = 'SIGINT'"),
        "x.json: the run is complete and says why it is partial",
    ),
    run_file(
        "no permission",
        "cp earlier.json x.json; chmod 0 x.json",
        "x.json could not be opened: Permission denied",
        needs='[ "$(id -u)" != 0 ] || { echo "root reads everything"; false; }',
    ),
    Fault(
        "run file: begun in 2099",
        "gpugauge history ingest --store s.sqlite x.json; gpugauge fleet x.json; gpugauge compare --before earlier.json"
        " --after x.json",
        0,
        r"(?s)gpugauge: x.json is dated 2099-01-01T00:00:00Z, later than now: the clock of .*1 of 1 files stored"
        r".*x.json is dated 2099.*After: x.json is dated 2099",
        needs=STORE,
        before=changed("run.update(started='2099-01-01T00:00:00Z', id='01J00000000000000000000000')"),
        changes="x.json",
        makes="s.sqlite.*",
    ),
    Fault(
        "fleet: one of three cannot be read",
        "gpugauge fleet night",
        3,
        "b.json.*truncated",
        before=(
            "mkdir night; cp earlier.json night/a.json; cp earlier.json night/c.json; head -c 500 earlier.json"
            " >night/b.json"
        ),
    ),
    Fault("fleet: a folder without files", "mkdir night; gpugauge fleet night", 2, "night holds no .*json file"),
    Fault(
        "fleet: a link that leads round",
        "mkdir night; ln -s ../night night/again; cp earlier.json night/a.json; gpugauge fleet night",
        3,
        "cannot judge|1 ",
    ),
    Fault(
        "diagnose: an empty object",
        "echo '{}' | gpugauge diagnose -",
        2,
        "holds nothing that was seen, not even a schema: it is no observation; see docs/observation.md",
    ),
    Fault(
        "diagnose: no observation",
        "gpugauge diagnose earlier.json",
        2,
        "earlier.json: is of schema .gpugauge.run/1.; gpugauge.observation/1 is expected here",
    ),
    Fault(
        "doctor: an inventory that is none",
        "gpugauge doctor --inventory earlier.json",
        2,
        "earlier.json is a run file, which tells only a part of a stack",
    ),
    Fault(
        "doctor: a lock that is none",
        "gpugauge doctor verify earlier.json",
        2,
        "earlier.json: is of schema .gpugauge.run/1.; gpugauge.lock/1 is expected here",
    ),
    store(
        "cut short",
        "truncate -s 5000 s.sqlite; rm -f s.sqlite-*",
        "the store s.sqlite: database disk image is malformed, so it is damaged: make it again from the run files",
    ),
    store(
        "no database",
        "head -c 20000 /dev/urandom >s.sqlite; rm -f s.sqlite-*",
        "the store s.sqlite: file is not a database",
    ),
    store("missing", "rm s.sqlite*", "there is no store at s.sqlite: `gpugauge history ingest` makes one"),
    store("a folder", "rm s.sqlite*; mkdir s.sqlite", "the store s.sqlite is a folder; give a file in it"),
    store(
        "of another program",
        'rm s.sqlite*; python -c \'import sqlite3; sqlite3.connect("s.sqlite").executescript("create table note'
        " (text)\")'",
        "s.sqlite is a database of something else and no store of GPUGauge: give another file",
    ),
    store(
        "in a place that takes no file",
        "true",
        "the store /proc/x.sqlite(: it could not be opened: unable to open database file| cannot be written: /proc takes no file)",
        command="gpugauge history ingest --store /proc/x.sqlite earlier.json",
    ),
    damaged(
        "a time that is none",
        "UPDATE run SET started = 'x'",
        r"s.sqlite holds .*\(a time that is none\), so it is damaged",
    ),
    Fault(
        "store: cut short while a check measures",
        "gpugauge check $HOST --store s.sqlite --report html=page.html",
        1,
        r"(?s)family bad .*SIGSEGV.*failed: 1.*--store: .*the store s.sqlite.*; what was found stands",
        family=': >"${0%/*}/../s.sqlite"; kill -SEGV $$',
        before="gpugauge history ingest --store s.sqlite earlier.json >/dev/null",
        changes="state/runs|s.sqlite",
        makes="page.html",
        holds="[ -e state/verdicts/host.json ]",
        needs=STORE,
    ),
    damaged(
        "runs of a device that is not there",
        "UPDATE run SET device = 99",
        r"s.sqlite holds .*\(runs of a device that is missing\), so it is damaged",
    ),
    damaged(
        "values of a metric that is not there",
        "UPDATE measurement SET metric = 99",
        "a value of a metric 99 that is missing.*, so it is damaged",
    ),
    *(
        damaged(
            f"without its schema's number, for {command}",
            "DELETE FROM schema_version",
            "the store s.sqlite does not say which schema it has, so it is damaged",
            f"gpugauge history {command} --store s.sqlite",
        )
        for command in ("changes", "ingest earlier.json")
    ),
    *(
        waits(command)
        for command in (
            "fleet /proc/kmsg",
            "fleet --store /proc/kmsg",
            "history changes --store /proc/kmsg",
            "history ingest earlier.json --store /proc/kmsg",
        )
    ),
    store("a pipe", "rm s.sqlite*; mkfifo s.sqlite", "the store s.sqlite is not a regular file"),
    *(
        store(
            f"of another user, {what}",
            "chmod 755 . && chmod a+r s.sqlite",
            says,
            f"{OTHER}gpugauge {command} --store s.sqlite",
            code=code,
            needs=AS_OTHER,
            holds='[ "$(ls s.sqlite*)" = s.sqlite ]',
        )
        for what, command, code, says in (
            ("its changes", "history changes", 0, "0 changes of level in 1 series"),
            ("its trend", "history trend 'good/*'", 0, "good/op"),
            ("exported", "history export", 0, "good/op:latency"),
            ("as a night", "fleet", 3, "1 run of "),
            (
                "to be written",
                "history ingest earlier.json",
                2,
                "the store s.sqlite may be read and not written here: Permission denied",
            ),
        )
    ),
    Fault(
        "store: on a read-only file system",
        "mkdir place; unshare --mount bash -c 'mount -t tmpfs none place && cp s.sqlite place && mount -o remount,ro none"
        " place && gpugauge history export --store place/s.sqlite'",
        0,
        "good/op:latency",
        before="gpugauge history ingest --store s.sqlite earlier.json >/dev/null",
        needs=STORE + " && can_mount",
    ),
    store(
        "of another user, with a log that was left",
        """chmod 755 .
python - <<'PY'
import shutil, sqlite3
base = sqlite3.connect("s.sqlite")
base.execute("UPDATE run SET boot_id = 'x'")
base.commit()
for ending in ("", "-wal"):
    shutil.copy("s.sqlite" + ending, "x.sqlite" + ending)
PY
chmod a+r x.sqlite*""",
        "the store x.sqlite was not closed by who wrote it last: a part of it is in .*x.sqlite-wal",
        OTHER + "gpugauge history changes --store x.sqlite",
        needs=AS_OTHER,
    ),
    Fault(
        "store: one of the files is cut short",
        "gpugauge history ingest --store s.sqlite earlier.json x.json",
        2,
        "x.json.*truncated.*: skipped.*1 of 2 files stored .*1 refused",
        needs=STORE,
        before="head -c 700 earlier.json >x.json",
        holds="gpugauge history ingest --store s.sqlite earlier.json | grep '1 known already'",
    ),
    Fault(
        "store: SQL in the names",
        """gpugauge history ingest --store s.sqlite --node "n'); DROP TABLE run; --" earlier.json
gpugauge history trend "x'; DROP TABLE run; --" --store s.sqlite
gpugauge history ingest --store s.sqlite earlier.json""",
        0,
        "1 of 1 files stored.*1 known already",
        needs=STORE,
    ),
]
