# Earlier nights of a device on the page of its check.
load common
load fake_gpu

needs_store() {
  if gpugauge history --help 2>&1 | grep -q 'Not in this build'; then skip "this build has no history: SOCI is not installed"; fi
}

@test "a check puts the earlier nights of its device on its page" {
  needs_store
  one_gpu
  gpugauge run --device 0 --profile smoke --quiet --output now.json
  gpugauge history ingest now.json --store nights.sqlite
  gpugauge check --device 0 --profile smoke --quiet --store nights.sqlite --report html=page.html || [ $? -eq 3 ]
  "$PYTHON" - <<'PY'
import json
text = open("page.html").read().split('<script type="application/json" id="data">')[1].split("</script>")[0]
metrics = [one for one in json.loads(text)["devices"][0]["metrics"] if "trend" in one]
assert metrics and all(len(one["trend"]) == 2 and one["trend"][1][1] == one["value"] for one in metrics), metrics
PY
  "$PYTHON" -c 'import sqlite3
store = sqlite3.connect("nights.sqlite")
for table in ("checksum", "choice", "counted", "recorded", "statistic", "health"): store.execute("DROP TABLE " + table)
store.execute("DELETE FROM schema_version WHERE version > 1")
store.commit()'
  rm page.html
  run gpugauge check --device 0 --profile smoke --quiet --store nights.sqlite --report html=page.html
  [ "$status" -eq 3 ] && [ -s page.html ]  # as without a store: the ingest comes after the check
  [[ $output == *"has the schema 1"*"; the page shows no earlier nights"* ]]
  run -2 gpugauge check --device host --profile smoke --store nights.sqlite
  [[ $output == *"--store shows earlier nights on the page of --report html=FILE: give that, too"* ]]
  run -2 gpugauge check --device host --profile smoke --store none.sqlite --report html=page.html
  [[ $output == *"there is no store at none.sqlite"* ]]
}

@test "every round of a check is a night of its page, and only the first says what changed" {
  needs_store
  one_gpu
  gpugauge baseline create -n 5 --device 0 --profile smoke --quiet --name before >/dev/null
  gpugauge run --device 0 --profile smoke --quiet --output now.json
  gpugauge history ingest now.json --store nights.sqlite
  latency 0.0015
  run -1 gpugauge check --device 0 --profile smoke --quiet --no-probes --store nights.sqlite --report html=page.html
  "$PYTHON" - <<'PY'
import json
text = open("page.html").read().split('<script type="application/json" id="data">')[1].split("</script>")[0]
device, = json.loads(text)["devices"]
metric, = [one for one in device["metrics"] if one["key"] == "probe/op:latency"]
assert device["rounds"] > 1 and [point[1] for point in metric["trend"]] == [.001] + [.0015] * device["rounds"], metric
assert metric["value"] == metric["verdicts"][0]["value"] == .0015, metric
PY
}

@test "the nights of another host are no trend of this one" {
  needs_store
  quick_run now.json
  gpugauge history ingest now.json --node another-host --store nights.sqlite
  gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet --store nights.sqlite --report html=page.html || [ $? -eq 3 ]
  grep -q 'The store nights.sqlite holds no earlier run of this device in profile smoke.' page.html
  run ! grep -q '"trend":' page.html
  for node in "$(hostname)" unnamed; do
    rm nights.sqlite
    if [[ $node == unnamed ]]; then gpugauge history ingest now.json --store nights.sqlite; else gpugauge history ingest now.json --node "$node" --store nights.sqlite; fi
    gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet --store nights.sqlite --report html=page.html || [ $? -eq 3 ]
    grep -q '"trend":' page.html
  done
}

@test "a change of level on the page of a check is one by the tolerance of the policy" {
  needs_store
  one_gpu
  gpugauge run --device 0 --profile smoke --quiet --output now.json
  "$PYTHON" - <<'PY'
import json, os, random
random.seed(1)
os.mkdir("nights")
for night in range(24):
    run = json.load(open("now.json"))
    run["id"], run["boot_id"], run["started"] = f"01TESTNIGHT{night:015d}", f"boot-{night}", f"2026-03-{night + 1:02d}T02:00:00.000Z"
    for process in run["processes"]:
        for metric in process["samples"]["benchmarks"][0]["metrics"]:
            metric["value"] *= random.gauss(1, .001) * (1.12 if night >= 12 else 1)
    json.dump(run, open(f"nights/{night:02d}.json", "w"))
json.dump({"schema": "gpugauge.policy/1", "tolerance": {"launch": .5}}, open("wide.json", "w"))
PY
  gpugauge history ingest nights --store nights.sqlite --quiet
  changes() {
    gpugauge check --device 0 --profile smoke --quiet --store nights.sqlite --report html=page.html "$@" >/dev/null || [ $? -eq 3 ]
    "$PYTHON" - <<'PY'
import json
text = open("page.html").read().split('<script type="application/json" id="data">')[1].split("</script>")[0]
metric, = [one for one in json.loads(text)["devices"][0]["metrics"] if one["key"] == "probe/op:latency"]
assert len(metric["trend"]) > 20
print(sum(point[1] > .00105 and point[2] != "" for point in metric["trend"]))
PY
  }
  [ "$(changes)" -eq 1 ]
  [ "$(changes --policy wide.json)" -eq 0 ]
}
