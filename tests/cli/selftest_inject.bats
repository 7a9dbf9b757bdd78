# gpugauge selftest --inject: what is typed, what is set around a command, and that nothing of it stays.
# What this machine really finds is measured by hand (docs/diagnosis.md): no test here fails because it is slow or busy.
load common
load fake_gpu

export WIDE=1


own_temporary_folder() {
  mkdir tmp
  export TMPDIR="$PWD/tmp"
}

# field FILE PYTHON: of the certificate `it`.
field() { "$PYTHON" -c 'import json, sys; it = json.load(open(sys.argv[1])); fault = {one["fault"]: one for one in it["faults"]}; print(eval(sys.argv[2]))' "$1" "$2"; }

# A family of the host that takes 1 ms, and 2 ms while the command's command has a neighbour at work.
host_family() {
  one_gpu
  latency 0.002
  cp "$GPUGAUGE_LIBEXEC/now.json" "$GPUGAUGE_LIBEXEC/slow.json"
  latency 0.001
  sed -i 's/"gpu": true/"gpu": false/; s/"class": "launch"/"class": "host_cpu"/' "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  sed -i 's/"class": "launch"/"class": "host_cpu"/' "$GPUGAUGE_LIBEXEC"/*.json
  # shellcheck disable=SC2016
  sed -i 's|^cp .*|above=$(ps -o ppid= -p "$PPID"); which=now; ! pgrep -f "probe load .*--parent $((above))\$" >/dev/null \|\| which=slow; cp "$here/$which.json" "$samples"|' \
    "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
}

# Neighbours of this test's commands that live.
loads() {
  local one
  for one in $(pgrep -f 'probe load' || true); do
    if grep -qz "^GPUGAUGE_STATE=$GPUGAUGE_STATE$" "/proc/$one/environ" 2>/dev/null; then echo "$one"; fi
  done
}

# loaded PID: the neighbour of the command PID lives.
loaded() { pgrep -f "probe load .*--parent $1\$" >/dev/null; }
unloaded() { ! loaded "$1"; }
unchecked() { ! pgrep -f "check --device host .*--state-dir $1/" >/dev/null; }

# Control groups that a command left which is gone.
left_groups() {
  local one
  for one in $(find /sys/fs/cgroup -maxdepth 4 -type d -name 'gpugauge-*' 2>/dev/null || true); do
    kill -0 "${one##*-}" 2>/dev/null || echo "$one"
  done
}

@test "an unknown fault is an error that lists them; options need --inject; a baseline does not go with it" {
  run -2 gpugauge selftest --inject --only cpu_qota
  [[ $output == *"there is no such fault"*cpu_quota*launch_blocking*persisting_l2* ]]
  run -2 gpugauge selftest --repeat 3
  [[ $output == *--inject* ]]
  run -2 gpugauge selftest mine --inject
  [[ $output == *"leave mine out"* ]]
}

@test "a command that is confined, and nothing else is" {
  first=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
  before=$(grep Cpus_allowed_list /proc/self/status)
  quick_run free.json
  gpugauge probe under --processors "$first" -- run --device host --profile smoke --only 'host/clock_gettime*' --quiet --output one.json
  "$PYTHON" - "$first" <<'PY'
import json, sys
allowed = lambda file: json.load(open(file))["fingerprint"]["settings"]["host.cpus_allowed"]
assert allowed("one.json") == sys.argv[1], allowed("one.json")
PY
  [ "$(grep Cpus_allowed_list /proc/self/status)" = "$before" ]
}

@test "a small /dev/shm is that command's alone" {
  before=$(df --output=size /dev/shm | tail -n 1)
  code=0
  gpugauge probe under --shm-mib 64 -- doctor --json >doctor.json 2>said || code=$?
  [ "$code" -ne 9 ] || skip "$(cat said)"
  run -0 "$PYTHON" -c 'import json
print([one["value"] for one in json.load(open("doctor.json"))["inventory"]["items"] if one["key"] == "host.shm_mib"])'
  [ "$output" = "['64']" ]
  [ "$(df --output=size /dev/shm | tail -n 1)" = "$before" ]
}

@test "what cannot be set is refused in one sentence and with its own code" {
  run -9 gpugauge probe under --group "$PWD/no-such-group" -- list
  [[ $output == *"no-such-group/cgroup.procs cannot be opened"* ]]
  [ "${#lines[@]}" -eq 1 ]
  run -9 gpugauge probe under --parent 1 -- list
  [ -z "$output" ]
}

@test "a neighbour says when it works, and ends with its parent" {
  bash -c "gpugauge probe load --kind memory --bytes 1048576 --parent \$\$ >ready & echo \$! >pid; while ! grep -q ready ready; do sleep 0.1; done; kill -0 \$(cat pid)"
  wait_until bash -c "! kill -0 $(cat pid) 2>/dev/null"
}

@test "faults of the host against made rounds: found, quiet runs silent, the certificate keeps its schema" {
  host_family
  run gpugauge selftest --inject --device host --only processors_taken --only memory_taken --repeat 2 --quiet-runs 1 --quiet --output out.json
  echo "$output"
  [ "$status" -le 1 ]
  valid inject out.json
  [ "$(field out.json 'fault["processors_taken"]["found"]')" = 2 ]
  [ "$(field out.json 'fault["memory_taken"]["found"]')" = 2 ]
  [ "$(field out.json 'fault["processors_taken"]["trials"][0]["metrics"]')" = "['probe/op:latency']" ]
  [ "$(field out.json 'it["quiet"]["trials"][0]["found"]')" = False ]
  [[ $output == *processors_taken*2/2* ]]
  [ -z "$(loads)" ]
}

@test "without a GPU the host's faults are tried, and each other one is listed with its reason" {
  host_family
  rm -rf driver
  run gpugauge selftest --inject --quiet --json
  echo "$output" | grep -v '^gpugauge: ' >out.json
  valid inject out.json
  [[ $(field out.json 'fault["launch_blocking"]["not_run"]') == "no GPU can be used here" ]]
  [[ $(field out.json 'fault["persisting_l2"]["not_run"]') == "no GPU can be used here" ]]
  [ "$(field out.json 'len(fault["processors_taken"]["trials"])')" = 1 ]
  [ "$(field out.json 'all(one["run"] or one["not_run"] for one in it["faults"])')" = True ]
  [ -z "$(left_groups)" ]
}

@test "faults of variables reach the driver's process: a GPU that is a fake" {
  one_gpu
  # Slow where a variable stands in the family's own environment.
  cp "$GPUGAUGE_LIBEXEC/now.json" "$GPUGAUGE_LIBEXEC/quick.json"
  latency 0.003
  cp "$GPUGAUGE_LIBEXEC/now.json" "$GPUGAUGE_LIBEXEC/slow.json"
  # shellcheck disable=SC2016
  sed -i 's|^cp .*|[ "$CUDA_LAUNCH_BLOCKING" = 1 ] \&\& cp "$here/slow.json" "$samples" \|\| cp "$here/quick.json" "$samples"|' "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  run -3 gpugauge selftest --inject --device 0 --only launch_blocking --quiet --output out.json
  valid inject out.json
  # One family cannot show that products are as fast as ever, which the fault's classes ask for.
  [[ $(field out.json 'fault["launch_blocking"]["not_run"]') == *"no profile measures gemm16 here"* ]]
}

@test "a signal in the midst: the certificate so far, no neighbour, no group, no file stays" {
  host_family
  own_temporary_folder
  gpugauge selftest --inject --device host --only processors_taken --repeat 500 --quiet --output out.json >log 2>&1 &
  command=$!
  wait_until loaded "$command"
  kill -TERM "$command"
  code=0
  wait "$command" || code=$?
  # 1 where a trial before it was named otherwise: what is measured here is made.
  [[ $code -eq 3 || $code -eq 1 ]]
  valid inject out.json
  [ "$(field out.json 'it["interrupted"]')" = True ]
  [ -z "$(loads)" ]
  [ -z "$(left_groups)" ]
  [ -z "$(ls -A tmp)" ]
}

@test "the terminal hangs up under nohup: it goes on to its end" {
  host_family
  own_temporary_folder
  nohup gpugauge selftest --inject --device host --only processors_taken --repeat 1 --quiet --output out.json >log 2>&1 &
  command=$!
  wait_until loaded "$command"
  kill -HUP "$command"
  code=0
  wait "$command" || code=$?
  [ "$code" -le 1 ]
  [ "$(field out.json 'it["interrupted"]')" = False ]
  [ "$(field out.json 'len(fault["processors_taken"]["trials"])')" = 1 ]
}

@test "kill -9 in the midst: neighbour and check end, the next command removes what is left" {
  host_family
  own_temporary_folder
  gpugauge selftest --inject --device host --only processors_taken --repeat 500 --quiet >log 2>&1 &
  command=$!
  wait_until loaded "$command"
  kill -9 "$command"
  wait "$command" || true
  wait_until unloaded "$command"
  wait_until unchecked "$PWD/tmp"
  [ -n "$(ls -A tmp)" ]
  run gpugauge selftest --inject --device host --only launch_blocking --quiet
  [ "$status" -eq 3 ]
  [ -z "$(ls -A tmp)" ]
  [ -z "$(left_groups)" ]
}

@test "a second version of a CUDA library is found and named; the copy made for it is gone" {
  host_family
  rm -rf driver
  own_temporary_folder
  run gpugauge selftest --inject --device host --only mixed_libraries --repeat 2 --quiet --output out.json
  valid inject out.json
  [ "$(field out.json 'fault["mixed_libraries"]["not_run"]')" = "" ] || skip "$(field out.json 'fault["mixed_libraries"]["not_run"]')"
  [ "$status" -eq 0 ]
  [ "$(field out.json 'fault["mixed_libraries"]["named_first"]')" = 2 ]
  [ -z "$(ls -A tmp)" ]
}

@test "a framework built without CUDA is found and named, beside a driver that is a fake" {
  one_gpu
  run gpugauge selftest --inject --device 0 --only cpu_only_framework --quiet --output out.json
  valid inject out.json
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(field out.json 'fault["cpu_only_framework"]["named_first"]')" = 1 ]
}

@test "what only the doctor can see is asked of it: no visible device, a small /dev/shm, with a driver that is a fake" {
  one_gpu
  run gpugauge selftest --inject --device 0 --only no_visible_device --only small_shm --quiet --output out.json
  valid inject out.json
  [ "$(field out.json 'fault["no_visible_device"]["named_first"]')" = 1 ]
  [ "$(field out.json 'fault["small_shm"]["named_first"]')" = 1 ] || [ -n "$(field out.json 'fault["small_shm"]["not_run"]')" ]
  [ "$status" -eq 0 ]
}
