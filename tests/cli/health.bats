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
