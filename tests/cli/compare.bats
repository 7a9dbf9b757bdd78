# Judging from files: two sides, treatments, policies, and Google Benchmark's own JSON.
load common
export WIDE=yes

# google_benchmark FILE FACTOR [SEED]: a file with three benchmarks and nine repetitions, so many times slower.
google_benchmark() {
  "$PYTHON" - "$@" <<'PY'
import json, random, sys
file, factor = sys.argv[1], float(sys.argv[2])
random.seed(sys.argv[3] if len(sys.argv) > 3 else file)
rows = []
for name, time in (("BM_sort/1024", 11e3), ("BM_hash/64", 210.0), ("BM_copy/1048576", 88e3)):
    drift = random.gauss(1, .004)
    for i in range(9):
        rows.append({"name": name, "run_name": name, "run_type": "iteration", "repetitions": 9, "repetition_index": i,
                     "iterations": 1000, "real_time": time * factor * drift * random.gauss(1, .003), "cpu_time": time,
                     "time_unit": "ns", "bytes_per_second": 1e9})
json.dump({"context": {"date": "2026-11-21T10:00:00+00:00", "host_name": "node7", "num_cpus": 8,
                       "library_build_type": "release"}, "benchmarks": rows}, open(file, "w"))
PY
}

@test "two Google Benchmark files: what they can show comes first, and a large drop is found" {
  google_benchmark before.json 1
  google_benchmark same.json 1
  google_benchmark slow.json 1.6
  run -0 gpugauge compare same.json --against before.json
  [[ $output == *"can show a drop of"* && $output == *"Each file is one process"* && $output == *"not judged"* ]]
  run -1 gpugauge compare slow.json --against before.json
  [[ $output == *regressed*BM_* ]]
  run -1 gpugauge compare --before before.json --after slow.json --json
  "$PYTHON" -c 'import json,sys; d = json.load(sys.stdin); v = d["devices"][0]["verdicts"]; assert {x["verdict"] for x in v} == {"regressed"}, v' <<<"$output"
}

@test "a drop that was shown keeps its exit code where its report or its table cannot be written, for Slurm too" {
  google_benchmark before.json 1
  google_benchmark slow.json 1.6
  local style code
  for style in ci slurm; do
    rm -f page
    run -1 --separate-stderr gpugauge compare slow.json --against before.json --exit-style "$style" --report junit=page --report json=page/a.json
    # shellcheck disable=SC2154 # run sets stderr
    [[ $output == *regressed*BM_* && $stderr == *"the folder page could not be made"*"what was found stands, and so does exit code 1"* ]]
    code=0
    gpugauge compare slow.json --against before.json --exit-style "$style" >/dev/full 2>said || code=$?
    [ "$code" -eq 1 ]
    grep -q 'what was found stands' said
  done
}

@test "five files a side see what one cannot" {
  for i in 1 2 3 4 5; do google_benchmark "b$i.json" 1 "b$i" && google_benchmark "a$i.json" 1.09 "a$i"; done
  run -4 gpugauge compare --before b1.json --after a1.json --strict
  [[ $output == *inconclusive* ]]
  mkdir before after && mv b?.json before && mv a?.json after
  run -1 gpugauge compare --before before --after after
  [[ $output == *regressed* ]]
}

@test "a vanished benchmark is missing, another machine is not comparable unless declared" {
  google_benchmark before.json 1
  google_benchmark after.json 1
  "$PYTHON" -c 'import json; d = json.load(open("after.json")); d["benchmarks"] = d["benchmarks"][9:]; json.dump(d, open("less.json", "w"))'
  run -1 gpugauge compare less.json --against before.json
  [[ $output == *missing*BM_sort/1024* && $output == *"the file does not hold it now"* && $output != *"the family"* ]]
  sed 's/node7/node8/' after.json >elsewhere.json
  run -3 gpugauge compare elsewhere.json --against before.json
  [[ $output == *"Not compared: 1 run before, 1 after."*"device.host.name (node8 now, node7 then)"* ]]
  run -0 gpugauge compare elsewhere.json --against before.json --treatment host.name
  [[ $output == *"Treatment host.name: device.host.name (node8 now, node7 then)"* ]]
  run -0 gpugauge compare after.json --against before.json --treatment driver
  [[ $output == *"nothing of that name differs"* ]]
}

@test "sides that are empty, mixed, doubled or not there are refused" {
  google_benchmark one.json 1
  quick_run run.json
  mkdir empty
  run -2 gpugauge compare
  run -2 gpugauge compare --before one.json
  run -2 gpugauge compare one.json --before one.json --after one.json
  run -2 gpugauge compare one.json
  run -2 gpugauge compare --before empty --after one.json
  [[ $output == *"holds no *.json file"* ]]
  run -2 gpugauge compare --before one.json one.json --after one.json
  [[ $output == *"given twice"* ]]
  run -2 gpugauge compare --before one.json run.json --after one.json
  [[ $output == *"not of one kind"* ]]
  run -2 gpugauge compare one.json --against one.json --treatment suite
  [[ $output == *"can be no treatment"* ]]
  echo '{"context": {}, "benchmarks": [{"name": "a", "real_time": 0x3}]}' >hex.json
  run -2 gpugauge compare hex.json --against one.json
  [[ $output == *"hex.json: not JSON at byte"* ]]
}

@test "a counter that is NaN costs nothing, and a time that is 0 or NaN its own benchmark" {
  google_benchmark one.json 1
  google_benchmark two.json 1
  sed 's/"bytes_per_second": 1000000000.0/"bytes_per_second": NaN/g' two.json >counter.json
  grep -q NaN counter.json
  run -0 gpugauge compare counter.json --against one.json
  for time in 0 NaN; do
    "$PYTHON" - "$time" <<'PY'
import json, sys
document = json.load(open("two.json"))
for row in document["benchmarks"]:
    if row["name"] == "BM_sort/1024" and row["repetition_index"] == 4: row["real_time"] = float(sys.argv[1])
json.dump(document, open("time.json", "w"))
PY
    run -1 gpugauge compare time.json --against one.json
    [[ $output == *"BM_sort/1024"*"its real_time is"* && $output == *"failed: "*"BM_sort/1024"* ]]
  done
}

@test "what makes the old side's numbers doubtful is said, and of which side" {
  google_benchmark one.json 1
  google_benchmark two.json 1
  sed 's/"num_cpus": 8/"num_cpus": 8, "cpu_scaling_enabled": true/' one.json >scaled.json
  run -0 gpugauge compare two.json --against scaled.json
  [[ $output == *"Before: The processor's clock was free to change"* ]]
  run -0 gpugauge compare scaled.json --against two.json
  [[ $output == *"After: The processor's clock was free to change"* ]]
}

@test "a policy changes what counts, and an entry that matches nothing is an error" {
  google_benchmark before.json 1
  google_benchmark slow.json 1.6
  echo '{"schema": "gpugauge.policy/1", "metrics": [{"metric": "BM_*", "advisory": true, "why": "being rewritten"}]}' >policy.json
  run -0 gpugauge compare slow.json --against before.json --policy policy.json
  [[ $output == *advisory* ]]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" policy policy.json
  echo '{"schema": "gpugauge.policy/1", "metrics": [{"metric": "bm_*", "tolerance": 0.9}]}' >typo.json
  run -2 gpugauge compare slow.json --against before.json --policy typo.json
  [[ $output == *"'bm_*' matches no metric"* ]]
  run -2 gpugauge check --device host --profile smoke --policy typo.json --quiet
  [[ $output == *"'bm_*' matches no metric"* ]]
  [ ! -d "$GPUGAUGE_STATE/runs" ]
}

@test "a policy's tolerance for a class waits where no metric is of it; a later entry keeps what it does not give" {
  google_benchmark before.json 1
  google_benchmark slow.json 1.6
  echo '{"schema": "gpugauge.policy/1", "tolerance": {"gemm16": 0.2}}' >policy.json
  run gpugauge compare slow.json --against before.json --policy policy.json
  [ "$status" -ne 2 ]
  [[ $output != *policy:* ]]
  echo '{"schema": "gpugauge.policy/1", "tolerance": {"gemm61": 0.2}}' >policy.json
  run -2 gpugauge compare slow.json --against before.json --policy policy.json
  [[ $output == *"'gemm61' is no class of metrics"* ]]
  echo '{"schema": "gpugauge.policy/1", "metrics": [{"metric": "*", "advisory": true}, {"metric": "BM_*", "tolerance": 0.01}]}' >policy.json
  run -0 gpugauge compare slow.json --against before.json --policy policy.json
  [[ $output == *advisory* ]]
}

@test "check refuses a policy's entry for a metric that its benchmark does not have, and takes one for a class" {
  # entry PATTERN: judges one benchmark of the host by a policy with one entry.
  entry() {
    echo "{\"schema\": \"gpugauge.policy/1\", \"metrics\": [{\"metric\": \"$1\", \"advisory\": true}]}" >policy.json
    gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet --policy policy.json
  }
  local id
  quick_run run.json
  id=$("$PYTHON" -c 'import json; print(json.load(open("run.json"))["processes"][0]["samples"]["benchmarks"][0]["id"])')
  run -2 entry "$id:latncy"
  [[ $output == *"'$id:latncy' matches no metric"* ]]
  [[ $output == *"host"* ]]   # the report is there all the same
  # Without a baseline nothing can be judged: 3.
  run -3 entry "$id:*"
  run -3 entry class/host_cpu
  run -3 entry 'host/triad/*:bandwith'   # which was not measured here
}

@test "a node that has not what the policy expects fails" {
  if has_gpu; then skip "this machine has a GPU"; fi
  echo '{"schema": "gpugauge.policy/1", "expect": {"gpus": 8}}' >policy.json
  run -1 gpugauge check --policy policy.json --quiet
  [[ $output == *"expects 8 GPUs and 0 are usable"* ]]
}

@test "before and after from run files of one boot: the round is the unit" {
  quick_run measured.json
  # Four rounds of the same machine: what was measured once, with half a percent of noise.
  "$PYTHON" - <<'PY'
import json, random
random.seed(1)
for i in range(4):
    run = json.load(open("measured.json"))
    run["id"] = run["id"][:-1] + "ABCD"[i]
    for process in run["processes"]:
        for benchmark in process["samples"]["benchmarks"]:
            for metric in benchmark["metrics"]:
                metric["value"] *= random.gauss(1, .005)
    json.dump(run, open(f"{i}.json", "w"))
PY
  run -0 gpugauge compare --before 0.json 1.json --after 2.json 3.json
  [[ $output == *"the round is the unit"* ]]
}

@test "runs of two hosts are no one side, and no rounds of one check" {
  quick_run one.json
  # of_host FILE HOST: a copy of the run, as another host's.
  of_host() {
    "$PYTHON" - "$@" <<'PY'
import json, sys
run = json.load(open("one.json"))
run["id"] = run["id"][:-3] + sys.argv[1][:3].upper().replace(".", "X").replace("O", "0").replace("I", "1")
run["fingerprint"]["device"]["host.identity"] = sys.argv[2]
json.dump(run, open(sys.argv[1], "w"))
PY
  }
  of_host aaa.json here
  of_host bbb.json here
  of_host ccc.json there
  run -2 gpugauge compare aaa.json --against bbb.json ccc.json
  [[ $output == *"are of two machines"* ]]
  run -2 gpugauge compare --before aaa.json --after bbb.json ccc.json
  [[ $output == *"are of two machines"* ]]
  run -2 gpugauge compare aaa.json ccc.json --against bbb.json
  [[ $output == *"are of two machines"* ]]
  run gpugauge compare ccc.json --against aaa.json bbb.json
  [[ $output != *"are of two machines"* ]]
}

@test "no word makes MIG, or GPUs that were measured together, what a comparison is about" {
  quick_run one.json
  "$PYTHON" - <<'PY'
import json
for name, apply in {"mig": lambda f: f["settings"].update({"gpu.0.mig": "on"}),
                    "together": lambda f: f["suite"].update({"suite.devices_together": "8"})}.items():
    run = json.load(open("one.json"))
    run["id"] = run["id"][:-3] + name[:3].upper().replace("I", "1").replace("O", "0")
    apply(run["fingerprint"])
    run["processes"][0]["samples"]["benchmarks"][0]["metrics"][0]["value"] *= 1.001  # another measurement
    json.dump(run, open(f"{name}.json", "w"))
PY
  run -3 gpugauge compare --before one.json --after mig.json --treatment settings
  [[ $output == *"settings.gpu.0.mig"* && $output != *"Declare with --treatment"* ]]
  run -3 gpugauge compare --before one.json --after together.json --treatment devices_together
  [[ $output == *"devices_together"* ]]
}

@test "what is compared with itself shows nothing" {
  google_benchmark one.json 1
  google_benchmark two.json 1
  cp one.json copy.json
  run -2 gpugauge compare --before one.json --after copy.json
  [[ $output == *"stands on both sides: what is compared with itself shows nothing"* ]]
  run -0 gpugauge compare --before one.json --after two.json
}

@test "a report in a folder of runs is left out, so that a nightly comparison can write it there" {
  mkdir -p before after/host
  for i in 1 2 3; do google_benchmark "before/b$i.json" 1 "b$i" && google_benchmark "after/host/a$i.json" 1 "a$i"; done
  run -0 gpugauge compare --before before --after after --report json=after/report.json
  run -0 gpugauge compare --before before --after after --report json=after/report.json
  mkdir alone && cp after/report.json alone
  run -2 gpugauge compare --before before --after alone
  [[ $output == *"alone holds no run file"* ]]
  run -2 gpugauge compare --before before --after alone/report.json
  [[ $output == *gpugauge.* ]]
}
