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
  # Of its share of the peak per clock, too.
  [[ "$output" =~ peak/bf16/wgmma\ +[0-9]+\ flop/clock\ +[0-9.]+%\ +99\.[0-9]%\ +(-\ +)?ok ]]
  # A product at its power limit has two shares, where there is room.
  COLUMNS=100 run gpugauge compare "$GPUGAUGE_SOURCE/baselines/NVIDIA H200/run/run.json"
  [[ $output != *"at top clock"* ]]
  COLUMNS=140 run gpugauge compare "$GPUGAUGE_SOURCE/baselines/NVIDIA H200/run/run.json"
  [[ "$output" =~ cublas/bf16/lt/8192x8192x8192\ .*\ 92\.[0-9]%\ +63\.[0-9]%\ +ok ]]
  "$PYTHON" - <<'PY'
import json
device = json.load(open("report.json"))["devices"][0]
product = next(one for one in device["verdicts"] if one["metric"] == "cublas/bf16/lt/8192x8192x8192:throughput")
assert product["verdict"] == "ok" and product["share_of_limit"] > .9, product
assert .5 < product["share_of_peak_at_highest_clock"] < .8, product
peak = next(one for one in device["measured"] if one["metric"] == "peak/bf16/wgmma:flop_per_clock_per_sm")
assert .98 < peak["share_of_limit"] < 1, peak
PY
}

# changed CODE: the recorded run of an H200 as run.json, after Python's CODE, which finds it as `run`.
changed() {
  "$PYTHON" - "$GPUGAUGE_SOURCE/baselines/NVIDIA H200/run/run.json" "$1" <<'PY'
import json, sys
run = json.load(open(sys.argv[1]))
benchmarks = [one for process in run["processes"] for one in process["samples"]["benchmarks"]]
series = {one["name"]: one for one in run["telemetry"] if one["source"].startswith("gpu:")}
exec(sys.argv[2])
json.dump(run, open("run.json", "w"))
PY
}

# Everything at 60% of its clock, as a lock leaves it.
locked='
for one in benchmarks:
    clocks = one["batches"]["sm_clock_hz"]
    one["batches"]["sm_clock_hz"] = [.6 * clock for clock in clocks]
    for metric in one["metrics"]:
        if clocks and metric["unit"] in ("flop/second", "operation/second"):
            metric["value"] *= .6
series["sm_clock_hz"]["values"] = [.6 * value for value in series["sm_clock_hz"]["values"]]
'

@test "clocks locked at 60% on a recorded H200 are in doubt, whether NVML names them or not, and may be meant" {
  changed "$locked
series['throttle_reasons']['values'] = [2 for value in series['throttle_reasons']['values']]"
  run -0 gpugauge compare run.json
  [[ $output == *"clocks/sm"*"60% of the highest (1980 MHz)"*"application or locked clocks hold it"* ]]
  run -4 gpugauge compare run.json --strict
  echo '{"schema": "gpugauge.policy/1", "metrics": [{"metric": "clocks/sm", "advisory": true, "why": "locked here"}]}' >policy.json
  run -0 gpugauge compare run.json --strict --policy policy.json
  changed "$locked
series['throttle_reasons']['values'] = [0 for value in series['throttle_reasons']['values']]"
  run -4 gpugauge compare run.json --strict
  [[ $output == *"clocks/sm"*"NVIDIA H200 was recorded at 1975 MHz"* ]]
  # Power is no lock: the recording itself has its reason in half of its samples, and passes.
  changed "pass"
  run -0 gpugauge compare run.json --strict
}

@test "half the bandwidth of a recorded H200 fails it, and is in doubt where others used it" {
  halved='
for one in benchmarks:
    for metric in one["metrics"]:
        if metric["unit"] == "byte/second" and metric["class"] == "hbm":
            metric["value"] *= .5
'
  changed "$halved"
  run -1 gpugauge compare run.json
  [[ $output == *"a healthy machine reaches at least 60%"* && $output != *"used the GPU before"* ]]
  changed "$halved
source = series['sm_clock_hz']['source']
run['telemetry'].append({'source': source, 'name': 'processes_before', 'unit': '1', 'seconds': [0], 'values': [1]})"
  run -0 gpugauge compare run.json
  [[ $output == *"a healthy machine reaches at least 60%"*"1 other process used the GPU before the measuring began"* ]]
  run -4 gpugauge compare run.json --strict
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

@test "the page of a recorded run draws its clocks, power and temperature, and stays small" {
  gpugauge compare "$GPUGAUGE_SOURCE/baselines/NVIDIA H200/run/run.json" --report html=page.html --report markdown=page.md
  [ "$(wc -c <page.html)" -lt 600000 ]
  "$PYTHON" - <<'PY'
import json
data = json.loads(open("page.html").read().split('<script type="application/json" id="data">')[1].split("</script>", 1)[0])
device = data["devices"][0]
time = device["time"]
seen = {one["title"]: one for one in time["quantities"]}
assert list(seen) == ["SM clock", "Power", "Temperature", "Temperature of the memory", "Utilization"], list(seen)
assert [seen["Power"][key] for key in ("unit", "lowest", "highest", "samples")] == ["watt", 101.236, 704.812, 337], seen["Power"]
assert len(seen["Power"]["points"]) == 337, "all of them: there are no more than are drawn"
assert [one["power_limit"] for one in time["rounds"]] == [700], time["rounds"]
assert sum(len(one["spans"]) for one in time["families"]) == 55, "one a process"
assert [(one["label"], one["samples"], one["of"]) for one in time["reasons"]] == [("sw_power_cap", 123, 337)], time["reasons"]
assert len(json.dumps(time)) < 60000, len(json.dumps(time))
assert device["sustained"] == [], "it has no benchmark under a long load"
PY
  [[ $(cat page.md) != *"first second"* ]]
}

@test "a run that was cut short draws what it holds" {
  gpugauge compare "$GPUGAUGE_SOURCE/baselines/NVIDIA H200/launch/launch-run.json" --report html=page.html || [ $? -eq 3 ]
  "$PYTHON" - <<'PY'
import json
data = json.loads(open("page.html").read().split('<script type="application/json" id="data">')[1].split("</script>", 1)[0])
time = data["devices"][0]["time"]
assert {one["samples"] for one in time["quantities"]} == {118}, time["quantities"]
assert [one["label"] for one in time["families"]] == ["first_launch", "launch"], time["families"]
assert time["reasons"] == [], "the only one was that it was at rest"
PY
}
