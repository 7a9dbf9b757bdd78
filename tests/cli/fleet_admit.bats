# gpugauge fleet admit: a newcomer against the nodes that are there. make_fleet's node 5 has a class hbm 8% slower.
load common
load pages

export WIDE=yes

# 12 nodes with two runs each: node 5, the slow one, and node 6 stand at the gate, the others are the fleet.
setup_gate() {
  "$GPUGAUGE_BUILD/bin/make_fleet" all 14 2 >planted.txt
  mkdir fleet slow good
  mv all/node-00005 slow/
  mv all/node-00006 good/
  rm all/*/round-2.json
  mv all/* fleet/
}

@test "a node like the others is admitted, and what they let see is said" {
  setup_gate
  run -0 gpugauge fleet admit good/node-00006/round-1.json --against fleet
  [[ $output == *"round-1  admitted"* ]]
  [[ $output == *"compared with 12 nodes: Synthetic H200, driver 580.65.06"* ]]
  [[ $output == *"what these nodes let see: a drop of "*"% in the middle metric"* ]]
  [[ ${lines[-1]} == "admit: 1 admitted "* ]]
  gpugauge fleet admit good/node-00006/round-1.json --against 'fleet/node-000*/round-1.json' --json >report.json
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" admission report.json
  "$PYTHON" - <<'PY'
import json
node, = json.load(open("report.json"))["nodes"]
assert node["state"] == "admitted" and node["peers"] == 12 and node["metrics"] == 200, node
assert 0.03 <= node["detects"]["median"] <= node["detects"]["worst"] < .3, node["detects"]
PY
}

@test "a slow node is measured again before it is refused" {
  setup_gate
  run -3 gpugauge fleet admit slow/node-00005/round-1.json --against fleet
  [[ $output == *"measure it again and give both runs; one run condemns nobody"* ]]
  run -1 gpugauge fleet admit slow --against fleet
  [[ $output == *"round-1  refused"*"confirmed by a further run"* ]]
  [[ ${lines[-1]} == "regressed: 1 refused "* ]]
  run -1 bash -c 'gpugauge fleet admit slow --against fleet >/dev/full'
  [[ $output == *"what was found stands, and so does exit code 1"* ]]
  gpugauge fleet admit slow good --against fleet --json >report.json || [ $? -eq 1 ]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" admission report.json
  "$PYTHON" - <<'PY'
import json
nodes = json.load(open("report.json"))["nodes"]
assert [node["state"] for node in nodes] == ["refused", "admitted"], nodes
assert {verdict["class"] for verdict in nodes[0]["verdicts"]} == {"hbm"}, nodes[0]["verdicts"]
PY
  run -0 gpugauge fleet admit slow/node-00005/round-1.json --against fleet --exit-style slurm
}

@test "a newcomer whose run ended early stays outside, and two of one name are told apart" {
  setup_gate
  mkdir first second
  cp good/node-00006/round-1.json first/gpu-0.json
  cp fleet/node-00000/round-1.json second/gpu-0.json
  edit first/gpu-0.json 'it["complete"] = False; it["partial_reason"] = "interrupted by SIGTERM"'
  run -3 gpugauge fleet admit first/gpu-0.json --against fleet
  [[ $output == *"its run ended early: interrupted by SIGTERM; measure it again to the end"* ]]
  run -3 gpugauge fleet admit first second --against fleet
  [[ ${lines[-1]} == *"1 to be measured again (first/gpu-0)"*"1 admitted (second/gpu-0)"* ]]
  run gpugauge fleet fleet first
  [[ $output == *"1 run ended early"* ]]
}

@test "a policy moves tolerances and makes metrics advisory; what it says to no effect is refused" {
  setup_gate
  # admit_by REST: judges the slow node by a policy of this content.
  admit_by() {
    echo "{\"schema\": \"gpugauge.policy/1\", $1}" >policy.json
    gpugauge fleet admit slow --against fleet --policy policy.json "${@:2}"
  }
  run -1 admit_by '"metrics": []'
  run -0 admit_by '"metrics": [{"metric": "*", "tolerance": 0.5}]'
  run -0 admit_by '"metrics": [{"metric": "*", "advisory": true, "why": "a trial"}]'
  [[ $output == *"which the policy says and does not count"*"advisory by the policy: a trial"* ]]
  admit_by '"metrics": [{"metric": "*", "advisory": true}]' --json >report.json
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" admission report.json
  grep -q '"advisory": *true' report.json
  run -2 admit_by '"metrics": [{"metric": "hbn/*", "advisory": true}]'
  [[ $output == *"'hbn/*' matches no metric"* ]]
  run -2 admit_by '"expect": {"gpus": 8}'
  [[ $output == *"expect has no effect in an admission"* ]]
}

@test "another driver is named, and counts only when it is declared" {
  setup_gate
  edit good/node-00006/round-1.json 'it["fingerprint"]["stack"]["driver.version"] = "570.86.15"; it["fingerprint"]["settings"]["setting.03"] = "changed"'
  run -3 gpugauge fleet admit good/node-00006/round-1.json --against fleet
  [[ $output == *"its stack is not the fleet's: stack.driver.version is 570.86.15 here and 580.65.06 there"* ]]
  [[ $output == *"stack.driver.version: 570.86.15 here, 580.65.06 on 12 of 12 devices (must match)"* ]]
  [[ $output == *"settings.setting.03: changed here, as delivered on 12 of 12 runs (may be a cause)"* ]]
  run -0 gpugauge fleet admit good/node-00006/round-1.json --against fleet --treatment driver
  [[ $output == *"580.65.06 on 12 of 12 devices (declared)"* ]]
  run -3 gpugauge fleet admit good/node-00006/round-1.json --against fleet --treatment nccl
  [[ $output == *"Treatment nccl: declared, but nothing of that name differs between it and the fleet."* ]]
}

@test "several GPUs of one machine are not counted as nodes" {
  setup_gate
  for file in fleet/*/round-1.json; do edit "$file" 'it["boot_id"] = "one-box"'; done
  run -0 gpugauge fleet admit good/node-00006/round-1.json --against fleet
  [[ $output == *"stands out from 12 GPUs on 1 node"* ]]
  [[ $output == *"compared with 12 GPUs on 1 node: Synthetic H200, driver 580.65.06"* ]]
  [[ $output == *"what these GPUs let see: a drop of "* ]]
}

@test "another model, a fleet that is too small, a missing metric, a broken file" {
  setup_gate
  edit good/node-00006/round-2.json 'it["fingerprint"]["device"]["gpu.0.name"] = "Synthetic H100"'
  run -3 gpugauge fleet admit good/node-00006/round-2.json --against fleet
  [[ $output == *"it is Synthetic H100 9.0, and the fleet has none: Synthetic H200 9.0 (12 nodes)"* ]]
  run -3 gpugauge fleet admit good/node-00006/round-1.json --against 'fleet/node-0000[0-3]'
  [[ $output == *"the fleet has 4 nodes of its kind"*"and 8 are needed"* ]]
  edit good/node-00006/round-1.json '
for process in it["processes"]:
    process["samples"]["benchmarks"] = [one for one in process["samples"]["benchmarks"] if one["id"] != "synthetic/op/007"]'
  run -1 gpugauge fleet admit good/node-00006/round-1.json --against fleet
  [[ $output == *"synthetic/op/007"*"missing: 12 of 12 nodes measure it; this node does not report it"* ]]
  truncate -s 4000 slow/node-00005/round-1.json
  run -3 gpugauge fleet admit slow/node-00005/round-1.json --against fleet
  [[ $output == *"its run could not be read: "*"truncated"* ]]
  run -2 gpugauge fleet admit good/node-00006/round-1.json --against 'nowhere/*'
  [[ $output == *"no file matches "* ]]
  run -2 gpugauge fleet admit good/node-00006/round-1.json
  run -2 gpugauge fleet admit --against fleet
}

# Makes runs of hosts of those in the folder fleet, each with a boot of its own, and a further one of node 0 after another reboot.
setup_hosts() {
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 10 2 >planted.txt
  rm -r fleet/node-00005
  mkdir -p new/node-00000
  "$PYTHON" - <<'PY'
import json, pathlib
for file in pathlib.Path("fleet").glob("*/*.json"):
    run = json.loads(file.read_text())
    run["device"], run["started"] = "host", run["started"].replace("-03T00", "-02T03")
    device = run["fingerprint"]["device"]
    run["fingerprint"]["device"] = {key: value for key, value in device.items() if key.startswith("host.")}
    file.write_text(json.dumps(run))
    if file.match("node-00000/round-2.json"):
        run["id"], run["boot_id"] = "01SYNTH000000000R000000009", "another"
        pathlib.Path("new/node-00000/run.json").write_text(json.dumps(run))
PY
}

@test "a host is one peer, however often it was booted, and no peer of itself" {
  setup_hosts
  run -0 gpugauge fleet admit new --against fleet --by-folder
  [[ $output == *"compared with 8 nodes: Synthetic 64-Core"* && $output == *"2 of the fleet's runs are the newcomer's own"* ]]
  rm -r fleet/node-00001
  run -3 gpugauge fleet admit new --against fleet --by-folder
  [[ $output == *"the fleet has 7 nodes of its kind"* ]]
}

@test "a host of a history is what the history calls it" {
  if gpugauge history --help 2>&1 | grep -q 'Not in this build'; then skip "this build has no history: SOCI is not installed"; fi
  setup_hosts
  gpugauge history ingest fleet --store hosts.sqlite
  run -0 gpugauge fleet admit new --against hosts.sqlite --by-folder
  [[ $output == *"compared with 8 nodes: "* && $output == *"2 of the fleet's runs are the newcomer's own"* ]]
  # Without a name its boot tells which of them it is, and every run of that node is left out.
  run -0 gpugauge fleet admit fleet/node-00000/round-1.json --against hosts.sqlite
  [[ $output == *"compared with 8 nodes: "* && $output == *"2 of the fleet's runs are the newcomer's own"* ]]
  rm -r fleet/node-0000[1-4]
  gpugauge history ingest fleet --store few.sqlite
  run -3 gpugauge fleet admit new --against few.sqlite
  [[ $output == *"the fleet has 5 nodes of its kind"* ]]
}

@test "a history is a fleet too" {
  if gpugauge history --help 2>&1 | grep -q 'Not in this build'; then skip "this build has no history: SOCI is not installed"; fi
  setup_gate
  gpugauge history ingest fleet --store nights.sqlite
  run -0 gpugauge fleet admit good --against nights.sqlite
  [[ $output == *"compared with 12 nodes: Synthetic H200"* ]]
  [[ $output == *"The fleet: 12 runs of 2026-01-02 (UTC) from the store nights.sqlite."* ]]
  gpugauge fleet admit good slow --against nights.sqlite --json >store.json || [ $? -eq 1 ]
  gpugauge fleet admit good slow --against fleet --json >files.json || [ $? -eq 1 ]
  "$PYTHON" - <<'PY'
import json
def found(name):
    return [(node["identity"], node["state"], node["reason"], node["verdicts"], node["drift"]) for node in json.load(open(name))["nodes"]]
assert found("store.json") == found("files.json"), (found("store.json"), found("files.json"))
PY
  run -3 gpugauge fleet admit good --against nights.sqlite --night 2020-01-01
  gpugauge history ingest fleet/node-00000 --store one.sqlite
  run -3 gpugauge fleet admit good --against one.sqlite
  [[ $output == *"The fleet: 1 run of 2026-01-02 (UTC) from the store one.sqlite."* ]]
  run -2 gpugauge fleet admit good --against fleet --night 2026-01-02
}

# Stands for the page's `gpugauge` where no GPU is: a run is really made, of the host and short, so that its options are proven;
# what it leaves is then a run of the synthetic fleet. Everything else is the command itself.
gpugauge_of_page() {
  local -a words=("$@")
  local i file=""
  case "$1 $2" in
    "run --device")
      for ((i = 0; i < $#; ++i)); do
        case "${words[i]}" in
          --device) words[i + 1]=host ;;
          --profile) words[i + 1]=smoke ;;
          --output) file="${words[i + 1]}" ;;
        esac
      done
      command gpugauge "${words[@]}" --only 'host/clock_gettime*' && [ -s "$file" ] && cp "${next_run:?}" "$file"
      ;;
    "baseline create") command gpugauge baseline create --device host --profile smoke --only 'host/clock_gettime*' "${@:7}" ;;
    *) command gpugauge "$@" ;;
  esac
}

@test "docs/tasks/admitting-nodes.md runs as it is written" {
  setup_gate
  gpugauge() { gpugauge_of_page "$@"; }
  page="$GPUGAUGE_SOURCE/docs/tasks/admitting-nodes.md"
  mkdir results
  cp -r fleet/* results/
  rm -r results/node-00012 # a suspect by chance, whom a second run would free: the page's fleet has none
  page_commands "$page" >all-commands
  [ "$(wc -l <all-commands)" -eq 11 ]

  next_run=fleet/node-00000/round-1.json
  page_commands "$page" "Once: measure the fleet" >commands
  page_run <commands >out
  [ "$(grep -c '^\[0\]$' out)" -eq 4 ]
  [ -f again.txt ]

  next_run=slow/node-00005/round-1.json
  page_commands "$page" "The newcomer" >commands
  page_run <commands >out
  grep -q 'measure it again and give both runs' out
  [ "$(tail -n 1 out)" = "[3]" ]

  next_run=slow/node-00005/round-2.json
  page_commands "$page" "When it cannot judge" >commands
  page_run <commands >out
  [ "$(grep -c '^\[1\]$' out)" -eq 2 ] # refused, with and without the treatment
  grep -q 'Treatment driver: declared, but nothing of that name differs' out

  next_run=good/node-00006/round-1.json
  page_commands "$page" "The newcomer" >commands
  rm -r newcomer
  page_run <commands >out
  [ "$(tail -n 1 out)" = "[0]" ]
  page_commands "$page" "When it is in" >commands
  page_run <commands >out
  [ "$(tail -n 1 out)" = "[0]" ]
}
