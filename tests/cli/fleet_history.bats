# gpugauge fleet from a history: it says what it says of the same files. make_fleet's node 5 has a class hbm 8% slower, and its second
# run starts a day after the first one.
load common

export WIDE=yes

# 12 nodes with one run each, and node 5 with the run that confirms it.
setup_retest() {
  if gpugauge history --help 2>&1 | grep -q 'Not in this build'; then skip "this build has no history: SOCI is not installed"; fi
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 12 2 >planted.txt
  mv fleet/node-00005/round-2.json second.json
  rm fleet/*/round-2.json
  mv second.json fleet/node-00005/round-2.json
}

# What the store says, given after its name, must be what the files say, their folders being nodes.
same_as_files() {
  gpugauge fleet "$@" --report json=store.json --emit-retest store.again >store.txt || [ $? -ne 2 ]
  gpugauge fleet fleet --by-folder --report json=files.json --emit-retest files.again >files.txt || [ $? -ne 2 ]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" fleet store.json
  cmp store.again files.again
  "$PYTHON" - <<'PY'
import json
def said(name):
    report = json.load(open(name))
    # A history has no telemetry: less is known of why.
    nodes = [{key: value for key, value in node.items() if key not in ("file", "files", "findings")} for node in report["nodes"]]
    return {"outcome": report["outcome"], "drift": report["drift"], "groups": report["groups"], "nodes": nodes}
store, files = said("store.json"), said("files.json")
for part, told in files.items():
    assert store[part] == told, (part, store[part], told)
PY
  diff <(grep 'differs: ' store.txt) <(grep 'differs: ' files.txt)
}

@test "a firmware that one node has otherwise is named from a history as from its files" {
  setup_retest
  rm fleet/node-00005/round-2.json
  edit_files 'it["fingerprint"]["settings"]["gpu.0.vbios"] = "96.00.1.01" if "node-00007" in name else "96.00.0.01"' fleet/*/*.json
  gpugauge history ingest fleet --store h.sqlite
  same_as_files h.sqlite
  grep -q 'differs: settings.gpu.0.vbios: 96.00.0.01 on 11 of 12 runs; 96.00.1.01 on node-00007' store.txt
  [ "$(cat store.again)" = $'node-00005\tGPU-00000000-0000-4000-8000-000000000005' ]
}

@test "a GPU that cannot repair its memory, and one that waits for a reset, are told from a history as from their files" {
  setup_retest
  rm -r fleet/node-00005
  edit_files '
series = {"node-00003": "remap_failed", "node-00007": "remap_pending"}
for node, name_of_series in series.items():
    if node in name:
        it["telemetry"].append({"source": "gpu:" + it["device"], "name": name_of_series, "unit": "1", "seconds": [1], "values": [1]})' fleet/*/*.json
  gpugauge history ingest fleet --store h.sqlite
  same_as_files h.sqlite
  [ ! -s store.again ]  # no further run decides either
  run -1 gpugauge fleet h.sqlite
  [[ $output == *"1 of 11 nodes has a finding (node-00003); 1 in doubt (node-00007)"* ]]
  [[ $output == *"health/memory"*"could not be remapped"* ]]
  run -0 gpugauge history changes --store h.sqlite
  [[ $output == "Health of GPUs, as runs found it:"* ]]
  [[ $output == *"node-00003, GPU-"*"failed  health/memory in 1 run: "*"could not be remapped"*"node-00007, GPU-"*"in doubt  health/memory in 1 run: "* ]]
  gpugauge history changes --store h.sqlite --json >report.json
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" history report.json
  [ "$("$PYTHON" -c 'import json; print([one["verdict"] for one in json.load(open("report.json"))["health"]])')" = "['failed', 'inconclusive']" ]
  run -0 gpugauge history changes --store h.sqlite --metric '*:bandwidth'
  [[ $output != *"Health"* ]]
  mkdir new
  mv fleet/node-00003 new/
  run -1 gpugauge fleet admit new --against fleet
  [[ $output == *"health/memory: failed"* ]]
}

# 11 healthy nodes whose benchmark 007 has two modes: two of five processes are in the slow one, and by chance three of node 7.
@test "a node that chance put into the other of two modes is no suspect, from a history as from its files" {
  setup_retest
  rm -r fleet/node-00005
  edit_files '
slow = 3 if "node-00007" in name else 2
for process in it["processes"][:slow]:
    for benchmark in process["samples"]["benchmarks"]:
        if benchmark["id"] == "synthetic/op/007":
            for metric in benchmark["metrics"]:
                metric["value"] *= .7 if metric["better"] == "higher" else 1.4' fleet/*/*.json
  gpugauge history ingest fleet --store h.sqlite
  same_as_files h.sqlite
  [ ! -s store.again ]
  # A store that does not say how far processes lie apart takes it for a fault.
  "$PYTHON" -c 'import sqlite3
store = sqlite3.connect("h.sqlite")
store.execute("UPDATE measurement SET process_values = \"[1]\"")
store.commit()'
  gpugauge fleet h.sqlite --emit-retest alone.again
  [ "$(cut -f 1 alone.again)" = node-00007 ]
}

@test "what is recorded only, and what was chosen, is told from a history as from its files" {
  setup_retest
  rm fleet/node-00005/round-2.json
  edit_files '
def edit(number, benchmarks):
    for process in it["processes"]:
        for benchmark in process["samples"]["benchmarks"]:
            if benchmark["id"] in benchmarks and process["index"] < number:
                for metric in benchmark["metrics"]:
                    metric["judged"], metric["note"] = False, "99 batches are too few"
node = name.split("/")[1]
if node == "node-00001": edit(5, ["synthetic/op/010"])
if node == "node-00009":  # all of it, and far worse
    for process in it["processes"]:
        for benchmark in process["samples"]["benchmarks"]:
            for metric in benchmark["metrics"]: metric["value"] *= .5 if metric["better"] == "higher" else 2
    edit(5, [one["id"] for one in it["processes"][0]["samples"]["benchmarks"]])
if node == "node-00002": edit(2, ["synthetic/op/010"])
if node < "node-00006": edit(5, ["synthetic/op/011"])
edit(5, ["synthetic/op/012"])
if node == "node-00003":
    it["only"] = ["synthetic/op/01%d" % digit for digit in range(10)]
    for process in it["processes"]:
        own = process["samples"]
        own["benchmarks"] = [one for one in own["benchmarks"] if one["id"] in it["only"]]' fleet/*/*.json
  gpugauge history ingest fleet --store h.sqlite
  same_as_files h.sqlite
  grep -q node-00009 store.again
  run -2 gpugauge history trend 'synthetic/op/012*' --store h.sqlite
  [[ $output == *"no metric of the store h.sqlite matches"* ]]
  run -0 gpugauge history trend 'synthetic/op/011*' --store h.sqlite
}

@test "a second run of the same night confirms, whatever its round" {
  setup_retest
  for round in 1 2; do
    edit_files "it['round'] = $round; it['started'] = '2026-01-02T05:00:00Z'" fleet/node-00005/round-2.json
    gpugauge history ingest fleet --store "h$round.sqlite"
    same_as_files "h$round.sqlite"
    run -1 gpugauge fleet "h$round.sqlite" --night 2026-01-02
    [[ $output == *"(node-00005)"* && $output == *"13 runs of 2026-01-02 (UTC) from the store h$round.sqlite."* ]]
  done
}

@test "a retest on the next day is taken with the night before it" {
  setup_retest
  gpugauge history ingest fleet --store h.sqlite
  run -3 gpugauge fleet h.sqlite
  [[ $output == *"1 node of its kind, and 8 are needed"* ]]
  [[ $output == *"Other devices were measured before that: \`--night 2026-01-02..2026-01-03\` takes their runs, too."* ]]
  run -0 gpugauge fleet h.sqlite --night 2026-01-02
  [[ $output == *"1 to be measured again (node-00005)"* && $output != *"Other devices"* ]]
  run -1 gpugauge fleet h.sqlite --night 2026-01-02..2026-01-03
  [[ $output == *"13 runs of 2026-01-02..2026-01-03 (UTC) from the store h.sqlite."* ]]
  same_as_files h.sqlite --night 2026-01-02..2026-01-03
  # A repeated round is of the night that it repeats, also after midnight.
  edit_files "it['round'] = 2" fleet/node-00005/round-2.json
  gpugauge history ingest fleet --store repeated.sqlite
  same_as_files repeated.sqlite
  run -1 gpugauge fleet --store repeated.sqlite
  [[ $output == *"13 runs of 2026-01-02..2026-01-03 (UTC) from the store repeated.sqlite."* ]]
}

@test "a night over midnight is one night, and what was measured before a retest is not passed over" {
  setup_retest
  rm fleet/node-00005/round-2.json
  edit_files 'it["started"] = "2026-01-02T23:30:00Z" if "node-0000" in name else "2026-01-03T00:30:00Z"' fleet/*/*.json
  gpugauge history ingest fleet --store h.sqlite
  run -0 gpugauge fleet h.sqlite
  [[ $output == *"12 runs of 2026-01-02..2026-01-03 (UTC) from the store h.sqlite."* && $output != *"Other devices"* ]]
  mkdir again
  cp -r fleet/node-0000[0-7] again
  edit_files 'it["id"] += "A"; it["started"] = "2026-01-03T12:00:00Z"' again/*/*.json
  gpugauge history ingest again --store h.sqlite
  run -3 gpugauge fleet h.sqlite --report json=report.json --report html=page.html --report openmetrics=out.prom
  [[ $output == *"8 runs of 2026-01-03T12:00:00Z..2026-01-03 (UTC) from the store h.sqlite."* ]]
  [[ $output == *"Other devices were measured before that: \`--night 2026-01-02..2026-01-03\` takes their runs, too."* ]]
  [[ $output == *"node-00009  not judged"*"was measured on 2026-01-02, and has no run among these"* ]]
  [[ $output == *"cannot judge all nodes: 7 of 12 nodes are like their peers; 1 to be measured again (node-00005); 4 not judged (node-00008, "* ]]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" fleet report.json
  grep -q '^gpugauge_fleet_host_state{host="node-00008",state="not judged"} 1$' out.prom
  run -0 gpugauge fleet h.sqlite --night 2026-01-03T12:00:00Z..2026-01-03
  [[ $output != *"Other devices"* ]]
  run -1 gpugauge fleet h.sqlite --night 2026-01-02..2026-01-03
  [[ $output == *"20 runs of 2026-01-02..2026-01-03"*"1 of 12 nodes has a finding (node-00005)"* ]]
  run gpugauge fleet admit fleet/node-00009 --against h.sqlite
  [[ $output == *"The fleet: 8 runs of 2026-01-03T12:00:00Z..2026-01-03 (UTC)"*"Other devices were measured before that: \`--night 2026-01-02..2026-01-03\`"* ]]
}

@test "hosts of a history are called what the site calls them, whatever their boot" {
  setup_retest
  edit_files 'it["device"] = "host"; it["boot_id"] = "one" if "round-1" in name else "another"
device = it["fingerprint"]["device"]
it["fingerprint"]["device"] = {key: value for key, value in device.items() if key.startswith("host.")}' fleet/*/*.json
  gpugauge history ingest fleet --store h.sqlite
  same_as_files h.sqlite --night 2026-01-02..2026-01-03
  run -1 gpugauge fleet h.sqlite --night 2026-01-02..2026-01-03
  [[ $output == *"(node-00005)"* ]]
}

@test "several cards of a node are named by their node where they are to be measured again" {
  setup_retest
  rm fleet/node-00005/round-2.json
  mv fleet/node-00005/round-1.json fleet/node-00004/other.json
  rmdir fleet/node-00005
  edit_files 'it["boot_id"] = "one"' fleet/node-00004/*.json
  gpugauge history ingest fleet --store h.sqlite
  run -0 gpugauge fleet h.sqlite --emit-retest again.txt
  [[ $output == *"node-00004 GPU-00000000-0000-4000-8000-000000000005"* ]]
  [ "$(cat again.txt)" = $'node-00004\tGPU-00000000-0000-4000-8000-000000000005' ]
}

@test "a history is known by what it holds, and is given alone" {
  setup_retest
  gpugauge history ingest fleet --store nights.store
  gpugauge fleet --store nights.store --night 2026-01-02 >named.out
  gpugauge fleet nights.store --night 2026-01-02 >found.out
  cmp named.out found.out
  run -1 gpugauge fleet admit fleet/node-00005 --against nights.store --night 2026-01-02..2026-01-03
  [[ $output == *"from the store nights.store."* && $output == *"refused"* ]]
  run -2 gpugauge fleet nights.store fleet
  [[ $output == *"nights.store is a history, and a history is not mixed with other runs"* ]]
  run -2 gpugauge fleet admit fleet/node-00005 --against fleet --against nights.store
  [[ $output == *"nights.store is a history, and a history is not mixed with other runs"* ]]
  run -2 gpugauge fleet postgresql://me:secret@/none fleet
  [[ $output == *"postgresql://me@/none is a history"* && $output != *secret* ]]
  run -2 gpugauge fleet missing.sqlite
  [[ $output == *"there is no store at missing.sqlite"* ]]
  run -2 gpugauge fleet nights.store --store nights.store
  run -2 gpugauge fleet nights.store --by-folder
  run -2 gpugauge fleet nights.store --night 2026-01-03..2026-01-02
  [[ $output == *"the night 2026-01-03..2026-01-02 ends before it begins"* ]]
  run -2 gpugauge fleet nights.store --night 2026-01-02..
  [[ $output == *"'2026-01-02..' is no night; write it as 2026-01-31, or as 2026-01-31..2026-02-01 with its last day"* ]]
  run -2 gpugauge fleet fleet --night 2026-01-02
  [[ $output == *"--night is a night of a history: give one, too"* ]]
}

@test "a run of a clock that was wrong hides no later night" {
  setup_retest
  gpugauge history ingest fleet --store h.sqlite
  gpugauge fleet h.sqlite >before.txt || [ $? -ne 2 ]
  mkdir -p future/node-00003
  cp fleet/node-00003/round-1.json future/node-00003/late.json
  edit_files 'it["id"] = it["id"][:-2] + "ZZ"; it["started"] = "2999-05-05T04:00:00Z"' future/node-00003/late.json
  gpugauge history ingest future --store h.sqlite
  gpugauge fleet h.sqlite >after.txt || [ $? -ne 2 ]
  run -1 diff before.txt after.txt
  [[ $output == *"1 run is dated later than now and left out (the latest is future/node-00003/late.json of 2999-05-05T04:00:00Z): the clock of this machine is wrong, or that of the machine that recorded it was."* ]]
  [ "$(grep -c '^[<>]' <<<"$output")" -eq 1 ]
  run gpugauge fleet admit fleet/node-00009 --against h.sqlite
  [[ $output == *"1 run is dated later than now and left out"* ]]
  run -3 gpugauge fleet h.sqlite --night 2999-05-05
  [[ $output == *"1 run of 2999-05-05 (UTC)"* ]]
}
