# gpugauge doctor for many nodes: locks held against run files, the JSON of verify and diff, and what a pipe must not lose.
load common
load doctor

@test "verify takes run files, and says of a field that they do not tell that they do not" {
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 3 >/dev/null
  run -0 gpugauge doctor lock --inventory fleet/node-00000/round-1.json --output run.lock
  valid lock run.lock
  run -0 gpugauge doctor verify run.lock fleet/*/round-1.json
  [[ $output == *"3 of 3 as locked, 0 drifted, 0 not sure"* ]]
  sed -i 's/580\.65\.06/580.95.05/' fleet/node-00001/round-1.json
  run -1 gpugauge doctor verify run.lock fleet/*/round-1.json
  [[ $output == *"driver.version is locked to 580.65.06 and is 580.95.05"* ]]
  [[ $output == *"2 of 3 as locked, 1 drifted"* ]]
  # A lock of a whole inventory names more than a run tells: unknown is neither drift nor a pass.
  "$PYTHON" - <<'PY'
import json
lock = json.load(open("run.lock"))
lock["fields"]["library.cufft.0.version"] = {"value": "11.3.3", "match": "exact"}
json.dump(lock, open("more.lock", "w"))
PY
  run -3 gpugauge doctor verify more.lock fleet/node-00000/round-1.json
  [[ $output == *"library.cufft.0.version"*"is not told by a run file"* ]]
}

@test "a run of the host tells nothing of GPUs, and a real one is read" {
  quick_run host.json
  gpugauge doctor lock --inventory host.json --output host.lock
  run -0 gpugauge doctor verify host.lock host.json
  "$PYTHON" - <<'PY'
import json
lock = json.load(open("host.lock"))
assert not any(key.startswith(("gpu.", "driver.")) for key in lock["fields"]), lock["fields"]
lock["fields"]["gpu.count"] = {"value": "8", "match": "exact"}
json.dump(lock, open("gpu.lock", "w"))
PY
  run -3 gpugauge doctor verify gpu.lock host.json
}

@test "where a missing item would mean absence, a run file is refused with the way out" {
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 2 >/dev/null
  run -2 gpugauge doctor --inventory fleet/node-00000/round-1.json
  [[ $output == *"run file"*"doctor --json"* ]]
  run -2 gpugauge doctor diff fleet/node-00000/round-1.json fleet/node-00001/round-1.json
  [[ $output == *"run file"* ]]
}

@test "the JSON of verify and diff is as their schemas say" {
  make_tree
  gpugauge doctor --root tree --json >before.json || [ $? -le 1 ]
  gpugauge doctor lock --inventory before.json --output stack.lock
  printf 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.216.03  Release Build\n' >tree/proc/driver/nvidia/version
  gpugauge doctor --root tree --json >after.json || [ $? -le 1 ]
  gpugauge doctor verify stack.lock before.json after.json --json >verify.json || [ $? -eq 1 ]
  valid verify verify.json
  gpugauge doctor diff before.json after.json --json >diff.json || [ $? -eq 1 ]
  valid diff diff.json
  for kind in verify diff; do
    "$PYTHON" -c 'import json, sys; d = json.load(open(sys.argv[1])); d["surplus"] = 1; json.dump(d, open("bad.json", "w"))' "$kind.json"
    run -1 valid "$kind" bad.json
  done
}

@test "in a pipe no value is cut" {
  make_tree
  long="/opt/$(printf 'a%.0s' $(seq 180))/lib"
  mkdir -p "tree$long"
  touch "tree$long/libnccl.so.2.28.3"
  ln -s "$long/libnccl.so.2.28.3" tree/usr/lib/x86_64-linux-gnu/libnccl.so.2
  gpugauge doctor --root tree --all >all.txt || [ $? -le 1 ]
  grep -qF "$long/libnccl.so.2.28.3" all.txt
  COLUMNS=80 gpugauge doctor --root tree --all >narrow.txt || [ $? -le 1 ]
  run ! grep -qF "$long/libnccl.so.2.28.3" narrow.txt
}
