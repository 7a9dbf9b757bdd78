# Runs that were really recorded, under baselines/: what the judge and the diagnosis say of them.
load common
export WIDE=yes

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
