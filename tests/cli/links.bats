# What lies between GPUs, judged before any baseline of it is there. Driver, CUDA runtime and NCCL are fakes: no figure is a GPU's.
load common

eval "common_$(declare -f setup)"

setup() {
  common_setup
  local fakes=$GPUGAUGE_BUILD/tests/fakes
  [ -x "$fakes/runtime/copies/gpugauge-bench-copy" ] || skip "built without CUDA"
  export GPUGAUGE_LIBEXEC="$PWD/libexec" GPUGAUGE_FAKE_SCENARIO="$PWD/scenario" LD_LIBRARY_PATH="$fakes/driver" GPUGAUGE_FAKE_CUDA=
  mkdir libexec
  cp "$fakes/runtime/copies/gpugauge-bench-copy" libexec/
}

# two_gpus [KEY=VALUE ...]
two_gpus() {
  printf '%s\n' devices=2 runtime_devices=2 nvml_devices=2 capability=90 "$@" >scenario
}

check_links() { COLUMNS=1000 gpugauge check --device links --profile standard --only 'copy/peer*' --quiet "$@"; }

@test "the first check of links is held against what NVML says of NVLinks, and ends with a verdict" {
  # Far more than any host can copy, so that the share is small wherever this runs.
  two_gpus nvlinks=18 nvlink_megabytes=10000000
  run -0 check_links
  [[ $output == *"inconclusive  copy/peer:bandwidth_0_to_1"*"of 18 NVLinks to NVSwitches, 180000 GB/s in one direction as NVML says"* ]]
  run -4 check_links --strict
}

@test "links between GPUs without a switch have no floor, since a pair has a part of them" {
  two_gpus nvlinks=4 nvlinks_to_gpu=4 nvlink_megabytes=10000000
  run -0 check_links --strict
  [[ $output == *"pass: 2 of 2 metrics within limits"* ]]
}

@test "where nothing says what the links can do, nothing judges them, and that is the verdict" {
  two_gpus
  run -3 check_links
  [[ $output == *"inconclusive, advisory"*"cannot judge: nothing to judge the measurement by"* ]]
}

@test "a GPU that is only in use is named, and the links are neither passed nor failed" {
  two_gpus nvlinks=4 nvlinks_to_gpu=4 nvlink_megabytes=10000000
  GPUGAUGE_FAKE_CUDA=cudaSetDevice@1=46 run -3 check_links
  [[ $output == *"inconclusive  copy/peer"*"could not be measured: no other pair was measured of GPU 1 (GPU-aa"*"cudaErrorDevicesUnavailable (46)"* ]]
  [[ $output != *"failed  copy/peer"* && $output != *"answers nothing"* ]]
}
