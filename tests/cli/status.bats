# gpugauge status: the last verdict, and whether it still speaks for the machine.
load common

export WIDE=yes

# A short real check of the host; what it ends with does not matter here.
host_check() {
  gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet >/dev/null || true
}

# A machine with two GPUs and driver 580.65.06, as the kernel shows it, below tree/.
make_machine() {
  local number
  mkdir -p tree/proc/driver/nvidia tree/proc/sys/kernel/random
  cp /proc/sys/kernel/random/boot_id tree/proc/sys/kernel/random/
  echo "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  ${1:-580.65.06}  Release Build" >tree/proc/driver/nvidia/version
  for number in 1 2; do
    mkdir -p "tree/proc/driver/nvidia/gpus/0000:0$number:00.0"
    printf 'Model: \t NVIDIA H200\nGPU UUID: \t GPU-%d0000000-0000\n' "$number" >"tree/proc/driver/nvidia/gpus/0000:0$number:00.0/information"
  done
}

# Two verdicts of GPUs, made from a real one of the host: $1 and $2 are their exit codes.
make_verdicts() {
  local number code
  host_check
  for number in 1 2; do
    code="${!number}"
    cp "$GPUGAUGE_STATE/verdicts/host.json" "$GPUGAUGE_STATE/verdicts/GPU-${number}0000000-0000.json"
    edit "$GPUGAUGE_STATE/verdicts/GPU-${number}0000000-0000.json" "
it.update(device='GPU-${number}0000000-0000', label='GPU $((number - 1)) NVIDIA H200', index=$((number - 1)), address='0000:0$number:00.0',
          driver_version='580.65.06', container='', gpus=[], narrowed=[], findings=[],
          outcome={'exit_code': $code, 'word': ['pass', 'regressed', 'error', 'cannot judge', 'inconclusive'][$code],
                   'sentence': ['pass: 40 of 40 metrics', 'regressed: 2 of 40 metrics', '', 'cannot judge', ''][$code]})"
  done
}

@test "a check keeps its verdict, and status repeats it with its code" {
  local code=0
  gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet >/dev/null || code=$?
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" verdict "$GPUGAUGE_STATE/verdicts/host.json"
  run "-$code" gpugauge status --device host
  [ "${#lines[@]}" -eq 1 ]
  [[ $output == *"(no GPU is judged here): "*" ago: "*"only of host/clock_gettime*" ]]
  gpugauge status --device host --json >status.json || [ $? -eq "$code" ]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" status status.json
  "$PYTHON" - "$code" <<'PY'
import json, pathlib, sys
status = json.load(open("status.json"))
device, = status["devices"]
assert status["outcome"]["exit_code"] == device["exit_code"] == device["stored"]["outcome"]["exit_code"] == int(sys.argv[1])
assert pathlib.Path(device["stored"]["run_files"][0]).is_file()
assert 0 <= device["age_seconds"] < 600 and device["against"] == []
PY
}

@test "a node whose GPUs pass passes; one that regressed does not, in every style" {
  make_machine
  make_verdicts 0 0
  run -0 gpugauge status --root tree
  [ "${#lines[@]}" -eq 2 ]
  [[ ${lines[0]} == "GPU 0 NVIDIA H200: pass, "*" ago: 40 of 40 metrics" ]]
  run -0 gpugauge status --root tree --exit-style npd
  [[ $output == "pass: 2 devices, "* ]]
  # Who collects the reports of many nodes sees whose they are.
  mkdir tree/etc
  echo node7 >tree/etc/hostname
  gpugauge status --root tree --json >status.json
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" status status.json
  grep -q '"host": "node7"' status.json
  rm -r tree/etc
  make_verdicts 0 1
  run -1 gpugauge status --root tree
  [[ ${lines[1]} == "GPU 1 NVIDIA H200: regressed, "* ]]
  run -0 gpugauge status --root tree --device 0
  run -1 gpugauge status --root tree --device GPU-2000
  run -2 gpugauge status --root tree --exit-style nagios
  [[ ${lines[0]} == "GPUGAUGE CRITICAL - regressed: 1 of 2: GPU 1 NVIDIA H200" ]]
  run -1 gpugauge status --root tree --exit-style slurm
  # Slurm must not take a full disk for a good node.
  run -1 bash -c 'gpugauge status --root tree --exit-style slurm >/dev/full'
  [[ $output == *"standard output could not be written: "*"; what was found stands, and so does exit code 1"* ]]
  run -2 bash -c 'gpugauge status --root tree --exit-style nagios >/dev/full'
  run -2 bash -c 'gpugauge status --root tree --device 0 >/dev/full'
  [[ $output == *"without that it would have ended with 0"* ]]
  run -1 gpugauge status --root tree --exit-style npd
  [ "${#lines[@]}" -eq 1 ]
  [ "${#output}" -le 80 ]
}

@test "a verdict of another driver, boot or library does not speak for now, and each is named" {
  make_machine 590.10.01
  make_verdicts 0 0
  run -3 gpugauge status --root tree
  [[ ${lines[0]} == "GPU 0 NVIDIA H200: cannot judge, "*"driver 580.65.06 then, 590.10.01 now"*"then it was: pass: 40 of 40 metrics" ]]
  run -0 gpugauge status --root tree --exit-style slurm
  run -2 gpugauge status --root tree --exit-style npd
  run -3 gpugauge status --root tree --exit-style nagios
  [[ ${lines[0]} == "GPUGAUGE UNKNOWN - "* ]]
  make_machine
  echo 00000000-0000-4000-8000-000000000000 >tree/proc/sys/kernel/random/boot_id
  run -3 gpugauge status --root tree
  [[ ${lines[0]} == *"the machine was started anew since its last verdict"* ]]
  make_machine
  mkdir -p tree/usr/lib
  touch tree/usr/lib/libcuda.so.580.82.07
  ln -s libcuda.so.580.82.07 tree/usr/lib/libcuda.so.1
  edit "$GPUGAUGE_STATE/verdicts/GPU-20000000-0000.json" \
    'it["stack"].update({"driver.libcuda_path": "/usr/lib/libcuda.so.580.65.06", "driver.libcuda_version": "580.65.06"})'
  run -3 gpugauge status --root tree
  [[ ${lines[0]} == *": pass, "* ]]
  [[ ${lines[1]} == *"libcuda 580.65.06 then, 580.82.07 now"* ]]
}

@test "a GPU that was never gauged, or is gone, is missed" {
  make_machine
  make_verdicts 0 0
  rm "$GPUGAUGE_STATE/verdicts/GPU-20000000-0000.json"
  run -3 gpugauge status --root tree
  [[ ${lines[1]} == "GPU at 0000:02:00.0 NVIDIA H200 (GPU-20000000-0000): cannot judge: was never gauged"* ]]
  make_verdicts 0 0
  rm -r tree/proc/driver/nvidia/gpus/0000:02:00.0
  run -3 gpugauge status --root tree
  [[ ${lines[1]} == *"it is not in this machine now"* ]]
  run -0 gpugauge status --root tree --device 0
}

@test "a failure of this boot does not age: nobody cleared it" {
  make_machine
  make_verdicts 0 1
  days_ago="it['finished'] = '$(date -u -d '3 days ago' +%FT%TZ)'"
  for device in GPU-10000000-0000 GPU-20000000-0000; do edit "$GPUGAUGE_STATE/verdicts/$device.json" "$days_ago"; done
  run -1 gpugauge status --root tree --max-age 26h
  [[ ${lines[0]} == "GPU 0 "*"cannot judge, "*"older than --max-age 26h"* ]]
  [[ ${lines[1]} == "GPU 1 NVIDIA H200: regressed, 72 h "*" ago: "* ]]
  run -1 gpugauge status --root tree --max-age 26h --exit-style npd
  # What was seen by another driver, or before a restart, is another matter.
  make_machine 590.10.01
  run -3 gpugauge status --root tree --max-age 26h
  make_machine
  echo 00000000-0000-4000-8000-000000000000 >tree/proc/sys/kernel/random/boot_id
  run -3 gpugauge status --root tree --max-age 26h
}

@test "a deeper failure of days ago, which a lesser check left in its place, is told at every age" {
  host_check
  edit "$GPUGAUGE_STATE/verdicts/host.json" "
it.update(profile='deep', narrowed=[], findings=[], finished='$(date -u -d '3 days ago' +%FT%TZ)',
          outcome={'exit_code': 1, 'word': 'regressed', 'sentence': 'regressed: 1 of 40 metrics'})"
  host_check
  run -1 gpugauge status --device host --max-age 26h
  [[ $output == *": regressed, 72 h "*" of 40 metrics"* ]]
  run -1 gpugauge status --device host --max-age 26h --profile smoke
}

@test "age and profile are asked for" {
  host_check
  edit "$GPUGAUGE_STATE/verdicts/host.json" 'it["finished"] = "2020-01-01T00:00:00Z"; it["narrowed"] = []; it["outcome"]["exit_code"] = 0'
  run -3 gpugauge status --device host
  [[ $output == *"its last verdict is of 2020-01-01T00:00:00Z, older than --max-age 8d"* ]]
  run -0 gpugauge status --device host --max-age any
  run -0 gpugauge status --device host --max-age any --profile smoke
  run -3 gpugauge status --device host --max-age any --profile standard
  [[ $output == *"is of profile smoke, and standard is asked for"* ]]
  for word in 26 h -1h 0h 1w ''; do run -2 gpugauge status --device host --max-age "$word"; done
  run -2 gpugauge status --device host --profile thorough
}

@test "nothing stored, no GPU, and what cannot be read" {
  run -3 gpugauge status --device host
  [[ $output == "Host: cannot judge: was never gauged: \`gpugauge check --device host\` does; no verdict is kept in $GPUGAUGE_STATE" ]]
  run -3 gpugauge status --device 99
  [[ $output == *"GPU 99: cannot judge: was never gauged, and the kernel shows no such GPU; no verdict is kept in $GPUGAUGE_STATE" ]]
  mkdir empty
  run -3 gpugauge status --root empty
  [[ $output == *"this machine has no NVIDIA GPU; --device host asks for the processor's verdict"* ]]
  run -2 gpugauge status --device gpu0
  run -2 gpugauge status --exit-style icinga
  [[ $output == *"there is no exit style 'icinga'; there are ci, nagios, slurm, npd"* ]]
  mkdir -p "$GPUGAUGE_STATE/verdicts"
  echo '{"schema": "gpugauge.verdict/1", "outcome":' >"$GPUGAUGE_STATE/verdicts/host.json"
  run -3 gpugauge status --device host
  [ "${#lines[@]}" -eq 1 ]
  [[ $output == "Host: cannot judge: "*"verdicts/host.json"*"run \`gpugauge check\` again"* ]]
  # A broken tool drains no node.
  run -0 gpugauge status --device host --exit-style slurm
  run -0 gpugauge status --device host --exit-style slurm --no-such-option
  run -3 gpugauge status --device host --exit-style=nagios
}

@test "a verdict that another version wrote, and this one cannot read, is no pass and no damage" {
  host_check
  local file="$GPUGAUGE_STATE/verdicts/host.json"
  cp "$file" kept.json
  for change in "it['since'] = 'yesterday'" "it['schema'] = 'gpugauge.verdict/2'" "del it['worst']"; do
    cp kept.json "$file"
    edit "$file" "it.update(gpugauge='9.8.7', commit='0123456789ab'); $change"
    run -3 gpugauge status --device host
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == *": cannot judge: "*"host.json"*"; gpugauge 9.8.7 (0123456789ab) wrote it, and this is "*"ask with that version, or run \`gpugauge check\` again with this one" ]]
    run -0 gpugauge status --device host --exit-style slurm
  done
  # What differs in its version alone is read.
  cp kept.json "$file"
  edit "$file" "it.update(gpugauge='9.8.7', commit='0123456789ab')"
  run gpugauge status --device host
  [[ $output != *"wrote it"* ]]
  host_check
  run gpugauge status --device host
  [[ $output != *"wrote it"* ]]
}

@test "a verdict that cannot be read hides no other device" {
  make_machine
  make_verdicts 1 0
  local verdicts=("$GPUGAUGE_STATE"/verdicts/GPU-2*.json)
  echo '{' >"${verdicts[0]}"
  run -1 gpugauge status --root tree
  [[ $output == *"GPU 0"*": regressed"* && $output == *"GPU-2"*": cannot judge: "*"gpugauge check"* ]]
  [ "$(wc -l <<<"$output")" -eq 2 ]
  run -3 gpugauge status --root tree --device 1
  [[ $output == *"has no verdict that can be read: "* ]]
  run gpugauge status --root tree --exit-style slurm
  [ "$status" -ne 0 ]
  gpugauge status --root tree --json >report.json || [ $? -eq 1 ]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" status report.json
}

@test "a check without a usable GPU is remembered against the node" {
  if has_gpu; then skip "this machine has a usable GPU"; fi
  make_machine
  make_verdicts 0 0
  run -0 gpugauge status --root tree
  run -3 gpugauge check --quiet
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" verdict "$GPUGAUGE_STATE/verdicts/node.json"
  run -3 gpugauge status --root tree
  [[ $output == *"Node: cannot judge, "*"no usable GPU"*" Next: "* && $output != *" ... "* && $output != *"  "* ]]
  run -0 gpugauge check --quiet --exit-style slurm
}

@test "an interrupted check leaves the earlier verdict" {
  host_check
  cp "$GPUGAUGE_STATE/verdicts/host.json" before.json
  gpugauge check --device host --profile standard --quiet >/dev/null &
  wait_until families_running $!
  kill -INT $!
  wait $! || true
  cmp before.json "$GPUGAUGE_STATE/verdicts/host.json"
  [ -z "$(find "$GPUGAUGE_STATE" -name '*.part' -o -name '*.tmp*')" ]
}

families_running() {
  [ -n "$(families_of "$1")" ]
}

@test "a narrowed check that judged nothing leaves a failure of the same boot" {
  gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet >/dev/null || [ $? -eq 3 ]
  "$PYTHON" - "$GPUGAUGE_STATE/verdicts/host.json" <<'PY'
import json, sys
verdict = json.load(open(sys.argv[1]))
verdict["outcome"].update(exit_code=1, word="failed", sentence="failed: 1 of 10 metrics (host/triad)")
verdict["narrowed"] = []
json.dump(verdict, open(sys.argv[1], "w"))
PY
  run -1 gpugauge status --device host
  run -3 gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet
  [[ $output == *"An earlier check in this boot failed this device."*"until a check of the whole device by profile smoke or a deeper one decides otherwise."* ]]
  run -1 gpugauge status --device host
  [[ $output == *"failed: 1 of 10 metrics"* ]]
}
