# Several GPUs measured at the same time. The driver is a fake with two of them, the family a script.
load common
load fake_gpu

export WIDE=1

two_gpus() {
  [ -e "$GPUGAUGE_BUILD/tests/fakes/driver/libcuda.so.1" ] || skip "the fake driver is not built"
  echo devices=2 >scenario
  export GPUGAUGE_FAKE_SCENARIO="$PWD/scenario" LD_LIBRARY_PATH="$GPUGAUGE_BUILD/tests/fakes/driver"
  probe_family <<'SH'
echo "$CUDA_VISIBLE_DEVICES $seed" >>"$here/started"
# Each waits until both have started: one after another they would wait in vain.
for _ in $(seq 100); do
  [ "$(wc -l <"$here/started")" -ge 2 ] && break
  sleep 0.1
done
[ "$(wc -l <"$here/started")" -ge 2 ] || exit 1
[ ! -e "$here/hang" ] || sleep 60
cp "$here/now.json" "$samples"
SH
  latency 0.001
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

@test "a baseline of several devices is refused, and those that can be named are listed" {
  two_gpus
  run -2 gpugauge baseline create --profile smoke
  [[ $output == *"--device all chose 3; name one of them with --device: 0 (GPU-"*"), 1 (GPU-"*"), links" ]]
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

# Nothing has started yet.
anew() {
  : >"$GPUGAUGE_LIBEXEC/started"
}

# Both processes of every round start before either ends: the family waits for the other, by pairs.
# shellcheck disable=SC2016  # for the shell of the family
in_pairs() {
  sed -i 's/-ge 2 \]/-ge "$want" ]/g; s/^echo "$CUDA_VISIBLE/want=$(( ($(wc -l <"$here\/started") \/ 2 + 1) * 2 ))\n&/' \
    "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
}

@test "baseline create and check measure together, judge by their own baseline, and say so" {
  two_gpus
  in_pairs
  anew
  run -0 gpugauge baseline create --devices-together --profile smoke --rounds 5 --quiet
  [ "$(grep -c 'profile smoke, 2 GPUs together' <<<"$output")" -eq 2 ]
  [ "$(find "$GPUGAUGE_STATE/baselines" -name baseline.json | wc -l)" -eq 2 ]
  [ "$(wc -l <"$GPUGAUGE_LIBEXEC/started")" -eq 10 ]
  anew
  run -0 gpugauge check --devices-together --profile smoke --quiet --json
  echo "$output" >together.json
  "$PYTHON" - together.json <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
devices = report["devices"]
assert len(devices) == 2, len(devices)
for device in devices:
    assert any("Measured together: 2 GPUs" in remark for remark in device["remarks"]), device["remarks"]
    assert device["outcome"]["exit_code"] == 0, device["outcome"]
    assert len(device["run_files"]) == 1 and device["run_files"][0].endswith(".json"), device["run_files"]
PY
  [ "$(wc -l <"$GPUGAUGE_LIBEXEC/started")" -eq 2 ]
  # A GPU alone is not judged by what was measured together: there is no baseline for it.
  sed -i 's/^for _ in .*/for _ in 1; do/; s/|| exit 1//' "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  run -3 gpugauge check --device 0 --profile smoke --quiet
  [[ $output != *"Measured together"* && $output == *"cannot judge"* ]]
}

@test "check --devices-together: a GPU that is slower than together before is named, the other passes" {
  two_gpus
  in_pairs
  anew
  run -0 gpugauge baseline create --devices-together --profile smoke --rounds 5 --quiet
  slow=$(cut -d' ' -f1 "$GPUGAUGE_LIBEXEC/started" | sort | head -n 1)
  anew
  sed "s/0\.001/0.002/g" "$GPUGAUGE_LIBEXEC/now.json" >"$GPUGAUGE_LIBEXEC/slow.json"
  sed -i "s/^cp /[ \"\$CUDA_VISIBLE_DEVICES\" != $slow ] || here=\$here\/slowly\n&/" "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  mkdir "$GPUGAUGE_LIBEXEC/slowly"
  mv "$GPUGAUGE_LIBEXEC/slow.json" "$GPUGAUGE_LIBEXEC/slowly/now.json"
  run -1 gpugauge check --devices-together --profile smoke --quiet
  [[ $output == *"regressed: 1 of 2 devices"*"$slow"* ]]
  # What is in doubt on one is measured again on both.
  count=$(wc -l <"$GPUGAUGE_LIBEXEC/started")
  [ "$count" -ge 4 ]
  [ $((count % 2)) -eq 0 ]
}

@test "check fails a node whose GPUs computed different things from the same work" {
  two_gpus
  in_pairs
  anew
  sed -i 's/"notes": {}/"notes": {"checksum": "00ff"}/' "$GPUGAUGE_LIBEXEC/now.json"
  run gpugauge check --devices-together --profile smoke --quiet
  [[ $status -eq 3 && $output != *"do not agree"* ]] # no baseline yet, and nothing to object to
  odd=$(cut -d' ' -f1 "$GPUGAUGE_LIBEXEC/started" | sort | head -n 1)
  anew
  mkdir "$GPUGAUGE_LIBEXEC/oddly"
  sed 's/00ff/00fe/' "$GPUGAUGE_LIBEXEC/now.json" >"$GPUGAUGE_LIBEXEC/oddly/now.json"
  sed -i "s/^cp /[ \"\$CUDA_VISIBLE_DEVICES\" != $odd ] || here=\$here\/oddly\n&/" "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  run -1 gpugauge check --devices-together --profile smoke --quiet
  [[ $output == *"2 GPUs of one model computed the same work and do not agree on the checksum"*00fe* ]]
}

# shellcheck disable=SC2016  # for the shell of the family
@test "baseline create --devices-together makes no baseline of a round that could not be kept" {
  two_gpus
  # Once both measure: before, it would be refused where to keep runs, and nothing measured.
  sed -i 's|^\[ ! -e "$here/hang" |case $CUDA_VISIBLE_DEVICES in *01) until rm -rf "$GPUGAUGE_STATE/runs" \&\& (: >"$GPUGAUGE_STATE/runs"); do :; done ;; esac\n&|' \
    "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  anew
  run -2 gpugauge baseline create --devices-together --profile smoke --rounds 1 --quiet
  [[ $output == *"GPU 0"*": round 1 was not kept: "* ]]
  [ ! -e "$GPUGAUGE_STATE/baselines" ]
}

@test "run --json refuses several devices in turn, before anything is measured" {
  two_gpus
  anew
  run -2 gpugauge run --device 0,1 --json --profile smoke
  [[ $output == *"--json prints one run file and 2 devices are chosen"* ]]
  [ ! -s "$GPUGAUGE_LIBEXEC/started" ]
}

@test "check and baseline create refuse what cannot be measured together" {
  two_gpus
  run -2 gpugauge check --devices-together --device 0 --profile smoke
  [[ $output == *"two GPUs or more at once and --device 0 chose GPU 0"* ]]
  run -2 gpugauge baseline create --devices-together --name both --profile smoke
  [[ $output == *"--name names one baseline and --devices-together makes 2"* ]]
  run -2 gpugauge baseline create --devices-together some.json
  [[ $output == *"--devices-together says how rounds are measured, and run files were given"* ]]
  [ ! -e "$GPUGAUGE_LIBEXEC/started" ]
  [ ! -e "$GPUGAUGE_STATE/baselines" ]
}

@test "check --devices-together says of a GPU whose command fails that it was not measured" {
  two_gpus
  in_pairs
  anew
  # shellcheck disable=SC2016  # for the family's shell
  sed -i 's/|| sleep 60/|| while [ -e "$here\/hang" ]; do sleep 0.1; done/' "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  : >"$GPUGAUGE_LIBEXEC/hang"
  gpugauge check --devices-together --profile smoke --quiet >out 2>&1 &
  command=$!
  wait_until bash -c "[ \"\$(wc -l <'$GPUGAUGE_LIBEXEC/started')\" -ge 2 ]"
  kill -KILL "$(pgrep --parent "$command" | head -n 1)"
  sleep 0.3
  rm "$GPUGAUGE_LIBEXEC/hang"
  status=0
  wait "$command" || status=$?
  cat out
  [ "$status" -eq 3 ]
  grep -q 'was not measured' out
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

@test "--devices-together goes on under nohup after the terminal has gone" {
  two_gpus
  # shellcheck disable=SC2016  # for the family's shell
  sed -i 's/|| sleep 60/|| while [ -e "$here\/hang" ]; do sleep 0.1; done/' "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  : >"$GPUGAUGE_LIBEXEC/hang"
  (trap '' HUP && exec gpugauge run --devices-together --profile smoke --quiet) >out 2>&1 &
  command=$!
  wait_until test -e "$GPUGAUGE_LIBEXEC/started"
  wait_until bash -c "[ \"\$(wc -l <'$GPUGAUGE_LIBEXEC/started')\" -ge 2 ]"
  kill -HUP "$command"
  sleep 0.3
  rm "$GPUGAUGE_LIBEXEC/hang"
  status=0
  wait "$command" || status=$?
  cat out
  [ "$status" -eq 0 ]
  [ "$(grep -l '"complete": true' "$GPUGAUGE_STATE"/runs/*.json | wc -l)" -eq 2 ]
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
