# Why a node is unlike the others: `fleet` names causes, and only of the nodes that it found.
load common
export COLUMNS=1000

# Twelve nodes whose products, power and clocks are those of a healthy GPU. On node 7 the power limit is 400 W of 700 and tf32 is
# switched off by a variable: products are slower. make_fleet's own fault is taken out of node 5.
nodes() {
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 12 "${1:-1}" >planted.txt
  "$PYTHON" - <<'PY'
import json, pathlib
for file in sorted(pathlib.Path("fleet").glob("*/*.json")):
    run = json.loads(file.read_text())
    odd = file.parent.name == "node-00007"
    if file.parent.name == "node-00005":
        run["processes"] = json.loads((file.parent.parent / "node-00006" / file.name).read_text())["processes"]
    run["fingerprint"]["settings"] |= {"gpu.0.power_limit_watt": "400" if odd else "700", "gpu.0.power_limit_default_watt": "700"}
    if odd:
        run["fingerprint"]["settings"]["env.NVIDIA_TF32_OVERRIDE"] = "0"
    run["telemetry"] = [{"source": "gpu:" + run["device"], "name": name, "unit": unit, "seconds": [0, 1], "values": [value, value]}
                        for name, unit, value in (("sm_clock_hz", "hertz", 1.1e9 if odd else 1.7e9), ("power_watts", "watt", 399 if odd else 650),
                                                  ("throttle_reasons", "1", 4 if odd else 0))]
    for process in run["processes"]:
        for benchmark in process["samples"]["benchmarks"]:
            for metric in benchmark["metrics"]:
                tf32 = benchmark["id"] in ("synthetic/op/004", "synthetic/op/012")
                if tf32:
                    metric["class"] = "gemmtf32"
                if odd and (tf32 or metric["class"] == "gemm16"):
                    metric["value"] *= (8 if tf32 else 1.5) ** (1 if metric["better"] == "lower" else -1)
    file.write_text(json.dumps(run))
PY
}

causes_of() {
  "$PYTHON" - "$1" <<'PY'
import json, sys
for node in json.load(open(sys.argv[1]))["nodes"]:
    if node["findings"] or node["held_against"]:
        print(node["node"], [one["cause"] for one in node["findings"]], len(node["held_against"]))
PY
}

@test "a lowered power limit and a variable are named on the node that has them, in each report" {
  nodes
  run -0 gpugauge fleet fleet --report json=report.json --report markdown=report.md --report html=page.html --report openmetrics=fleet.prom
  [[ $output == *"differs: settings.gpu.0.power_limit_watt: 700 on 11 of 12 runs; 400 on node-00007"* ]]
  [[ $output == *"node-00007  suspect"*"cause: sw_power_cap (0."*"confident)"*"seen: gpu.power_limit_watt is 400, and 700 on its peers"* ]]
  [[ $output == *"cause: tf32_env_override (0."* ]]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" fleet report.json
  [[ $(causes_of report.json) == "node-00007 ["*"'sw_power_cap'"*"] 3" ]]
  [[ $(causes_of report.json) == *"'tf32_env_override'"* ]]
  grep -q 'sw\\_power\\_cap\*\* on node-00007: ' report.md
  grep -q 'gpugauge_fleet_node_finding_score_ratio{node="node-00007".*cause="sw_power_cap"} 0' fleet.prom
  grep -q sw_power_cap page.html
  nodes 2
  run -1 gpugauge fleet fleet
  [[ $output == *"node-00007  found"*"cause: sw_power_cap"* ]]
}

@test "a setting that every node has is no cause of one, and a healthy fleet is not diagnosed" {
  nodes
  sed -i 's/"gpu.0.power_limit_watt": "700"/"gpu.0.power_limit_watt": "400"/; s/"settings": {/"settings": {"env.NVIDIA_TF32_OVERRIDE": "0", /' fleet/*/*.json
  sed -i 's/"env.NVIDIA_TF32_OVERRIDE": "0", \(.*\), "env.NVIDIA_TF32_OVERRIDE": "0"/"env.NVIDIA_TF32_OVERRIDE": "0", \1/' fleet/node-00007/*.json
  gpugauge fleet fleet --report json=report.json >text.txt
  run ! grep -q 'tf32_env_override (.*confident)' text.txt
  run ! grep -q 'sw_power_cap (.*confident)' text.txt
  rm -r fleet/node-00007
  run -0 gpugauge fleet fleet --report json=report.json
  [ -z "$(causes_of report.json)" ]
}

@test "of a history the facts name the cause" {
  nodes
  gpugauge history --help | grep -q 'Not in this build' && skip "no history in this build"
  gpugauge history ingest fleet --store fleet.sqlite --quiet
  run -0 gpugauge fleet fleet.sqlite --report json=report.json
  [[ $output == *"node-00007  suspect"*"cause: sw_power_cap (0."* ]]
  [[ $(causes_of report.json) == "node-00007 ["*"'sw_power_cap'"*"] 3" ]]
}
