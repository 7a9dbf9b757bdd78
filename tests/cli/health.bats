# A GPU whose memory is failing, or of which the driver reports errors, is no good for work however quick it is. The driver is a fake.
load common
load fake_gpu

export WIDE=1

# A GPU with a baseline, all its memory sound. Its family ends when telemetry has begun, and runs $here/meanwhile first.
sound_gpu() {
  one_gpu
  probe_family <<'SH'
for _ in $(seq 400); do
  [ ! -e "$here/listened" ] || break
  sleep 0.05
done
[ ! -e "$here/meanwhile" ] || . "$here/meanwhile"
cp "$here/now.json" "$samples"
SH
  latency 0.001
  memory "remapped=0 0 0 0" retired_pages_pending=0 ecc_uncorrected=0
  run -0 gpugauge baseline create --device 0 --profile smoke --quiet -n 5
}

# memory KEY=VALUE ...: what NVML says of the GPU from now on (tests/fakes/scenario.hpp).
memory() {
  driver 570.86.15 "listened=$GPUGAUGE_LIBEXEC/listened" "$@"
}

# The run file that was written last.
newest_run() {
  find "$GPUGAUGE_STATE/runs" -name '*.json' -printf '%T@ %p\n' | sort -n | tail -1 | cut -d ' ' -f 2
}

check_gpu() {
  rm -f "$GPUGAUGE_LIBEXEC/listened"
  gpugauge check --device 0 --profile smoke --quiet --no-probes "$@"
}

@test "a GPU that has nothing wrong passes, and nothing is said of its health" {
  sound_gpu
  run -0 check_gpu --strict
  [[ $output != *"health/"* ]]
  grep -q '"name": *"remap_failed"' "$(newest_run)"
}

@test "a GPU that cannot repair its memory fails, and whoever reads the run files finds the same" {
  sound_gpu
  memory "remapped=0 9 0 1" ecc_uncorrected=0
  run -1 check_gpu --report junit=check.xml
  [[ $output == *"failed"*"health/memory"*"a memory row of GPU-"*" could not be remapped"*"take the GPU out of use and have it tested for replacement"* ]]
  [[ $output == *"docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt"* ]]
  run -1 bash -c 'gpugauge doctor >/dev/full'
  [[ $output == *"what was found stands, and so does exit code 1"* ]]
  grep -A3 'name="health/memory"' check.xml | grep -q '<failure.*could not be remapped'
  run -1 gpugauge compare "$(newest_run)"
  [[ $output == *"health/memory"*"could not be remapped"* ]]
  # The kernel of this machine does not hold the fake.
  run gpugauge status
  [[ $output == *"hbm_row_remap"*"failed: 1 of 2 metrics (health/memory)"* ]]
  # The doctor says the same of the same fact.
  run gpugauge doctor
  [[ $output == *"A memory row of "*" could not be remapped"*"Take the GPU out of use and have it tested for replacement"* ]]
}

@test "a row that waits for a reset is counted as doubt" {
  sound_gpu
  memory "remapped=0 1 1 0" ecc_uncorrected=0
  run -0 check_gpu
  [[ $output == *"inconclusive"*"health/memory"*"a memory row of GPU-"*" waits to be remapped at the next reset; drain the node, then reset the GPU: sudo nvidia-smi --gpu-reset -i GPU-"*"then check again"* ]]
  run -4 check_gpu --strict
  # Half a command that is pasted resets every GPU.
  local width
  for width in 60 76 100; do
    COLUMNS=$width run check_gpu
    grep -q 'sudo nvidia-smi --gpu-reset -i GPU-' <<<"$output"
    COLUMNS=$width run gpugauge doctor
    grep -q 'sudo nvidia-smi --gpu-reset -i [0-9G]' <<<"$output"
  done
  memory retired_pages_pending=1
  run -4 check_gpu --strict
  [[ $output == *"memory pages of GPU-"*" wait to be retired; drain the node"* ]]
}

@test "of two GPUs that pass the last line names the one in doubt, and so do the reports" {
  sound_gpu
  memory "gpu.1.remapped=0 1 1 0" ecc_uncorrected=0
  sed -i 's/^devices=1$/devices=2/' scenario
  run -0 gpugauge check --profile smoke --quiet --no-probes --report markdown=out.md --report html=out.html
  said="pass: 2 of 2 devices; 1 inconclusive (GPU 1: health/memory)"
  [[ ${lines[-1]} == "$said"* ]]
  grep -q "^\*\*pass: 2 of 2 devices; 1 inconclusive .*GPU 1: health/memory" out.md
  grep -qF "$said" out.html
}

@test "uncorrectable errors fail what they were counted in, and leave doubt about what comes after" {
  sound_gpu
  echo "sed -i s/ecc_uncorrected=0/ecc_uncorrected=3/ '$PWD/scenario'" >"$GPUGAUGE_LIBEXEC/meanwhile"
  memory "remapped=0 0 0 0" ecc_uncorrected=0
  run -1 check_gpu
  [[ $output == *"failed"*"health/memory"*"met uncorrectable memory errors while it was measured, 3 by its own count"* ]]
  rm "$GPUGAUGE_LIBEXEC/meanwhile"
  run -4 check_gpu --strict
  [[ $output == *"met uncorrectable memory errors since the driver was loaded, 3 by its own count"* ]]
}

@test "an Xid of the hardware that comes meanwhile fails, one from before and one of a program do not" {
  sound_gpu
  memory xids=48
  # shellcheck disable=SC2016
  echo "sed -i 's/^xids=48\$/xids=48 13/' '$PWD/scenario'" >"$GPUGAUGE_LIBEXEC/meanwhile"
  run -0 check_gpu --strict
  [[ $output != *"health/"* ]]
  memory xids=48
  echo "sed -i 's/^xids=48\$/xids=48 94/' '$PWD/scenario'" >"$GPUGAUGE_LIBEXEC/meanwhile"
  run -1 check_gpu
  [[ $output == *"failed"*"health/xid"*"the driver reported Xid 94 (a memory error, contained in one program) of GPU-"*" while it was measured"* ]]
  [[ $output != *"Xid 48"* ]]
}

@test "who else used the GPU and how its clocks were set is in the run file and the observation" {
  sound_gpu
  memory "processes=11:train:2 12:serve:1" utilization=60 "remapped=3 0 0 0" \
    sm_clock_application_mhz=1590 sm_clock_application_default_mhz=1980
  run -0 check_gpu --observation seen.json
  "$PYTHON" - "$(newest_run)" <<'PY'
import json, sys
run = json.load(open(sys.argv[1]))
values = {one["name"]: one["values"] for one in run["telemetry"] if one["source"].startswith("gpu:")}
assert values["processes_before"] == [2] and values["utilization_before"] == [0.6], values
assert values["remapped_correctable"][0] == 3 and values["remapped_uncorrectable"][0] == 0, values
settings = run["fingerprint"]["settings"]
assert settings["gpu.0.sm_clock_application_mhz"] == "1590", settings
assert settings["gpu.0.sm_clock_application_default_mhz"] == "1980", settings
seen = json.load(open("seen.json"))["telemetry"]
assert seen["other_processes"] == 2 and seen["utilization_before_percent"] == 60, seen
assert seen["application_clock_mhz"] == 1590 and seen["application_clock_is_default"] is False, seen
PY
  # What NVML does not tell is absent.
  memory code.nvmlDeviceGetComputeRunningProcesses_v3=4
  run -0 check_gpu --observation unknown.json
  run ! grep -q processes_before "$(newest_run)"
  run ! grep -q '_clock_application' "$(newest_run)"
  run ! grep -q -e other_processes -e application_clock unknown.json
}

@test "what the driver reports and what fails is handed over to the diagnosis, with what the doctor sees of the node" {
  sound_gpu
  memory xids=48
  # shellcheck disable=SC2016
  echo "sed -i 's/^xids=48\$/xids=48 119 119/' '$PWD/scenario'" >"$GPUGAUGE_LIBEXEC/meanwhile"
  run -1 check_gpu --observation seen.json
  [[ $output == *"gsp_firmware"*"Xid 119 of GPU-"*", 2 times, while it was measured"* ]]
  grep -q '"host.shm_mib": *[0-9]' seen.json
  run -1 gpugauge diagnose seen.json
  [[ $output == *"gsp_firmware"* ]]

  rm "$GPUGAUGE_LIBEXEC/meanwhile" seen.json
  memory ecc_uncorrected=0
  sed -i 's/"id": "probe\/op", "status": "ok", "reason": ""/"id": "probe\/op", "status": "failed", "reason": "copying failed: cudaErrorIllegalAddress (700): A kernel touched memory that is not its own. Run the program under compute-sanitizer; the process must be started again."/' \
    "$GPUGAUGE_LIBEXEC/now.json"
  run -1 check_gpu --observation seen.json
  grep -q '"text": *"probe/op: copying failed: cudaErrorIllegalAddress (700)"' seen.json
  grep -q '"code": *700' seen.json
}
