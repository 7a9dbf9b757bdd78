# Several GPUs measured at the same time. The driver is a fake with two of them, the family a script.
load common

export WIDE=1

two_gpus() {
  [ -e "$GPUGAUGE_BUILD/tests/fakes/driver/libcuda.so.1" ] || skip "the fake driver is not built"
  echo devices=2 >scenario
  export GPUGAUGE_FAKE_SCENARIO="$PWD/scenario" LD_LIBRARY_PATH="$GPUGAUGE_BUILD/tests/fakes/driver"
  export GPUGAUGE_LIBEXEC="$PWD/libexec"
  mkdir -p "$GPUGAUGE_LIBEXEC"
  cat >"$GPUGAUGE_LIBEXEC/gpugauge-bench-probe" <<'SH'
#!/bin/sh
for word; do
  case $word in
    --gpugauge_describe)
      cat <<'JSON'
{"schema": "gpugauge.definitions/1", "family": "probe", "definitions": [
  {"id": "probe/op", "class": "launch", "isolates": "x", "bad_value": "y", "window_share": 1,
   "ids": ["probe/op"], "depths": {"probe/op": "smoke"}, "requires": {"gpu": true}}]}
JSON
      exit 0 ;;
    --gpugauge_samples=*) samples=${word#*=} ;;
    --gpugauge_seed=*) seed=${word#*=} ;;
  esac
done
here=$(dirname "$0")
echo "$CUDA_VISIBLE_DEVICES $seed" >>"$here/started"
# Each waits until both have started: one after another they would wait in vain.
for _ in $(seq 100); do
  [ "$(wc -l <"$here/started")" -ge 2 ] && break
  sleep 0.1
done
[ "$(wc -l <"$here/started")" -ge 2 ] || exit 1
[ ! -e "$here/hang" ] || sleep 60
cp "$here/good.json" "$samples"
SH
  chmod +x "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  cat >"$GPUGAUGE_LIBEXEC/good.json" <<'JSON'
{"schema": "gpugauge.samples/1", "family": "probe", "status": "ok", "reason": "", "suite_version": "0.1.0",
 "source_hash": "aa", "seed": 1, "context": {}, "benchmarks": [{"id": "probe/op", "status": "ok", "reason": "",
  "parameters": {}, "notes": {}, "work": {"bytes": 0, "flops": 0, "items": 0},
  "batches": {"operations_per_batch": 1, "seconds_per_operation": [0.001, 0.001], "cpu_seconds_per_operation": [],
              "sm_clock_hz": [], "window_seconds": 0.002, "cpu_seconds": 0},
  "metrics": [{"name": "latency", "unit": "second", "better": "lower", "class": "launch", "statistic": "median",
               "value": 0.001, "resolution": 0, "judged": true, "note": ""}],
  "verifications": []}]}
JSON
}

@test "--devices-together measures both at once, says so in both run files, and keeps them apart from lone runs" {
  two_gpus
  run -0 gpugauge run --devices-together --profile smoke --quiet
  [ "$(grep -c 'kept as' <<<"$output")" -eq 2 ]
  [ "$(cut -d' ' -f1 "$GPUGAUGE_LIBEXEC/started" | sort | uniq | wc -l)" -eq 2 ]
  [ "$(cut -d' ' -f2 "$GPUGAUGE_LIBEXEC/started" | sort | uniq | wc -l)" -eq 1 ] # one seed: one order
  "$PYTHON" - "$GPUGAUGE_STATE"/runs/*.json <<'PY'
import json, sys
runs = [json.load(open(name)) for name in sys.argv[1:]]
assert len(runs) == 2, len(runs)
assert len({run["device"] for run in runs}) == 2
assert all(run["fingerprint"]["suite"]["suite.devices_together"] == "2" for run in runs), runs[0]["fingerprint"]["suite"]
assert all(run["complete"] for run in runs)
PY
  together=$(find "$GPUGAUGE_STATE/runs" -name '*.json' | sort | head -n 1)
  device=$(sed -n 's/^ *"device": "\(GPU-[^"]*\)",\{0,1\}$/\1/p' "$together" | head -n 1)
  run -0 gpugauge run --device "$device" --profile smoke --quiet --output alone.json
  [[ $(cat alone.json) != *devices_together* ]]
  run -3 gpugauge compare alone.json --against "$together"
  [[ $output == *suite.devices_together* ]]
}

@test "--devices-together refuses one device, the host, one output and JSON" {
  two_gpus
  run -2 gpugauge run --devices-together --device 0 --profile smoke
  [[ $output == *"two GPUs or more at once and --device 0 chose GPU 0"* ]]
  run -2 gpugauge run --devices-together --device all,host --profile smoke
  [[ $output == *"chose the host too"* ]]
  run -2 gpugauge run --devices-together --output x.json --profile smoke
  [[ $output == *"--output names one file and 2 devices are chosen"* ]]
  run -2 gpugauge run --devices-together --json --profile smoke
  [[ $output == *"--json prints one run file"* ]]
  [ ! -e "$GPUGAUGE_LIBEXEC/started" ]
}

@test "an interrupted --devices-together leaves a partial run file of each device, and no process" {
  two_gpus
  : >"$GPUGAUGE_LIBEXEC/hang"
  gpugauge run --devices-together --profile smoke --quiet >out 2>&1 &
  command=$!
  wait_until test -e "$GPUGAUGE_LIBEXEC/started"
  wait_until bash -c "[ \"\$(wc -l <'$GPUGAUGE_LIBEXEC/started')\" -ge 2 ]"
  sleep 0.3
  kill -TERM "$command"
  status=0
  wait "$command" || status=$?
  [ "$status" -eq 3 ]
  [ "$(grep -l '"complete": false' "$GPUGAUGE_STATE"/runs/*.json | wc -l)" -eq 2 ]
  run ! pgrep --full "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
}

@test "ranks with --device rank measure each its own GPU, and say that they did so together" {
  two_gpus
  for rank in 0 1; do
    GPUGAUGE_RANK=$rank GPUGAUGE_RANKS=2 GPUGAUGE_LOCAL_RANK=$rank GPUGAUGE_LOCAL_RANKS=2 \
      gpugauge run --device rank --profile smoke --quiet --output out/ >"$rank.out" 2>"$rank.err" &
  done
  wait
  cat ./*.err
  [ "$(cat ./*.err)" = "" ]
  "$PYTHON" - out/*/*.rank0.json out/*/*.rank1.json <<'PY'
import json, sys
runs = [json.load(open(name)) for name in sys.argv[1:]]
assert len({run["device"] for run in runs}) == 2, runs
assert all(run["complete"] and run["fingerprint"]["suite"]["suite.devices_together"] == "2" for run in runs)
PY
}

@test "--device rank: more ranks than GPUs on a node are refused, a rank that sees one GPU takes it" {
  two_gpus
  export GPUGAUGE_RANK=2 GPUGAUGE_RANKS=3 GPUGAUGE_LOCAL_RANK=2 GPUGAUGE_LOCAL_RANKS=3
  run -2 gpugauge run --device rank --profile smoke --quiet
  [[ $output == *"this node has 3 ranks and shows each of them 2 GPUs; start a rank for each GPU"* ]]
  echo devices=1 >scenario
  export GPUGAUGE_RANK=0 GPUGAUGE_LOCAL_RANK=0
  run -2 gpugauge run --device rank --profile smoke --quiet
  [[ $output == *"this node has 3 ranks and shows each of them 1 GPU; start"* ]]
  export GPUGAUGE_RANK=2 GPUGAUGE_LOCAL_RANK=2
  echo -e "one\ntwo" >"$GPUGAUGE_LIBEXEC/started"
  CUDA_VISIBLE_DEVICES=0 run -0 gpugauge run --device rank --profile smoke --quiet --output out/
  [ "$(find out -name '*.rank2.json' | wc -l)" = 1 ]
}

@test "--devices-together writes each run into the folder that was asked for" {
  two_gpus
  run -0 gpugauge run --devices-together --profile smoke --quiet --output out/
  [ "$(find out -name '*.json' | wc -l)" = 2 ]
}
