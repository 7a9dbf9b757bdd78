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

# Makes host runs of the synthetic ones: all of one boot, or each round of its own.
as_hosts() {
  "$PYTHON" - "$1" <<'PY'
import json, pathlib, sys
for file in pathlib.Path("fleet").glob("*/*.json"):
    run = json.loads(file.read_text())
    run["device"], run["boot_id"] = "host", "one" if sys.argv[1] == "one" else file.stem
    device = run["fingerprint"]["device"]
    run["fingerprint"]["device"] = {key: value for key, value in device.items() if key.startswith("host.")}
    file.write_text(json.dumps(run))
PY
}

@test "fleet finds the slow node, asks for a second run, and is confirmed by it" {
  fleet_of 12
  grep -q 'node-00005.*hbm' planted.txt
  run -0 gpugauge fleet fleet --emit-retest again.txt
  [[ $output == *"1 to be measured again (node-00005/round-1)"* ]]
  [[ $output == *"12 nodes: Synthetic H200, driver 580.65.06: 200 metrics compared"* ]]
  [ "$(cat again.txt)" = $'node-00005/round-1\tGPU-00000000-0000-4000-8000-000000000005' ]
  run -4 gpugauge fleet fleet --strict
  fleet_of 12 2
  run -1 gpugauge fleet fleet --emit-retest again.txt
  [[ $output == *"1 of 12 nodes have a finding (node-00005/round-1)"* ]]
  [ ! -s again.txt ]
  gpugauge fleet fleet --json >report.json || [ $? -eq 1 ]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" fleet report.json
  json_of node-00005/round-1 found synthetic/op/000
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
  json_of node-00003/round-1 found synthetic/op/007
  json_of node-00008/round-1 unread
  json_of node-00009/round-1 unread
  run -1 gpugauge fleet fleet
  [[ $output == *"truncated"* && $output == *"nested deeper than 64 levels"* ]]
  [[ $output == *"1 file was left out: in the folders, and no run file."* ]]
}

@test "fleet never passes what it could not judge" {
  fleet_of 4
  run -3 gpugauge fleet fleet
  [[ $output == *"4 nodes of its kind, and 8 are needed"* ]]
  mkdir empty
  run -2 gpugauge fleet empty
  [[ $output == *"holds no *.json file"* ]]
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
  [[ $output == *"differs: stack.driver.version: 580.65.06 on 11 of 12 runs; 575.57.08 on node-00003/round-1"* ]]
  [[ $output == *"differs: settings.gpu.0.vbios: 96.00.0.01 on 11 of 12 runs; 96.00.1.01 on node-00007/round-1"* ]]
  [ "$(grep -c 'differs: ' <<<"$output")" = 2 ]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" fleet report.json
  [[ $(cat page.html) == *"settings.gpu.0.vbios: 96.00.0.01 on 11 of 12 runs"* ]]
  COLUMNS=1000 run -3 gpugauge fleet fleet --by-folder
  [[ $output == *"575.57.08 on node-00003"* && $output != *"575.57.08 on node-00003/"* ]]
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
  as_hosts one
  run -3 gpugauge fleet fleet
  [[ $output == *"1 node: "* ]]
  run -0 gpugauge fleet fleet --by-folder --emit-retest again.txt
  [[ $output == *"9 nodes: "* && $output == *"1 to be measured again (node-00005)"* ]]
  [ "$(cat again.txt)" = $'node-00005\thost' ]
  # The second run of a node confirms it also after a reboot.
  fleet_of 9 2
  as_hosts several
  run -1 gpugauge fleet fleet --by-folder
  [[ $output == *"1 of 9 nodes have a finding (node-00005)"* ]]
  # Several cards in a folder: each keeps its own name, and the folder is whom to measure again.
  fleet_of 9
  mv fleet/node-00005/round-1.json fleet/node-00004/other.json
  echo '{' >fleet/node-00005/round-1.json
  run -3 gpugauge fleet fleet --by-folder --emit-retest again.txt
  [[ $output == *"node-00004 GPU-00000000-0000-4000-8000-000000000005"* ]]
  grep -qx $'node-00004\tGPU-00000000-0000-4000-8000-000000000005' again.txt
  grep -q '^node-00005' again.txt
  run -2 gpugauge fleet --store none --by-folder
  [[ $output == *"--by-folder names the nodes of folders"* ]]
}
