# shellcheck shell=bash disable=SC2016  # what stands in single quotes is expanded by the programs made of it
# shellcheck disable=SC2154  # output and status are bats's
# A tree with a build, a GPU and commands that are scripts, for the tests of scripts/record.

setup() {
  tree="$BATS_TEST_TMPDIR/tree"
  mkdir -p "$tree" "$tree/build/ci/bin" "$BATS_TEST_TMPDIR/fakes"
  cp -r "$GPUGAUGE_SOURCE/scripts" "$tree/scripts"
  mkdir -p "$tree/harness/judge" "$tree/harness/result"  # the sources that hold rates, beside the scripts
  cp "$GPUGAUGE_SOURCE/harness/judge/peaks.cpp" "$tree/harness/judge/"
  cp "$GPUGAUGE_SOURCE/harness/result/gpu_model.hpp" "$tree/harness/result/"
  export CALLS="$BATS_TEST_TMPDIR/calls" TEST_STATUS=0 UUID=GPU-11111111-2222-3333-4444-555555555555 COMMIT=abc123 NAME="NVIDIA \"Test\" GPU"
  touch "$CALLS"
  export COLUMNS=1000  # no cell of the table is wrapped
  export MADE="$BATS_TEST_TMPDIR/made" RUN_STATUS=0 TORCH_STATUS=0 HEARD="$BATS_TEST_TMPDIR/heard"
  mkdir "$MADE"
  program gpugauge 'output() { while [ "$1" != --output ]; do shift; done; echo "$2"; }
  case "$1" in
    --version) echo "gpugauge 0.1.0"; echo "commit $COMMIT" ;;
    list) cat "$MADE/list" ;;
    doctor) for word; do case "$word" in json=*|markdown=*) cat "$MADE/doctor" >"${word#*=}" ;; esac; done ;;
    run) echo "run $CUDA_VISIBLE_DEVICES $*" >>"$CALLS"
      case "$*" in *first_launch*) made=launch ;; *"--only hbm"*) made=spread ;; *"--profile deep"*) made=ratios ;; *) made=run ;; esac
      [ ! -e "$MADE/$made" ] || cat "$MADE/$made" >"$(output "$@")"; exit "$RUN_STATUS" ;;
    frameworks) echo "frameworks $CUDA_VISIBLE_DEVICES $NVIDIA_TF32_OVERRIDE $*" >>"$CALLS"; cat "$MADE/torch" >"$(output "$@")"
      [ "$TORCH_STATUS" = 0 ] || echo "cannot judge: it was so"; exit "$TORCH_STATUS" ;;
    check) echo "check $*" >>"$CALLS"; for word; do case "$word" in json=*) [ "$CHECK_STATUS" = 2 ] || cat "$MADE/checked" >"${word#*=}" ;; esac; done; echo "a verdict"
      exit "${CHECK_STATUS:-0}" ;;
    baseline) echo "baseline $*" >>"$CALLS"; echo "made" ;;
    selftest) echo "selftest $*" >>"$CALLS"; cat "$MADE/faults" >"$(output "$@")" ;;
  esac'
  made "$MADE"
  program test_gpu '[ "$1" != --gtest_list_tests ] || { cat "$MADE/listed"; exit; }
    for word; do case "$word" in
      --gtest_filter=*) suite="${word#*=}"; suite="${suite%%.*}" ;;
      --gtest_output=xml:*) file="${word#*:}" ;;
    esac; done
    echo "test_gpu $suite $GPUGAUGE_TEST_SMALL" >>"$CALLS"
    [ "$suite" != "$CRASHES" ] || { echo "[ RUN      ] $suite.IsLast"; kill -SEGV $$; }
    [ "$suite" != "$HANGS" ] || exec sleep 300
    cat "$MADE/$suite.xml" >"$file"
    exit "$TEST_STATUS"'
  cat >"$BATS_TEST_TMPDIR/fakes/nvidia-smi" <<'TEXT'
#!/bin/sh
[ -n "$UUID" ] || { echo "NVIDIA-SMI has failed"; exit 9; }
case "$*" in *compute_mode*) echo "${GPU_MODE:-Default}"; exit ;; esac
echo "$UUID, $NAME, 580.65.06"
TEXT
  cat >"$BATS_TEST_TMPDIR/fakes/compute-sanitizer" <<'TEXT'
#!/bin/sh
[ "$1 $3" = "--tool --error-exitcode" ] || exit 8
echo "sanitizer $2" >>"$CALLS"
tool="$2"
shift 4
"$@" || exit
[ "$tool" != "$BAD_TOOL" ] || { echo "ERROR SUMMARY: 1 error"; exit 9; }
TEXT
  chmod +x "$BATS_TEST_TMPDIR/fakes/"*
  PATH="$BATS_TEST_TMPDIR/fakes:$PATH"
}

# made FOLDER: what the fakes answer, all of it good: a doctor's report, runs, tests, a certificate.
made() {
  PYTHONPATH="$GPUGAUGE_SOURCE/scripts/lib" python3 -B - "$1" <<'TEXT'
import json, pathlib, sys
import ratios

folder = pathlib.Path(sys.argv[1])

def run(values, processes=1):
    return {"schema": "gpugauge.run/1", "complete": True, "partial_reason": "", "processes": processes * [
        {"family": "made", "status": "ok", "reason": "", "samples": {"context": {"gpu.compute_capability": "9.0"}, "benchmarks": [
            {"id": name, "status": "ok", "reason": "",
             "batches": {"operations_per_batch": 5, "seconds_per_operation": [1e-6 * (number + 1) for number in range(100)]},
             "metrics": [{"name": metric, "value": value, "class": "hbm", "judged": True}]} for (name, metric), value in values.items()]}}]}

def sides(wanted, torch):
    keys = {tuple(key.split(":")): 1.0 for one in wanted for key in one.others} | {tuple(one.kernel.split(":")): float(one.rate[0] if one.rate else 1) for one in wanted}
    keys |= {tuple(one.turns.split(":")): 1.0 for one in wanted if one.turns}
    return {key: value for key, value in keys.items() if key[0].startswith("torch/") == torch}

def write(name, content):
    (folder / name).write_text(json.dumps(content))

write("run", run({("memory/copy/cold", "bandwidth"): 1.0, ("gemm/bf16", "throughput"): 1.0}, 5))
write("launch", run({("launch/enqueue", "latency"): 1.0, ("first_launch/context", "latency"): 1.0}))
ALL = [*ratios.LIBRARIES, *ratios.peaks_of("9.0"), *ratios.PYTORCH]
write("ratios", run(sides(ALL, False)))
write("spread", run({("memory/copy/cold", "bandwidth"): 1.0, ("gemm/bf16", "throughput"): 1.0}, 5))
write("torch", run(sides(ratios.PYTORCH, True)))
write("list", [{"id": name} for name in ratios.ids(ALL)])
(folder / "listed").write_text("Copy.\n  IsExact\n  IsWhole\n")
(folder / "Copy.xml").write_text('<testsuites><testsuite name="Copy"><testcase name="IsExact" status="run" result="completed"/>'
                                 '<testcase name="IsWhole" status="run" result="completed"/></testsuite></testsuites>')
write("doctor", {"layers": [{"layer": "GPU", "version": "NVIDIA Test GPU"}], "findings": [],
                 "inventory": {"items": [{"key": "a", "answer": "present", "source": "x"}, {"key": "b", "answer": "absent", "source": "y"}]}})
write("checked", {"outcome": {"exit_code": 0, "sentence": "pass"}, "devices": [{"baseline": "smoke of this node"}]})
trial = {"problem": ""}
write("faults", {"interrupted": False, "quiet": {"alarms": 0, "trials": [trial]}, "faults": [
    {"fault": "cpu_quota", "not_run": "", "found": 1, "named_first": 1, "confused_with": {}, "trials": [trial]}]})
TEXT
}

# change NAME EXPRESSION...: of what the fakes answer, `it`.
change() {
  python3 -B -c 'import json, sys
path = sys.argv[1]; it = json.load(open(path))
for text in sys.argv[2:]: exec(text)
json.dump(it, open(path, "w"))' "$MADE/$1" "${@:2}"
}

# test_says NAME ELEMENT: what GoogleTest writes of a test of the suite Copy.
test_says() { sed -i "s#<testcase name=\"$1\"\([^>]*\)/>#<testcase name=\"$1\"\1>$2</testcase>#" "$MADE/Copy.xml"; }

# row STAGE: its line of the table.
row() { "$tree/scripts/record" --list "${@:2}" | grep "^$1  "; }

program() {
  printf '#!/bin/sh\n%s\n' "$2" >"$tree/build/ci/bin/$1"
  chmod +x "$tree/build/ci/bin/$1"
}

record() {
  run "$tree/scripts/record" "$@"
  echo "$output"
}
