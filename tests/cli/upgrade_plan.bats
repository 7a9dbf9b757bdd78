# gpugauge upgrade plan: the rollout over many nodes.
load common
export WIDE=yes

# node NAME DRIVER MODEL CAPABILITY SYSTEM: what `doctor --json` would save of such a node, as nodes/NAME.json.
node() {
  mkdir -p nodes
  "$PYTHON" - "$@" <<'PY'
import json, sys
name, driver, model, capability, system = sys.argv[1:]
facts = {"driver.version": driver, "driver.kernel_module_version": driver, "gpu.0.name": model, "gpu.0.uuid": "GPU-" + name,
         "gpu.0.compute_capability": capability, "host.distribution_id": system, "host.libc": "glibc 2.35",
         "library.nccl.0.version": "2.25.1", "framework.torch.cuda": "12.8"}
items = [{"key": key, "answer": "present", "value": value, "source": "test"} for key, value in facts.items()]
json.dump({"schema": "gpugauge.inventory/1", "items": items}, open(f"nodes/{name}.json", "w"))
PY
}

@test "plan: canary, waves, who cannot and why, what may stand side by side, as text and JSON" {
  for i in 1 2 3 4 5 6 7 8; do node "h$i" 570.124.06 'NVIDIA H100 80GB HBM3' 9.0 'ubuntu 22.04'; done
  node a1 570.124.06 'NVIDIA A100-SXM4-80GB' 8.0 'ubuntu 22.04'
  node v1 570.124.06 'Tesla V100-SXM2-32GB' 7.0 'ubuntu 22.04'
  node u1 570.124.06 'NVIDIA H100 80GB HBM3' 9.0 'ubuntu 20.04'
  node t1 580.95.05 'NVIDIA H100 80GB HBM3' 9.0 'ubuntu 22.04'
  run -1 gpugauge upgrade plan nodes --to driver=580,cuda=13.0
  [[ $output == *"8  1 x NVIDIA H100 80GB HBM3, driver 570.124.06, ubuntu 22.04"* ]]
  [[ $output == *"1. canary (1)  h1"*"Canary: of the largest kind (8 of 10 nodes)"*"2. one of each other kind (2)"*"3. wave 1 (1)"* ]]
  [[ $output == *"cannot take it (1)  v1"*"Volta"* ]]
  [[ $output == *"cannot take it (1)  u1"*"does not list ubuntu 20.04"* ]]
  [[ $output == *"not allowed  programs of CUDA 13.0 on nodes that still have driver 570.124.06"* ]]
  [[ $output == *"allowed  programs of CUDA 12.8, which are there now, on nodes that have driver 580"* ]]
  [[ "${lines[-1]}" == "10 of 12 nodes can take it"* ]]
  gpugauge upgrade plan nodes --to driver=580,cuda=13.0 --json >plan.json || [ $? -eq 1 ]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" rollout plan.json
  run -0 gpugauge upgrade plan nodes/h*.json --to driver=580
  run -0 gpugauge upgrade plan nodes/t1.json --to driver=580
  [[ $output == *"there already (1)"* ]]
}

@test "plan: each step says from where, and on which nodes" {
  for i in 1 2 3; do node "h$i" 570.124.06 'NVIDIA H100 80GB HBM3' 9.0 'ubuntu 22.04'; done
  run -0 gpugauge upgrade plan nodes --to driver=580
  [[ $output == *"On each node, in this order"*"1. Upgrade the driver from 570.124.06 to 580."* ]]
  node o1 535.104.05 'NVIDIA H100 80GB HBM3' 9.0 'ubuntu 22.04'
  run -0 gpugauge upgrade plan nodes --to driver=580,nccl=2.27.3
  [[ $output == *"In this order, each step on the nodes that it names"* ]]
  [[ $output == *"1. Upgrade the driver from 570.124.06 to 580."*"on 3 of 4 nodes: h1 h2 h3"* ]]
  [[ $output == *"2. Upgrade the driver from 535.104.05 to 580."*"on 1 of 4 nodes: o1"* ]]
  [[ $output == *"3. Restart the machine"*"on each node"*"4. Upgrade NCCL from 2.25.1 to 2.27.3."*"on each node"*"let no job take in"* ]]
  [[ $output != *"on all of them at once"* ]]
  gpugauge upgrade plan nodes --to driver=580,nccl=2.27.3 --json >plan.json
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" rollout plan.json
  "$PYTHON" - <<'PY'
import json
steps = [(one["layer"], one["from"], one["nodes"]) for one in json.load(open("plan.json"))["steps"]]
assert steps == [("driver", "570.124.06", ["h1", "h2", "h3"]), ("driver", "535.104.05", ["o1"]),
                 ("restart", "", ["h1", "h2", "h3", "o1"]),
                 ("nccl", "2.25.1", ["h1", "h2", "h3", "o1"])], steps
PY
}

@test "plan: a driver branch that has ended is said once, above the waves" {
  for i in 1 2 3; do node "h$i" 570.124.06 'NVIDIA H100 80GB HBM3' 9.0 'ubuntu 22.04'; done
  run -0 gpugauge upgrade plan nodes --to driver=575.57.08
  [[ $output == *"Driver branch 575"*"Kinds"* ]]
  [ "$(grep -c 'Driver branch 575 ' <<<"$output")" -eq 1 ]
  run -0 gpugauge upgrade plan nodes --to driver=580 --policy production
  [[ $output == *"names lines of releases"*"Kinds"* ]]
  gpugauge upgrade plan nodes --to driver=575.57.08 --json >ended.json
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" rollout ended.json
}

@test "plan: locks and run files count as nodes, twins and strangers are refused" {
  node h1 570.124.06 'NVIDIA H100 80GB HBM3' 9.0 'ubuntu 22.04'
  gpugauge doctor lock --inventory nodes/h1.json --output nodes/h2.lock.json >/dev/null
  quick_run nodes/host.json
  echo '{"schema": "gpugauge.report/1"}' >nodes/report.json
  run -3 gpugauge upgrade plan nodes --to driver=580 --at-once 50
  [[ $output == *"cannot be told (1)  host"* && $output == *"1 file was passed over"* && $output == *"a run or a lock is all that was given"* ]]
  # A file that tells nothing may be a node's.
  : >nodes/h3.json
  echo '{' >nodes/h4.json
  echo '{}' >nodes/h5.json
  ln -s nowhere nodes/h6.json
  head -c 200 nodes/h1.json >nodes/h7.json
  run -3 gpugauge upgrade plan nodes --to driver=580 --at-once 50
  for i in 3 4 5 6 7; do [[ $output == *"nodes/h$i.json"* ]]; done
  [[ $output == *"1 file was passed over"* && ${lines[-1]} == "2 of 8 nodes can take it"*"6 cannot be told"* ]]
  gpugauge upgrade plan nodes --to driver=580 --json >plan.json || [ $? -eq 3 ]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" rollout plan.json
  rm nodes/h[3-7].json
  cp nodes/h1.json twin.json
  run -2 gpugauge upgrade plan nodes twin.json --to driver=580
  [[ $output == *"are of one node"* ]]
  for name in a b; do sed 's/"GPU-[^"]*"/"gpu-uuid-0"/g' nodes/h1.json >"redacted-$name.json"; done
  grep -q gpu-uuid-0 redacted-a.json
  run gpugauge upgrade plan redacted-a.json redacted-b.json --to driver=580
  [[ $status -ne 2 && $output != *"are of one node"* ]]
  run -2 gpugauge upgrade plan nodes/report.json --to driver=580
  [[ $output == *"tells of no node"* ]]
  run -2 gpugauge upgrade plan nodes
  run -2 gpugauge upgrade plan nodes --to gpu=h100
  run -2 gpugauge upgrade plan nodes --to driver=580 --at-once 0
  mkdir empty
  run -2 gpugauge upgrade plan empty --to driver=580
}

@test "plan: a file says what it is wherever the key stands in it" {
  gpugauge doctor --root / --json >bare.json || [ $? -le 3 ]
  "$PYTHON" - <<'PY'
import json
facts = {"driver.version": "570.124.06", "gpu.0.name": "NVIDIA H100 80GB HBM3", "gpu.0.uuid": "GPU-ds",
         "gpu.0.compute_capability": "9.0", "host.distribution_id": "ubuntu 22.04", "host.libc": "glibc 2.35"}
report = json.load(open("bare.json"))
report["inventory"]["items"] = [{"key": key, "answer": "present", "value": value, "source": "test"} for key, value in facts.items()]
report["findings"] = [{"explanation": "x" * 300}]
json.dump(report, open("ds.json", "w"), sort_keys=True)
PY
  run -0 gpugauge upgrade plan ds.json --to driver=580
  [[ $output == *"1 of 1 node can take it"* ]]
  node h1 570.124.06 'NVIDIA H100 80GB HBM3' 9.0 'ubuntu 22.04'
  mv ds.json nodes
  run -0 gpugauge upgrade plan nodes --to driver=580
  [[ $output == *"2 of 2 nodes can take it"* && $output != *"passed over"* ]]
}
