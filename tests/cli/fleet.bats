# Many nodes against each other, through the command. make_fleet plants a class hbm 8% slower on node 5.
load common

fleet_of() {
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet "$@" >planted.txt
}

json_of() {
  "$PYTHON" - "$@" <<'PY'
import json, sys
report = json.load(open("report.json"))
nodes = {node["node"]: node for node in report["nodes"]}
node = nodes[sys.argv[1]]
assert node["state"] == sys.argv[2], node
if len(sys.argv) > 3:
    assert any(sys.argv[3] in verdict["metric"] for verdict in node["verdicts"]), node["verdicts"]
PY
}

@test "fleet finds the slow node, asks for a second run, and is confirmed by it" {
  fleet_of 12
  grep -q 'node-00005.*hbm' planted.txt
  run -0 gpugauge fleet fleet --emit-retest again.txt
  [[ $output == *"1 to be measured again (node-00005)"* ]]
  [[ $output == *"12 nodes: Synthetic H200, driver 580.65.06: 200 metrics compared"* ]]
  [ "$(cat again.txt)" = $'node-00005\tGPU-00000000-0000-4000-8000-000000000005' ]
  run -4 gpugauge fleet fleet --strict
  fleet_of 12 2
  run -1 gpugauge fleet fleet --emit-retest again.txt
  [[ $output == *"1 of 12 nodes has a finding (node-00005)"* ]]
  [ ! -s again.txt ]
  gpugauge fleet fleet --json >report.json || [ $? -eq 1 ]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" fleet report.json
  json_of node-00005 found synthetic/op/000
}

@test "a policy moves tolerances and makes metrics advisory, on the HTML page too; what it says to no effect is refused" {
  fleet_of 12 2
  # fleet_by REST OPTION...: by a policy of this content.
  fleet_by() {
    echo "{\"schema\": \"gpugauge.policy/1\", $1}" >policy.json
    gpugauge fleet fleet --policy policy.json --report html=page.html "${@:2}"
  }
  # shown TOLERANCE: what the page says of each metric of class hbm.
  shown() {
    "$PYTHON" - "$1" <<'PY'
import json, re, sys
data = json.loads(re.search(r'<script[^>]*type="?application/json"?[^>]*>(.*?)</script>', open("page.html").read(), re.S)[1])
told = {metric["tolerance"] for metric in data["metrics"] if metric["class"] == "hbm"}
assert told == {float(sys.argv[1])}, told
PY
  }
  run -1 fleet_by '"tolerance": {"hbm": 0.03}'
  shown 0.03
  run -0 fleet_by '"tolerance": {"hbm": 0.3}'
  [[ $output == *"12 of 12 nodes are like their peers"* ]]
  shown 0.3
  run -0 fleet_by '"metrics": [{"metric": "*", "advisory": true, "why": "a trial"}]' --strict
  [[ $output == *"(node-00005) are advisory by the policy: reported, and not counted."* ]]
  [[ $(cat page.html) == *'"advisory":true'* ]]
  run -2 fleet_by '"metrics": [{"metric": "hbn/*", "advisory": true}]'
  [[ $output == *"'hbn/*' matches no metric"* ]]
  run -2 fleet_by '"expect": {"gpus": 8}'
  [[ $output == *"expect has no effect in a comparison of nodes"* ]]
}

@test "fleet names a missing metric, a truncated file and a hostile file, and reads on" {
  fleet_of 12
  "$PYTHON" - <<'PY'
import json
name = "fleet/node-00003/round-1.json"
run = json.load(open(name))
for process in run["processes"]:
    process["samples"]["benchmarks"] = [b for b in process["samples"]["benchmarks"] if b["id"] != "synthetic/op/007"]
json.dump(run, open(name, "w"))
PY
  truncate -s 5000 fleet/node-00008/round-1.json
  head -c 100000 /dev/zero | tr '\0' '[' >fleet/node-00009/round-1.json
  echo '{"schema": "gpugauge.baseline/1"}' >fleet/baseline.json
  gpugauge fleet fleet --json >report.json || [ $? -eq 1 ]
  json_of node-00003 found synthetic/op/007
  json_of node-00008 unread
  json_of node-00009 unread
  run -1 gpugauge fleet fleet
  [[ $output == *"truncated"* && $output == *"nested deeper than 64 levels"* ]]
  [[ $output == *"1 file was left out: in the folders, and no run file."* ]]
}

@test "a node that became slow after its first run is found, and work that only it did is no pass" {
  fleet_of 12
  fleet_of 1 4 1 12
  edit_runs() { "$PYTHON" -c 'import json, sys
for name in sys.argv[2:]:
    run = json.load(open(name))
    exec(sys.argv[1])
    json.dump(run, open(name, "w"))' "$@"; }
  rm -r fleet/node-00005
  edit_runs 'for process in run["processes"]:
    for one in process["samples"]["benchmarks"]:
        for metric in one["metrics"]:
            metric["value"] *= .5 if metric["better"] == "higher" else 2' fleet/node-00012/round-[234].json
  run -1 gpugauge fleet fleet
  [[ $output == *"1 of 12 nodes has a finding (node-00012)"*  ]]
  rm fleet/node-00012/round-[34].json
  edit_runs 'run["fingerprint"]["suite"]["suite.profile"] = "smoke"' fleet/node-00012/round-2.json
  COLUMNS=1000 run -3 gpugauge fleet fleet --report json=report.json --report html=page.html --report junit=out.xml
  [[ $output == *"1 run (node-00012) was not judged: 1 node of its kind, and 8 are needed"* ]]
  [[ $output == *"cannot judge all runs: 12 of 12 nodes are like their peers; 1 run not judged (node-00012)"* ]]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" fleet report.json
  json_of node-00012 healthy
  grep -q '<error' out.xml
}

@test "fleet never passes what it could not judge" {
  fleet_of 4
  run -3 gpugauge fleet fleet
  [[ $output == *"4 nodes of its kind, and 8 are needed"* ]]
  mkdir empty
  run -2 gpugauge fleet empty
  [[ $output == *"holds no *.json file"* ]]
  run -2 gpugauge fleet missing-folder
  [[ $output == *"missing-folder is not there: name a folder with runs, or a run's file"* ]]
  run -3 gpugauge fleet missing.json
  [[ $output == *"missing.json could not be opened"* ]]
  run -2 gpugauge fleet
}

@test "fleet says who differs from what most nodes are: a library, a firmware" {
  fleet_of 12
  sed -i 's/580\.65\.06/575.57.08/' fleet/node-00003/round-1.json
  for node in 0 1 2 3 4 5 6 7 8 9 10 11; do
    sed -i "s/\"settings\": {/\"settings\": {\"gpu.0.vbios\": \"96.00.$((node == 7)).01\", /" "fleet/node-$(printf %05d "$node")/round-1.json"
  done
  COLUMNS=1000 run -3 gpugauge fleet fleet --report json=report.json --report html=page.html
  [[ $output == *"differs: stack.driver.version: 580.65.06 on 11 of 12 runs; 575.57.08 on node-00003"* && $output != *"on node-00003/"* ]]
  [[ $output == *"differs: settings.gpu.0.vbios: 96.00.0.01 on 11 of 12 runs; 96.00.1.01 on node-00007"* ]]
  [ "$(grep -c 'differs: ' <<<"$output")" = 2 ]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" fleet report.json
  [[ $(cat page.html) == *"settings.gpu.0.vbios: 96.00.0.01 on 11 of 12 runs"* ]]
  COLUMNS=1000 run -3 gpugauge fleet fleet --by-folder
  [[ $output == *"575.57.08 on node-00003"* && $output != *"575.57.08 on node-00003/"* ]]
}

# set_facts PYTHON: changes the facts of run number `node`, whose device is `uuid`.
set_facts() {
  "$PYTHON" - "$1" <<'PY'
import json, pathlib, sys
for node, file in enumerate(sorted(pathlib.Path("fleet").glob("*/*.json"))):
    run = json.loads(file.read_text())
    stack, settings, uuid = run["fingerprint"]["stack"], run["fingerprint"]["settings"], run["device"]
    exec(sys.argv[1])
    file.write_text(json.dumps(run))
PY
}

@test "fleet says who lacks a fact, that no value has a majority, and names every odd node in JSON" {
  fleet_of 24
  set_facts '
settings["gpu.0.vbios"] = f"{95 + node % 3}.00"
if node == 7: del stack["cublas.version"]
if node % 2 == 0 and node < 22: stack["nccl.version"] = "2.26.2"
else: stack["nccl.version"] = "2.27.3"'
  COLUMNS=1000 run -3 gpugauge fleet fleet --report json=report.json
  [[ $output == *"differs: stack.cublas.version: 13.0.2.14 on 23 of 24 runs; absent on node-00007"* ]]
  [[ $output == *"differs: settings.gpu.0.vbios: no majority among 24 runs: 95.00 on 8, 96.00 on 8, 97.00 on 8"* ]]
  [[ $output == *"2.26.2 on node-00000, node-00002, node-00004, node-00006 and 7 more"* ]]
  [[ $output == *"stack.cublas.version is absent here and '13.0.2.14' there"* ]]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" fleet report.json
  "$PYTHON" - <<'PY'
import json
drift = {fact["field"]: fact for fact in json.load(open("report.json"))["drift"]}
assert drift["stack.nccl.version"]["odd"] == [{"value": "2.26.2", "runs": 11, "nodes": [f"node-{n:05}" for n in range(0, 22, 2)]}], drift
assert drift["stack.cublas.version"]["odd"] == [{"value": None, "runs": 1, "nodes": ["node-00007"]}], drift
vbios = drift["settings.gpu.0.vbios"]
assert (vbios["majority"], vbios["usual"], vbios["runs"], vbios["of"]) == (False, None, 0, 24), vbios
assert [(one["value"], len(one["nodes"])) for one in vbios["odd"]] == [("95.00", 8), ("96.00", 8), ("97.00", 8)], vbios
PY
}

# Twelve GPUs on three nodes: DIR/box-0/gpu-0.json ... with one boot a node.
boxes() {
  fleet_of 12 "$@"
  set_facts 'run["boot_id"] = f"boot of {int(uuid[-12:]) // 4}"'
  for number in 0 1 2 3 4 5 6 7 8 9 10 11; do
    mkdir -p "boxes/box-$((number / 4))"
    for file in "fleet/node-$(printf %05d "$number")"/*; do mv "$file" "boxes/box-$((number / 4))/gpu-$number-$(basename "$file")"; done
  done
}

@test "GPUs are counted as GPUs, their nodes as nodes, and each node has a verdict" {
  boxes
  COLUMNS=1000 run -0 gpugauge fleet boxes --emit-retest again.txt
  [[ $output == *"12 GPUs on 3 nodes: Synthetic H200, driver 580.65.06: 200 metrics compared"* ]]
  [[ $output == *"11 of 12 GPUs on 3 nodes are like their peers; 1 to be measured again (box-1 GPU-00000000-0000-4000-8000-000000000005)"* ]]
  [ "$(cat again.txt)" = $'box-1\tGPU-00000000-0000-4000-8000-000000000005' ]
  boxes 2
  COLUMNS=1000 run -1 gpugauge fleet boxes --report json=report.json --report openmetrics=out.prom
  [[ $output == *"1 of 12 GPUs has a finding, on 1 of 3 nodes (box-1 GPU-"* ]]
  grep -q "^  box-1  *found  *1 found, 3 healthy$" <<<"$output"
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" fleet report.json
  "$PYTHON" - <<'PY'
import json
report = json.load(open("report.json"))
assert [(host["host"], host["state"], len(host["nodes"])) for host in report["hosts"]] == [
    ("box-1", "found", 4), ("box-0", "healthy", 4), ("box-2", "healthy", 4)], report["hosts"]
assert {node["host"] for node in report["nodes"]} == {"box-0", "box-1", "box-2"}
assert (report["groups"][0]["nodes"], report["groups"][0]["hosts"]) == (12, 3), report["groups"]
PY
  grep -q '^gpugauge_fleet_hosts{state="found"} 1$' out.prom
  grep -q '^gpugauge_fleet_host_state{host="box-1",state="found"} 1$' out.prom
  COLUMNS=1000 run -1 gpugauge fleet boxes --by-folder
  [[ $output == *"1 of 12 GPUs has a finding, on 1 of 3 nodes (box-1 GPU-"* ]]
}

@test "a node of eight GPUs compares them, and says what that cannot show" {
  fleet_of 8
  set_facts 'run["boot_id"] = "one"'
  COLUMNS=1000 run -0 gpugauge fleet fleet/*/*.json
  [[ $output == *"8 GPUs on 1 node: "*"200 metrics compared"* ]]
  [[ $output == *"All 8 GPUs (Synthetic H200, driver 580.65.06) are in one node, "*"what slows the whole node does not"* ]]
}

@test "a file's label is no node's name: a folder is one only where the runs bear it out" {
  # Files that were named, and folders that hold several machines: nobody is called by them, and the list says so.
  fleet_of 12
  COLUMNS=1000 run -0 gpugauge fleet fleet/*/round-1.json --emit-retest again.txt
  [[ $output == *"has the name of a file in 1 line, since the node's is not known (fleet/node-00005/round-1)"* ]]
  [ "$(cut -f 1 again.txt)" = fleet/node-00005/round-1 ]
  mkdir days
  mv fleet days/monday
  COLUMNS=1000 run -0 gpugauge fleet days --emit-retest again.txt
  [[ $output == *"since the node's is not known (monday/node-00005/round-1)"* ]]
  # A cut file is called as its folder, and a reboot between two runs changes nothing.
  boxes 2
  rm -r fleet
  mv boxes fleet
  set_facts 'if "round-2" in file.name: run["boot_id"] += ", later"'
  truncate -s 5000 fleet/box-2/gpu-9-round-1.json fleet/box-2/gpu-9-round-2.json
  COLUMNS=1000 run -1 gpugauge fleet fleet --emit-retest again.txt
  [[ $output == *"1 of 13 GPUs has a finding, on 1 of 3 nodes (box-1 GPU-"* && $output != *"the name of a file"* ]]
  grep -q '^box-2' again.txt
  COLUMNS=1000 run -2 gpugauge fleet fleet --emit-retest /proc/none/again.txt
  [[ $output == "gpugauge: --emit-retest /proc/none/again.txt: the folder /proc/none could not be made"*"; nothing was done" ]]
}

@test "fleet takes files by name as well as folders" {
  fleet_of 9
  run -0 gpugauge fleet fleet/*/round-1.json --every-node
  [[ $output == *"fleet/node-00000/round-1"*"healthy"* ]]
  run -0 gpugauge fleet 'fleet/*/round-1.json'
  [[ $output == *"9 nodes: "* ]]
  run -2 gpugauge fleet 'nothing/*.json'
  [[ $output == *"no file matches nothing/*.json"* ]]
}

@test "with --by-folder nodes are what their folders are called, whatever their boot" {
  # Without the flag host runs of one boot, as containers of one machine make them, are one node.
  fleet_of 9 2
  rm fleet/*/round-2.json
  as_hosts fleet/*/*.json
  edit_files 'it["boot_id"] = "one"' fleet/*/*.json
  run -3 gpugauge fleet fleet
  [[ $output == *"1 node: "* ]]
  COLUMNS=1000 run -3 gpugauge fleet fleet
  [[ $output == *"Runs of the host in 9 folders are of one boot and count as one node; "*"--by-folder"* ]]
  COLUMNS=1000 run -0 gpugauge fleet fleet --by-folder
  [[ $output != *"of one boot"* ]]
  run -0 gpugauge fleet fleet --by-folder --emit-retest again.txt
  [[ $output == *"9 nodes: "* && $output == *"1 to be measured again (node-00005)"* ]]
  [ "$(cat again.txt)" = $'node-00005\thost' ]
  # The second run of a node confirms it also after a reboot.
  fleet_of 9 2
  as_hosts fleet/*/*.json
  edit_files 'it["boot_id"] = name.split("/")[-1]' fleet/*/*.json
  run -1 gpugauge fleet fleet --by-folder
  [[ $output == *"1 of 9 nodes has a finding (node-00005)"* ]]
  # Several cards in a folder: each keeps its own name, and the folder is whom to measure again.
  fleet_of 9
  mv fleet/node-00005/round-1.json fleet/node-00004/other.json
  sed -i 's/"boot_id": "[^"]*"/"boot_id": "one"/' fleet/node-00004/*.json
  echo '{' >fleet/node-00005/round-1.json
  run -3 gpugauge fleet fleet --by-folder --emit-retest again.txt
  [[ $output == *"node-00004 GPU-00000000-0000-4000-8000-000000000005"* ]]
  grep -qx $'node-00004\tGPU-00000000-0000-4000-8000-000000000005' again.txt
  grep -q '^node-00005' again.txt
  run -2 gpugauge fleet --store none --by-folder
  [[ $output == *"--by-folder names the nodes of folders"* ]]
}
