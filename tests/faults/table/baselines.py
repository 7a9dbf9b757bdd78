"""A baseline that was cut short, edited, moved or comes from somewhere else."""

from fault import Fault

MAKE = """
python - <<'PY'
import json, random
run = json.load(open("earlier.json"))
for number in range(5):
    run["id"] = f"01TEST{number + 50:020d}"
    run["started"] = run["started"][:20] + f"{number:03d}Z"
    open(f"{number}.json", "w").write(json.dumps(run))
PY
gpugauge baseline create --name mine [0-4].json >/dev/null
mine=state/baselines/mine
one=$mine/runs/01TEST00000000000000000052.json
"""
# One that the shim finds.
OUTSIDE = MAKE + """gpugauge baseline create --output .outside [0-4].json >/dev/null
sed 's|\\b0[.]001\\b|0.002|g' earlier.json >slow.json
"""
ACCEPT = "gpugauge baseline accept ./.outside --metric '*' --run slow.json --reason test"
GIVEN = "gpugauge compare earlier.json --baseline mine"


def refused(name, edit, says, **more):
    """Asked for by name it is refused; where it is only one that might fit, it is named and not used."""
    return [
        Fault(f"{name}, asked for", GIVEN, 2, says, before=MAKE + edit, **more),
        Fault(
            f"{name}, found", "gpugauge compare earlier.json", 3, f"({says}).*cannot judge", before=MAKE + edit, **more
        ),
    ]


def edited(name, file, was, now, says):
    return refused(name, f"sed -i 's|{was}|{now}|' {file}", says)


def bundle(name, edit, says, **more):
    """A file that is to be imported."""
    return Fault(
        f"import: {name}",
        "gpugauge baseline import it.json",
        2,
        says,
        before=MAKE + "gpugauge baseline export mine it.json >/dev/null; rm -r state/baselines\n" + edit,
        holds='[ -z "$(ls -A state/site 2>/dev/null)" ] && [ ! -e escaped ]',
        makes="state/site",
        **more,
    )


def change(statement):
    return (
        "python - <<'PY'\nimport json\nit = json.load(open('it.json'))\nfiles ="
        f" it['files']\n{statement}\njson.dump(it, open('it.json', 'w'))\nPY"
    )


ROWS = [
    Fault("whole", GIVEN, 0, "given baseline mine", before=MAKE),
    *refused(
        "its manifest cut short",
        "truncate -s 100 $mine/baseline.json",
        "baseline.json: the JSON ends too early, after 100 bytes: the file is truncated",
    ),
    *refused("its manifest empty", ": >$mine/baseline.json", "baseline.json: the file is empty"),
    *edited(
        "its manifest of another schema",
        "$mine/baseline.json",
        "gpugauge.baseline/1",
        "gpugauge.baseline/2",
        "baseline.json: .*gpugauge.baseline/1",
    ),
    *edited("its manifest edited", "$mine/baseline.json", '"started": "2', '"started": "3', "the manifest was changed"),
    *edited(
        "a path that leads out",
        "$mine/baseline.json",
        "runs/01TEST00000000000000000052.json",
        "../../../../etc/passwd",
        "a baseline reaches no file outside its folder",
    ),
    *refused(
        "a run cut short", "truncate -s 300 $one", "52.json has 300 bytes and was pinned with .*it was truncated since"
    ),
    *refused(
        "a run edited",
        """sed -i 's|"seed": [0-9]|"seed": 1|; s|"seed":[0-9]|"seed":1|' $one; sed -i 's|0.001|0.002|' $one""",
        "52.json .*(was changed since it was pinned|was changed since)",
    ),
    *refused("a run missing", "rm $one", "52.json is missing: the baseline is incomplete"),
    *refused(
        "a run that is a link",
        "mv $one elsewhere; ln -s $PWD/elsewhere $one",
        "52.json is a link: a baseline holds plain files only",
    ),
    *refused(
        "its runs' folder a link",
        "mv $mine/runs elsewhere; ln -s $PWD/elsewhere $mine/runs",
        "runs is a link: a baseline holds plain files only",
    ),
    *refused("a run that is a pipe", "rm $one; mkfifo $one", "52.json is not a regular file"),
    *refused(
        "its log edited",
        "sed -i 's|created|removed|' $mine/log.jsonl",
        "log.jsonl:1 is not the line that was written there: the log was changed since",
    ),
    *refused("its log removed", "rm $mine/log.jsonl", "log.jsonl is missing: 1 decision was recorded there"),
    *refused("its log's head removed", "rm $mine/log.head", "log.head is missing: without it nobody can tell"),
    *refused("its log and head removed", "rm $mine/log.*", "log.jsonl is missing: every baseline has a log"),
    Fault(
        "no such baseline",
        "gpugauge compare earlier.json --baseline nothing",
        2,
        "there is no baseline 'nothing'; there is none yet",
    ),
    Fault("a file in its place", "gpugauge compare earlier.json --baseline ./earlier.json", 2, "baseline.json"),
    Fault(
        "an empty folder",
        "mkdir empty; gpugauge compare earlier.json --baseline ./empty",
        2,
        "empty/baseline.json is missing",
    ),
    Fault(
        "of another machine",
        GIVEN,
        3,
        "Not compared with .*Not comparable with that baseline: device.host.cpu_model .*cannot judge",
        before=MAKE + """sed -i 's|"host.cpu_model": "[^"]*"|"host.cpu_model": "Other"|' earlier.json""",
        changes="earlier",
    ),
    Fault(
        "of another GPU",
        "gpugauge compare now.json --baseline mine",
        3,
        "Not compared with .*Not comparable with that baseline: device.gpu.0.name .*cannot judge",
        gpu=True,
        before=MAKE
        + """sed 's|"gpu.0.name": "[^"]*"|"gpu.0.name": "NVIDIA Other 2000"|' earlier.json >now.json; ! cmp -s now.json earlier.json""",
    ),
    Fault(
        "from the future",
        GIVEN,
        0,
        "holds a round dated 2099-01-01T00:00:00.000Z, later than now: the clock of this machine is wrong",
        before=MAKE.replace('run["id"] =', 'run["started"] = "2099-01-01T00:00:00.000Z"; run["id"] ='),
    ),
    Fault(
        "rounds that are partial",
        "gpugauge baseline create --name mine part.json",
        2,
        "it is partial: stopped",
        before="""sed 's|"complete": *true|"complete": false|; s|"partial_reason": *""|"partial_reason": "stopped"|' earlier.json >part.json""",
    ),
    Fault(
        "made twice",
        "gpugauge baseline create --name mine earlier.json",
        2,
        "already holds a baseline; baselines are never overwritten",
        before=MAKE,
    ),
    Fault(
        "a name that leads out",
        "gpugauge baseline create --name ../../escaped earlier.json",
        2,
        "--name ../../escaped: a name is made of letters",
        holds="[ ! -e escaped ] && [ ! -e ../escaped ]",
    ),
    bundle("cut short", "truncate -s 2000 it.json", "it.json: .*truncated"),
    bundle(
        "of another schema",
        "sed -i 's|gpugauge.baseline_bundle/1|gpugauge.bundle/9|; s|bundle/1|bundle/9|' it.json",
        "it.json.*schema|it.json.*bundle/1",
    ),
    bundle(
        "a file that leads out",
        change("files['../../escaped'] = 'x'"),
        "holds '../../escaped', which is no file of a baseline",
    ),
    bundle(
        "a run that leads out", change("files['runs/../../../escaped.json'] = 'x'"), "which is no file of a baseline"
    ),
    bundle(
        "an absolute path",
        change("files['/tmp/escaped'] = 'x'"),
        "holds '/tmp/escaped', which is no file of a baseline",
    ),
    bundle(
        "a name that leads out", change("it['name'] = '../../escaped'"), "its name '../../escaped' cannot be a folder's"
    ),
    bundle("a name with a command", change("it['name'] = '$(touch escaped)'"), "cannot be a folder's"),
    bundle(
        "a file that its manifest does not name",
        change("files['runs/01TEST00000000000000000099.json'] = files['runs/01TEST00000000000000000052.json']"),
        "it holds files that its manifest does not name",
    ),
    bundle(
        "a run changed",
        change(
            "files['runs/01TEST00000000000000000052.json'] ="
            " files['runs/01TEST00000000000000000052.json'].replace('0.001', '0.002')"
        ),
        "52.json was changed since it was pinned|was changed since",
    ),
    bundle("without a manifest", change("del files['baseline.json']"), "holds no baseline.json"),
    bundle("a value that is no text", change("files['baseline.json'] = 7"), "it.json: files"),
    Fault(
        "import: the place is a link",
        "gpugauge baseline import it.json",
        2,
        "is there already; baselines are never overwritten",
        before=MAKE
        + "gpugauge baseline export mine it.json >/dev/null; mkdir -p state/site target; ln -s $PWD/target"
        " state/site/mine",
        holds='[ -z "$(ls -A target)" ]',
    ),
    Fault(
        "import: the site's folder is a link into nothing",
        "gpugauge baseline import it.json",
        2,
        "state/site is a link: what is kept in the state folder .* goes through none",
        before=MAKE + "gpugauge baseline export mine it.json >/dev/null; ln -s $PWD/nowhere state/site",
        holds="[ ! -e nowhere ]",
    ),
    Fault(
        "create: the baselines' folder is a link",
        "gpugauge baseline create --name mine earlier.json",
        2,
        "state/baselines is a link: what is kept in the state folder .* goes through none",
        before="mkdir victim; ln -s $PWD/victim state/baselines",
        holds='[ -z "$(ls -A victim)" ]',
    ),
    Fault(
        "create: its own folder is a link, which is said before anything is measured",
        "gpugauge baseline create $HOST --rounds 1 --name mine",
        2,
        "state/baselines/mine is a link: what is kept in the state folder .* goes through none",
        before="mkdir -p victim state/baselines; ln -s $PWD/victim state/baselines/mine",
        holds='[ -z "$(ls -A victim)" ] && [ "$(ls state/runs | wc -l)" = 1 ]',
    ),
    Fault(
        "accept: its log cannot be synced",
        ACCEPT,
        2,
        r"\.outside/log.jsonl could not be written: Input/output error",
        shim="fsync=5",
        before=OUTSIDE,
        holds='[ "$(wc -l <.outside/log.jsonl)" = 1 ] && gpugauge baseline show ./.outside',
    ),
    Fault(
        "accept: the length of its log cannot be kept",
        ACCEPT,
        2,
        r"\.outside/log.head could not be ",
        shim="rename=5",
        before=OUTSIDE,
        holds='[ "$(wc -l <.outside/log.jsonl)" = 1 ] && gpugauge baseline show ./.outside',
    ),
    Fault(
        "accept: killed when half of it is written",
        ACCEPT
        + "; echo killed $?; cp -r .outside torn; SHIM=; gpugauge compare earlier.json --baseline ./.outside"
        " && gpugauge baseline retire ./.outside --reason test",
        0,
        "killed 137 .*given baseline .*Baseline .*is retired",
        shim="write=kill",
        before=OUTSIDE,
        changes="^.outside/log",
        makes="torn/.*",
        holds='[ -n "$(tail -c 1 torn/log.jsonl)" ] && [ -z "$(tail -c 1 .outside/log.jsonl)" ] && [ "$(wc -l'
        ' <.outside/log.jsonl)" = 2 ]',
    ),
    Fault(
        "retire: its folder is a link",
        "gpugauge baseline retire mine --reason old",
        2,
        "state/baselines/mine is a link: what is kept in the state folder .* goes through none",
        before=MAKE + "mv $mine victim; ln -s $PWD/victim $mine",
    ),
    Fault(
        "retire: its log's head is a link",
        "gpugauge baseline retire mine --reason old",
        2,
        "log.head is a link: a baseline holds plain files only",
        before=MAKE + "mv $mine/log.head victim; ln -s $PWD/victim $mine/log.head",
    ),
]
