# The history through the command, on SQLite. make_fleet writes the run files, make_history larger stores.
load common

export WIDE=yes

bats::without_store() { gpugauge history --help 2>&1 | grep -q 'Not in this build'; }

setup_store() {
  if bats::without_store; then skip "this build has no history: SOCI is not installed"; fi
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet "$1" "$2" >planted.txt
}

# Every driver version after round 6 of node 1 becomes another one, and its hbm metrics get 8% slower.
upgrade_node_1() {
  "$PYTHON" - <<'PY'
import json, pathlib
for file in pathlib.Path("fleet/node-00001").glob("round-*.json"):
    if int(file.stem.split("-")[1]) <= 6:
        continue
    run = json.loads(file.read_text())
    run["fingerprint"]["stack"]["driver.version"] = "590.10.01"
    for process in run["processes"]:
        for benchmark in process["samples"]["benchmarks"]:
            for metric in benchmark["metrics"]:
                if metric["class"] == "hbm":
                    metric["value"] *= .92 if metric["better"] == "higher" else 1 / .92
    file.write_text(json.dumps(run))
PY
}

@test "history stores a folder once, names the nodes by their folders, and counts" {
  setup_store 2 3
  run -0 gpugauge history ingest fleet
  [[ $output == *"history.sqlite: 6 of 6 files stored (1200 metric values)"* ]]
  [ -f "$GPUGAUGE_STATE/history.sqlite" ]
  run -0 gpugauge history ingest fleet
  [[ $output == *"0 of 6 files stored (0 metric values), 6 known already"* ]]
  COLUMNS=1000 run -0 gpugauge history ingest fleet/node-00001/*.json --node other
  [[ $output == *"known already and still of the node they were stored under: --node does not rename a node"* ]]
  run -2 gpugauge history changes --since 2026-02-01 --until 2026-01-01
  [[ $output == *"--since 2026-02-01 --until 2026-01-01: no run is from the one day on and before the other"* ]]
  run -0 gpugauge history trend 'synthetic/op/000:bandwidth' --json
  echo "$output" >report.json
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" history report.json
  "$PYTHON" - <<'PY'
import json, statistics
trends = json.load(open("report.json"))["trends"]
assert sorted(trend["node"] for trend in trends) == ["node-00000", "node-00001"], trends
for trend in trends:
    assert len(trend["runs"]) == 3
    for number, run in enumerate(trend["runs"], 1):
        file = json.load(open(f"fleet/{trend['node']}/round-{number}.json"))
        values = [benchmark["metrics"][0]["value"] for process in file["processes"]
                  for benchmark in process["samples"]["benchmarks"] if benchmark["id"] == "synthetic/op/000"]
        assert run["value"] == statistics.median(values), (run, values)
PY
}

@test "history takes patterns, lists and single files, and goes on past bad ones" {
  setup_store 3 1
  run -0 gpugauge history ingest --store h.sqlite 'fleet/node-0000[01]/round-*.json' --node rack-1
  [[ $output == *"2 of 2 files stored"* ]]
  echo '["fleet/node-00002/round-1.json", "fleet/missing.json"]' >list.json
  truncate -s 1000 fleet/node-00001/round-1.json
  echo '{"schema": "gpugauge.baseline/1"}' >fleet/baseline.json
  run -2 --separate-stderr gpugauge history ingest --store h.sqlite list.json fleet
  # shellcheck disable=SC2154  # bats sets it
  [[ $stderr == *"fleet/missing.json could not be opened"*": skipped"* ]]
  [[ $stderr == *"node-00001/round-1.json"*"truncated"*": skipped"* ]]
  [[ $output == *"1 of 6 files stored (200 metric values), 2 known already, 1 left out: no run files, 2 refused"* ]]
  run -2 gpugauge history ingest --store h.sqlite 'nothing/*.json'
  [[ $output == *"no file matches nothing/*.json"* ]]
  run -0 gpugauge history export --store h.sqlite --metric '*op/000:bandwidth'
  [[ $(grep -c rack-1 <<<"$output") -eq 2 ]]
}

@test "a changed file of a stored run is refused and changes nothing" {
  setup_store 1 1
  gpugauge history ingest fleet
  sed -i 's/"wall_seconds": 60/"wall_seconds": 61/' fleet/node-00000/round-1.json
  run -2 gpugauge history ingest fleet
  [[ $output == *"with other content, so one of the two files was changed: skipped"* ]]
  [[ $output == *"0 of 1 files stored (0 metric values), 1 refused"* ]]
}

@test "trend and changes say what moved, when, and since which driver" {
  setup_store 2 14
  upgrade_node_1
  gpugauge history ingest fleet
  run -0 gpugauge history trend 'synthetic/op/000:bandwidth' --node node-00001
  [[ $output == *"14 runs of profile standard"* ]]
  [[ $output == *"2026-01-08"*"worse"*"since stack.driver.version 580.65.06 -> 590.10.01"* ]]
  [[ $output == *"monitor: alarm on 2026-01-"* ]]
  [[ $output == *"|"*"*"* ]]
  gpugauge history trend 'synthetic/op/000:bandwidth' --node node-00001 --json >report.json
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" history report.json
  grep -q '"alarm"' report.json
  run -0 gpugauge history trend 'synthetic/op/000:bandwidth' --node node-00000
  [[ $output == *"no change of level"* && $output == *"monitor: quiet"* ]]
  run -0 gpugauge history changes --metric '*:bandwidth'
  [[ $output == "2026-01-08  node-00001, GPU-"*"13 metrics of profile standard, since stack.driver.version 580.65.06 -> 590.10.01"* ]]
  [[ $output == *"and 8 more; --every-metric lists them"* ]]
  [[ $output == *"1 change of level in 200 series"* ]]
  gpugauge history changes --metric '*:bandwidth' --json >report.json
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" history report.json
  run -0 gpugauge history changes --node node-00000
  [[ $output == "0 changes of level in 200 series"* ]]
  run -0 gpugauge history changes --since 2026-01-11
  [[ $output == *"400 series have fewer than 6 runs and were not looked at"* ]]
}

# slow_nights NIGHT...: the hbm metrics of node 1 run at half speed in these rounds; from the first of them on it has another driver.
slow_nights() {
  "$PYTHON" - "$@" <<'PY'
import json, pathlib, sys
slow = {int(night) for night in sys.argv[1:]}
for file in pathlib.Path("fleet/node-00001").glob("round-*.json"):
    night = int(file.stem.split("-")[1])
    if night < min(slow):
        continue
    run = json.loads(file.read_text())
    run["fingerprint"]["stack"]["driver.version"] = "590.10.01"
    for process in run["processes"]:
        for benchmark in process["samples"]["benchmarks"]:
            for metric in benchmark["metrics"]:
                if night in slow and metric["class"] == "hbm":
                    metric["value"] *= .5 if metric["better"] == "higher" else 2
    file.write_text(json.dumps(run))
PY
}

# only_metric KEY: no run file has any other.
only_metric() {
  "$PYTHON" - "$1" <<'PY'
import json, pathlib, sys
id, name = sys.argv[1].split(":")
for file in pathlib.Path("fleet").rglob("round-*.json"):
    run = json.loads(file.read_text())
    for process in run["processes"]:
        samples = process["samples"]
        samples["benchmarks"] = [one for one in samples["benchmarks"] if one["id"] == id]
        for one in samples["benchmarks"]:
            one["metrics"] = [metric for metric in one["metrics"] if metric["name"] == name]
    file.write_text(json.dumps(run))
PY
}

@test "a last night at half speed is no change of level, and no silence" {
  setup_store 2 14
  slow_nights 14
  gpugauge history ingest fleet
  run -0 gpugauge history changes
  [[ $output == "0 changes of level in 400 series"*"Last runs that lie off the level before them:"*"2026-01-15  node-00001, GPU-"* ]]
  [[ $output == *"% worse; the last run is too few to make a level, since stack.driver.version 580.65.06 -> 590.10.01"* ]]
  gpugauge history changes --json >report.json
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" history report.json
  "$PYTHON" - <<'PY'
import json
report = json.load(open("report.json"))
assert report["events"] == [] and report["alarms"] == [], report
event, = [one for one in report["last"] if one["node"] == "node-00001"]
assert [one["field"] for one in event["since"]] == ["stack.driver.version"], event["since"]
assert all(one["runs"] == 1 and one["from"] == event["started"] for one in event["metrics"]), event
PY
}

@test "two bad last nights are not dated to a healthy one, and an alarm says since what" {
  setup_store 2 14
  slow_nights 13 14
  gpugauge history ingest fleet
  run -0 gpugauge history changes
  [[ $output == "0 changes of level in 400 series"*"2026-01-14  node-00001, GPU-"* ]]
  [[ $output == *"the last 2 runs are too few to make a level, since stack.driver.version 580.65.06 -> 590.10.01"* ]]
  # Alone in its store a metric has a lower limit, and two nights are enough for its monitor.
  only_metric synthetic/op/000:bandwidth
  gpugauge history ingest fleet --store one.sqlite
  run -0 gpugauge history changes --store one.sqlite
  [[ $output == "0 changes of level in 2 series"*"1 alarm without a change of level: \`gpugauge check\` measures again and judges"* ]]
  [[ $output == *"2026-01-15  node-00001, GPU-"*"1 metric of profile standard, synthetic/op/000:bandwidth +"*" worse from 2026-01-14 on, since stack.driver.version 580.65.06 -> 590.10.01; still above the limit"* ]]
  [[ $output != *"too few to make a level"* ]]
  gpugauge history changes --store one.sqlite --json >report.json
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" history report.json
  run -0 gpugauge history trend '*' --node node-00001 --store one.sqlite
  [[ $output == *"no change of level"*"the last 2 runs are too few to make a level: +"* ]]
  [[ $output == *"monitor: alarm on 2026-01-15, worse from 2026-01-14 on, since stack.driver.version 580.65.06 -> 590.10.01, and still above its limit: "* ]]
  gpugauge history trend '*' --node node-00001 --store one.sqlite --json --report html=page.html >report.json
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" history report.json
  "$PYTHON" - <<'PY'
import json
trend, = json.load(open("report.json"))["trends"]
alarm, = trend["monitor"]["alarms"]
assert alarm["from"] == trend["runs"][12]["started"] and alarm["started"] == trend["runs"][13]["started"], alarm
assert alarm["since"][0]["field"] == "stack.driver.version" and not alarm["told_by_a_level"] and trend["monitor"]["above"]
assert trend["last"]["runs"] == 2 and trend["changes"] == []
text = open("page.html").read().split('<script type="application/json" id="data">')[1].split("</script>")[0]
series, = json.loads(text)["series"]
assert series["alarm"] == 13 and "since stack.driver.version" in series["monitor"] and "too few" in series["last"], series
PY
}

@test "trend and changes say the same of a device that has fewer metrics than the store" {
  setup_store 2 14
  slow_nights 13 14
  gpugauge history ingest fleet/node-00000 --node other --store h.sqlite
  only_metric synthetic/op/000:bandwidth
  gpugauge history ingest fleet/node-00001 --node narrow --store h.sqlite
  run -0 gpugauge history changes --node narrow --store h.sqlite
  [[ $output == *"1 alarm without a change of level"* ]]
  run -0 gpugauge history trend synthetic/op/000:bandwidth --node narrow --store h.sqlite
  [[ $output == *"monitor: alarm on 2026-01-15"* ]]
}

@test "trend writes a page and its data, with levels and versions" {
  setup_store 2 14
  upgrade_node_1
  gpugauge history ingest fleet
  run -0 gpugauge history trend 'synthetic/op/000:bandwidth' --report html=page.html --report json=data.json
  [[ $output == *"since stack.driver.version"* ]]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" history data.json
  "$PYTHON" - <<'PY'
import json
text = open("page.html").read().split('<script type="application/json" id="data">')[1].split("</script>")[0]
data = json.loads(text)
assert data["kind"] == "history" and len(data["series"]) == 2, data["kind"]
moved, = [one for one in data["series"] if one["node"] == "node-00001"]
change, = moved["changes"]
assert change["at"] == 6 and change["worse"] and "since stack.driver.version 580.65.06 -> 590.10.01" in change["text"], change
assert [level["from"] for level in moved["levels"]] == [0, 6] and moved["levels"][1]["to"] == 13
version, = moved["versions"]
assert version["at"] == 6
PY
  run -0 gpugauge history trend 'synthetic/op/0*:bandwidth' --report html=page.html
  [[ $output == "200 series go to page.html; here 16 are drawn at most" ]]
  run -2 gpugauge history trend 'synthetic/op/0*' --report html=page.html
  [[ $output == *"400 series are too many for a page, the limit is 256 series: "* ]]
  # Nothing is drawn as JSON.
  gpugauge history trend 'synthetic/op/0*' --json >data.json
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" history data.json
  "$PYTHON" -c 'import json; assert len(json.load(open("data.json"))["trends"]) == 400'
  run -0 gpugauge history trend 'synthetic/op/0*' --report json=all.json
  [[ $output == "400 series go to all.json; here 16 are drawn at most" ]]
  run -2 gpugauge history trend 'synthetic/op/000:bandwidth' --report junit=x.xml
  [[ $output == *"there is no kind of report 'junit' here; there are html, json"* ]]
  run -2 gpugauge history trend 'synthetic/op/000:bandwidth' --report html
  [[ $output == *"give it as KIND=FILE, such as html=FILE"* ]]
}

@test "export writes every process's value, as CSV and as JSON lines, whole or not at all" {
  setup_store 1 2
  gpugauge history ingest fleet
  gpugauge history export --output all.csv
  gpugauge history export --format jsonl --output all.jsonl
  "$PYTHON" - <<'PY'
import csv, json
rows = list(csv.DictReader(open("all.csv", newline="")))
lines = [json.loads(line) for line in open("all.jsonl")]
assert len(rows) == len(lines) == 400, len(rows)
for row, line in zip(rows, lines):
    assert float(row["median"]) == line["median"]
    assert [float(value) for value in row["processes"].split(" ")] == line["processes"] and len(line["processes"]) == 5
    assert row["node"] == line["node"] == "node-00000" and row["source"] == line["source"]
PY
  mkdir taken.csv
  run -2 gpugauge history export --output taken.csv
  [[ $output == *"taken.csv is a directory; give the name of a file"* ]]
  [ -z "$(find . -name '*.part')" ]
}

@test "fleet judges a night of the history as it judges the files" {
  setup_store 12 2
  gpugauge history ingest fleet
  run -0 gpugauge fleet --store "$GPUGAUGE_STATE/history.sqlite" --emit-retest again.txt
  [[ $output == *"1 to be measured again (node-00005)"* ]]
  [[ $output == *"12 runs of 2026-01-03 (UTC) from the store"* ]]
  [ "$(cut -f1 again.txt)" = node-00005 ]
  gpugauge fleet --store "$GPUGAUGE_STATE/history.sqlite" --night 2026-01-02 --json >night.json
  gpugauge fleet fleet/*/round-1.json --json >files.json
  "$PYTHON" - <<'PY'
import json
def found(name):
    report = json.load(open(name))
    return [[(node["identity"], node["state"], node["verdicts"]) for node in report["nodes"]], report["groups"]]
assert sorted(found("night.json")[0], key=str) == sorted(found("files.json")[0], key=str)
assert found("night.json")[1] == found("files.json")[1]
PY
  run -3 gpugauge fleet --store "$GPUGAUGE_STATE/history.sqlite" --night 2020-01-01
  run -2 gpugauge fleet --store "$GPUGAUGE_STATE/history.sqlite" fleet
  run -2 gpugauge fleet --night 2026-01-02 fleet
}

@test "a run that is killed while it stores loses and doubles nothing" {
  setup_store 6 8
  local killed=0 status
  for delay in 0.05 0.1 0.2 0.3 0.4; do
    gpugauge history ingest fleet --quiet >/dev/null 2>&1 &
    sleep "$delay"
    kill -9 $! 2>/dev/null || true
    status=0
    wait $! || status=$?
    if ((status == 137)); then killed=$((killed + 1)); fi
  done
  ((killed > 0))
  run -0 gpugauge history ingest fleet
  gpugauge history export --output all.csv
  [ "$(wc -l <all.csv)" -eq 9601 ]
  [ "$(cut -d, -f4,7 all.csv | sort -u | wc -l)" -eq 9601 ]
}

@test "eight commands at once, two of them with the same files, store each run once" {
  setup_store 8 4
  for node in 0 1 2 3 4 5 6; do
    gpugauge history ingest "fleet/node-0000$node" --node "n$node" --store h.sqlite >"out.$node" 2>&1 &
  done
  gpugauge history ingest fleet/node-00006 --node n6 --store h.sqlite >out.7 2>&1 &
  wait
  [ "$(grep -l 'of 4 files stored' out.? | wc -l)" -eq 8 ]
  run ! grep -h refused out.*
  gpugauge history ingest fleet/node-00007 --node n7 --store h.sqlite
  gpugauge history export --store h.sqlite --output all.csv
  [ "$(wc -l <all.csv)" -eq 6401 ]
}

@test "a real run of the host, and Google Benchmark's own JSON" {
  setup_store 1 1
  quick_run now.json
  run -0 gpugauge history ingest now.json --node "$(hostname)"
  [[ $output == *"1 of 1 files stored"* ]]
  run -0 gpugauge history trend 'host/clock_gettime*' --device host
  [[ $output == *"$(hostname), host: 1 run of profile smoke"*"1 run: too few to watch for changes, 6 are needed"* ]]
  cat >other.json <<'JSON'
{"context": {"date": "2026-02-01T01:30:00+02:00", "host_name": "x", "executable": "./x", "num_cpus": 2, "mhz_per_cpu": 2000,
 "cpu_scaling_enabled": false, "caches": [], "load_avg": [1], "library_build_type": "release"},
 "benchmarks": [{"name": "sum", "run_name": "sum", "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
  "threads": 1, "iterations": 100, "real_time": 5.0, "cpu_time": 5.0, "time_unit": "ns"}]}
JSON
  run -0 gpugauge history ingest other.json --store other.sqlite --node laptop
  run -0 gpugauge history export --store other.sqlite
  [[ $output == *"2026-01-31T23:30:00Z,laptop,"*"sum:real_time"* ]]
}

@test "history says in a sentence what it cannot do" {
  setup_store 1 1
  run -2 gpugauge history trend 'x' --store none.sqlite
  [[ $output == *"there is no store at none.sqlite: \`gpugauge history ingest\` makes one"* ]]
  gpugauge history ingest fleet --store h.sqlite
  run -2 gpugauge history trend 'x*' --store h.sqlite
  [[ $output == *"no metric of the store h.sqlite matches 'x*'; it has synthetic/op/000:bandwidth,"* ]]
  run -2 gpugauge history changes --node nobody --store h.sqlite
  [[ $output == *"no device of the store h.sqlite matches; it has node-00000 (GPU-"* ]]
  run -2 gpugauge history changes --since yesterday --store h.sqlite
  [[ $output == *"--since yesterday: write a day as 2026-01-31"* ]]
  run -2 gpugauge history trend '*' --store h.sqlite
  [[ $output == *"too many to draw, the limit is 16 series: "*"up to 256 with --report html=FILE or up to 4096 with --json"* ]]
  head -c 4096 /dev/urandom >broken.sqlite
  run -2 gpugauge history changes --store broken.sqlite
  [[ $output == *"the store broken.sqlite:"*"not a database"* ]]
  run -2 gpugauge history
}
