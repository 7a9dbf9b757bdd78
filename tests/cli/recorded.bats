# Runs that were really recorded, under baselines/: what the judge and the diagnosis say of them.
# shellcheck disable=SC2030,SC2031  # output and status are bats's, in tests and in what they share
load common
export WIDE=yes

# draw FIRST COUNT FOLDER [BENCHMARK FACTOR]: of the run of $model.
model="NVIDIA H100 80GB HBM3"
draw() {
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/cli/drawn_rounds.py" "$GPUGAUGE_SOURCE/baselines/$model/run/run.json" \
    "$3" "$1" "$2" "${@:4}"
}

@test "a recorded run of an H100 keeps every physical limit, has its Tensor Cores, and no cause is named" {
  run gpugauge compare "$GPUGAUGE_SOURCE/baselines/NVIDIA H100 80GB HBM3/run/run.json" --report json=report.json
  # 3: nothing to compare it with, or it was cut short.
  [[ $status -eq 3 && $output == *"cannot judge: "* && $output != *Cause* ]]
  "$PYTHON" - <<'PY'
import json
device = json.load(open("report.json"))["devices"][0]
assert device["findings"] == [], device["findings"]
verdicts = {one["metric"]: one["verdict"] for one in device["verdicts"] if one["judge"] == "physical"}
assert set(verdicts.values()) == {"ok"}, verdicts
assert {"clocks/sm", "link/pcie", "tensor_cores/gemm16", "tensor_cores/fp8", "peak/bf16/wgmma:throughput"} <= set(verdicts), verdicts
PY
}

@test "a whole recorded run of an H200 passes by its limits alone, and shows products by their rates" {
  run gpugauge compare "$GPUGAUGE_SOURCE/baselines/NVIDIA H200/run/run.json" --report json=report.json
  [[ $status -eq 0 && $output != *Cause* ]]
  [[ "$output" =~ cublas/bf16/lt/8192x8192x8192\ +[0-9]+\ TFLOP/s.*ok ]]
  [[ "$output" =~ peak/bf16/wgmma\ +[0-9]+\ flop/clock ]]
}

# What chance makes of a recorded run is no regression: its processes have two modes in an allocation, a wait
# and attention, and a GPU at its power limit has another clock in each.
drawn_are_no_regression() {
  mkdir pinned
  draw 1 8 pinned
  run gpugauge baseline create pinned/*.json --name h100 --state-dir state
  [ "$status" -eq 0 ]
  for check in 1 2 3 4 5 6; do
    mkdir "check-$check"
    draw $((10 * check + 1)) 4 "check-$check"
    run gpugauge compare "check-$check"/*.json --baseline state/baselines/h100
    [ "$status" -eq 0 ] || { echo "$output"; false; }
  done
}

@test "rounds drawn from a recorded run of an H100 are no regression of each other" {
  drawn_are_no_regression
}

@test "rounds drawn from a recorded run of an H200 are no regression of each other" {
  model="NVIDIA H200"
  drawn_are_no_regression
}

@test "a product 4% slower at the power limit of a recorded H100 is found by its operations per clock" {
  mkdir pinned slower
  draw 1 8 pinned
  draw 11 5 slower cublas/tf32/lt/8192x8192x8192 1.04
  gpugauge baseline create pinned/*.json --name h100 --state-dir state
  run gpugauge compare slower/*.json --baseline state/baselines/h100 --report json=report.json
  [ "$status" -eq 1 ]
  "$PYTHON" - <<'PY'
import json
device = json.load(open("report.json"))["devices"][0]
bad = [one["metric"] for one in device["verdicts"] if one["verdict"] in ("regressed", "failed") and not one["advisory"]]
assert bad == ["cublas/tf32/lt/8192x8192x8192:flop_per_clock_per_sm"], bad
PY
}
