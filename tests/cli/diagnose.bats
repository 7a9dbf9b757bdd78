# gpugauge diagnose, explain, and the observation that check writes.
load common

cases() { echo "$GPUGAUGE_SOURCE/harness/diagnose/reports/observations"; }

@test "diagnose names the cause with evidence, what it is not, and the next command" {
  run -1 gpugauge diagnose "$(cases)/C10.json"
  [[ $output == *cuda_launch_blocking*CUDA_LAUNCH_BLOCKING=1*next* ]]
}

@test "the example of the help diagnoses also what a check failed for" {
  run -0 gpugauge diagnose --help
  [[ $output == *"--observation seen.json; gpugauge diagnose seen.json"* && $output != *"&&"* ]]
}

@test "diagnose --json keeps the contract, from a file and from standard input" {
  run -1 gpugauge diagnose "$(cases)/F06.json" --json
  echo "$output" >file.json
  valid diagnosis file.json
  gpugauge diagnose - --json <"$(cases)/F06.json" >stdin.json || [ "$?" -eq 1 ]
  cmp file.json stdin.json
  run -0 "$PYTHON" -c 'import json; print(json.load(open("file.json"))["findings"][0]["cause"])'
  [ "$output" = numa_misplacement ]
}

@test "diagnose ends with 0 for a healthy state, 3 where nothing was compared or no cause can be named" {
  run -3 gpugauge diagnose "$(cases)/D07.json"
  [[ $output == *"Nothing was compared"* ]]
  run -0 gpugauge diagnose "$(cases)/F01.json" --json
  [[ $output == *'"findings": []'* ]]
  run -3 gpugauge diagnose "$(cases)/C06.json"
  [[ $output == *"names no cause"* ]]
}

@test "diagnose says what known reports read like where it names no cause, and a site adds its own" {
  echo '{"metrics": [{"class": "application", "factor": 2.0}], "log": ["dkms status: nvidia module", "driver upgrade"]}' >seen.json
  run -3 gpugauge diagnose seen.json
  [[ $output == *"Reads like"*"no evidence"*kernel_module_missing*shared* ]]
  # What has hardly a word in common with known reports is not compared to the reader.
  echo '{"metrics": [{"class": "application", "factor": 2.0}], "log": ["port flaps on leaf-7 since Monday"]}' >seen.json
  run -3 gpugauge diagnose seen.json
  [[ $output != *"Reads like"* ]]
  cat >ours.json <<'JSON'
{"schema": "gpugauge.known-reports/1", "reports": [{"id": "INC-7", "causes": ["leaf_switch_firmware"],
 "source": "incident 7", "established": "The leaf's firmware.", "seen": {"log": ["port flaps on leaf-7"]}}]}
JSON
  valid known-reports ours.json
  run -3 gpugauge diagnose seen.json --known ours.json
  [[ $output == *"Reads like"*leaf_switch_firmware*"incident 7: The leaf's firmware."* ]]
  run -3 gpugauge diagnose seen.json --known ours.json --json
  echo "$output" >file.json
  valid diagnosis file.json
  run -2 gpugauge diagnose seen.json --known seen.json
  [[ $output == *seen.json* && ${#lines[@]} -eq 1 ]]
}

@test "diagnose names the cause in a log, from a file or a pipe, and keeps what was read" {
  printf '\033[31mFailed to initialize NVML: Driver/library version mismatch\033[0m\nstep 1\nstep 2\n' >job.log
  run -1 gpugauge diagnose --log job.log --observation seen.json
  [[ $output == *"job.log, 3 of 3 lines"*umd_kmd_mismatch* ]]
  valid observation-1 seen.json
  run -1 gpugauge diagnose seen.json
  [[ $output == *umd_kmd_mismatch* ]]
  run -1 bash -c 'gpugauge diagnose --log - <job.log'
  [[ $output == *"standard input, 3 of 3 lines"*umd_kmd_mismatch* ]]
}

@test "diagnose takes words, and what is known of this machine" {
  run -3 gpugauge diagnose --says "training is half as fast since yesterday" --here --observation seen.json
  [[ $output == *"names no cause"* ]]
  run -0 "$PYTHON" -c 'import json; seen = json.load(open("seen.json")); print(seen["metrics"][0]["note"], "host.cpus" in seen["inventory"])'
  [ "$output" = "training is half as fast since yesterday True" ]
}

@test "diagnose reads an issue that is pasted whole: its sentences, variables and tables" {
  cat >issue.md <<'EOF'
All-reduce hangs on two GPUs
It hangs in the first collective and never comes back. Setting NCCL_P2P_DISABLE=1 resolves the hang completely.
$ NCCL_DEBUG=INFO NCCL_IB_DISABLE=1 ./all_reduce_perf -g 2
Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)
   D\D     0      1
     0 673.20  13.15
     1  12.99 673.20
Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
   D\D     0      1
     0 673.49   2.60
     1   2.12 672.33
EOF
  run -1 gpugauge diagnose --log issue.md --observation seen.json
  [[ $output == *iommu_translation* && $output == *acs_enabled* ]]
  "$PYTHON" -c '
import json
seen = json.load(open("seen.json"))
assert seen["environment"] == {"NCCL_DEBUG": "INFO", "NCCL_IB_DISABLE": "1"}, seen
assert [probe["detail"] for probe in seen["probes"]] == ["NCCL_P2P_DISABLE=1"], seen
assert {metric["class"] for metric in seen["metrics"]} == {"application", "p2p"}, seen'
}

@test "diagnose says what is missing where nothing, or no fault, is told" {
  run -2 gpugauge diagnose
  [[ $output == *"--log FILE"*"--says TEXT"* ]]
  run -2 gpugauge diagnose --here
  echo "all is well" >job.log
  run -3 gpugauge diagnose --log job.log
  [[ $output == *"no line tells of a fault"*"--says"* ]]
  run -2 gpugauge diagnose - --log -
  [[ $output == *"named twice"* ]]
  run -2 gpugauge diagnose --log missing.log
  [[ $output == *missing.log* ]]
  run -2 gpugauge diagnose --log job.log --observation job.log
  [[ $output == *job.log* ]]
  [ "$(cat job.log)" = "all is well" ]
}

@test "what a command of ours saw is compared with no reports" {
  echo '{"about": {"source": "gpugauge check of 0, 2026-11-23T10:00:00Z"},
         "metrics": [{"class": "application", "factor": 2.0}], "log": ["port flaps on leaf-7"]}' >seen.json
  run -3 gpugauge diagnose seen.json
  [[ $output != *"Reads like"* ]]
}

@test "diagnose refuses bad input with one sentence and 2" {
  echo '{"metrics": [{"class": "hbm", "slow": 2}]}' >bad.json
  run -2 gpugauge diagnose bad.json
  [[ $output == *bad.json*"metrics[0]"*slow*observation.md* ]]
  [ "${#lines[@]}" -eq 1 ]
  run -2 gpugauge diagnose missing.json
  [[ $output == *missing.json* ]]
  : >empty.json
  run -2 gpugauge diagnose empty.json
  [[ $output == *empty* ]]
  printf '{"a": %.0s' $(seq 3000) >deep.json
  run -2 gpugauge diagnose deep.json
  [[ $output == *deep.json*nested* ]]
  run -2 gpugauge diagnose
}

@test "every real report is an observation by the published schema" {
  for file in "$(cases)"/*.json; do valid observation-1 "$file"; done
  run -1 valid observation-1 <(echo '{"metric": []}')
}

@test "explain prints causes of the diagnosis and of the doctor, and offers near names" {
  run -0 gpugauge explain pcie_link_degraded
  [[ $output == *"twice as slow"*numa_misplacement*"Ask:"* ]]
  run -0 gpugauge explain driver_branch_ended
  [[ $output == *"end of life"* ]]
  run -2 gpugauge explain pcie_link_degradet
  [[ $output == *"near to it: pcie_link_degraded"* ]]
  run -2 gpugauge explain
  run -0 gpugauge explain --list
  [[ $output == *acs_enabled*umd_kmd_mismatch* ]]
}

@test "check writes what it saw, and diagnose reads it" {
  run gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet --observation seen.json --json
  ((status == 0 || status == 3))
  valid observation-1 seen.json
  run -3 gpugauge diagnose seen.json # without a baseline there is nothing to compare with
  [[ $output == *"Nothing was compared"* ]]
}
