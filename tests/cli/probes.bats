# What a check measures by itself to separate causes. Drivers are fakes and families scripts: no figure here is measured.
load common
load fake_gpu

export WIDE=1


# of_class CLASS: what the family's metric stresses from now on.
of_class() {
  sed -i "s/\"class\": \"[a-z0-9_]*\"/\"class\": \"$1\"/g" "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe" "$GPUGAUGE_LIBEXEC/now.json"
}

# slow_product: a GPU that multiplied matrices in 1 ms when it was pinned, and takes three times as long now.
slow_product() {
  one_gpu
  of_class gemm16
  gpugauge baseline create -n 5 --device 0 --profile smoke --quiet --name mine >/dev/null
  latency 0.003
  of_class gemm16
}

# The GPU is idle before the family first runs, and busy from then on.
busy_later() {
  echo utilization=0 >>scenario
  # shellcheck disable=SC2016
  sed -i '/^cp /i sed -i s/^utilization=0/utilization=60/ "$GPUGAUGE_FAKE_SCENARIO"' "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
}

# asked FILE: "probe outcome" of each that a JSON report holds.
asked() {
  "$PYTHON" -c 'import json, sys
for probe in json.load(open(sys.argv[1]))["devices"][0]["probes"]: print(probe["probe"], probe["outcome"])' "$1"
}

first_finding() {
  "$PYTHON" -c 'import json, sys
it = json.load(open(sys.argv[1]))
print((it["devices"][0] if "devices" in it else it)["findings"][0]["cause"])' "$1"
}

@test "a GPU that is busy while nothing of ours runs: the probe finds the neighbour, the verdict stays" {
  slow_product
  busy_later
  run -1 gpugauge check --device 0 --profile smoke --quiet --observation seen.json \
    --report json=report.json --report markdown=report.md --report html=report.html
  [[ $output == *"Asked by measuring"*"Probe idle_gpu: is the GPU busy while nothing of ours runs? NVML says that it is busy 60%"* ]]
  valid report report.json
  valid observation-1 seen.json
  asked report.json | grep -qx "idle_gpu slow"
  [ "$(first_finding report.json)" = neighbour_process ]
  grep -q 'Probe idle\\_gpu: is the GPU busy' report.md
  grep -q 'Probe idle_gpu: is the GPU busy' report.html
  grep -q '"utilization_before_percent": 60' seen.json
  # The observation holds what was found: anybody comes to the same cause from it.
  run -1 gpugauge diagnose seen.json --json
  echo "$output" >diagnosis.json
  valid diagnosis diagnosis.json
  [ "$(first_finding diagnosis.json)" = neighbour_process ]
}

@test "a GPU that was busy before it was measured has a neighbour without a probe" {
  slow_product
  echo utilization=60 >>scenario
  # A regression is confirmed on a free GPU only.
  run -3 gpugauge check --device 0 --profile smoke --quiet --observation seen.json --report json=report.json
  [[ ${lines[-1]} == "cannot judge: "*", and other processes used the GPU: measure again when it is free" ]]
  [ "$(first_finding report.json)" = neighbour_process ]
  [[ $(asked report.json) != *idle_gpu* ]]
  grep -q '"utilization_before_percent": 60' seen.json
}

@test "an idle GPU has no neighbour" {
  slow_product
  echo utilization=0 >>scenario
  run -1 gpugauge check --device 0 --profile smoke --quiet --report json=report.json
  asked report.json | grep -qx "idle_gpu normal"
  [[ $output == *"neighbour_process"*"the GPU was idle while nothing of ours ran"* ]]
  run "$PYTHON" -c 'import json
for one in json.load(open("report.json"))["devices"][0]["findings"]: print(one["cause"])'
  [[ $status -eq 0 && $output != *neighbour_process* ]]
}

@test "--no-probes and a spent budget measure nothing more" {
  slow_product
  busy_later
  run -1 gpugauge check --device 0 --profile smoke --quiet --report json=report.json --no-probes
  [[ $output != *"Asked by measuring"* ]]
  valid report report.json
  [ -z "$(asked report.json)" ]
  # Enough for the rounds that the verdict takes, too little for any probe.
  sed -i s/^utilization=60/utilization=0/ scenario
  run -1 gpugauge check --device 0 --profile smoke --quiet --report json=report.json --budget 2.5
  [[ $output == *"asked, no answer because it takes about "*" s, and "*" s are left"* ]]
  valid report report.json
  run asked report.json
  [[ ${#lines[@]} -eq 1 && $output == *None ]]
}

@test "check: the budget is that of all GPUs, and one for which nothing was left is named with what stayed in doubt" {
  one_gpu
  sed -i 's/devices=1/devices=2/' scenario
  for index in 0 1; do gpugauge baseline create -n 5 --device "$index" --profile smoke --quiet >/dev/null; done
  latency 0.003
  # shellcheck disable=SC2016  # for the shell of the family
  sed -i 's|^cp "$here/now.json"|echo >>"$here/started"; sleep 1; &|' "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  # Enough for one further round, and not for two.
  run gpugauge check --device 0,1 --profile smoke --quiet --no-probes --budget 2.7
  [ "$(wc -l <"$GPUGAUGE_LIBEXEC/started")" = 3 ]
  [[ $output == *"The time budget of 3 s, of which other devices took "*" s, ended the measuring of GPU 1 NVIDIA H100"*" after 1 round: 1 benchmark was still in doubt"* ]]
  [[ $output != *"ended the measuring of GPU 0"* ]]
}

@test "a healthy GPU is asked nothing" {
  one_gpu
  gpugauge baseline create -n 5 --device 0 --profile smoke --quiet --name mine >/dev/null
  run -0 gpugauge check --device 0 --profile smoke --quiet --report json=report.json
  [ -z "$(asked report.json)" ]
}

@test "a probe that hangs is ended, said, and changes neither verdict nor cause" {
  slow_product
  export CUDA_INJECTION64_PATH="$PWD/tool.so"
  # Only without the variable, as the probe starts it, does the family hang.
  # shellcheck disable=SC2016
  sed -i '2i case " $* " in *--gpugauge_samples=*) [ -n "$CUDA_INJECTION64_PATH" ] || sleep 60 ;; esac' "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  run -1 gpugauge check --device 0 --profile smoke --quiet --process-limit 2 --report json=report.json
  [[ $output == *"Probe without_injection: does it recover without the variables that bring a tool into the process? asked, no answer because "*"time limit"* ]]
  valid report report.json
  asked report.json | grep -qx "without_injection None"
  [ -z "$(families_of $$)" ]
}

@test "a host process that is confined to a slow processor: the others are tried, and the cause is proven" {
  [ "$(nproc)" -ge 2 ] || skip "this process may use one processor only"
  one_gpu
  of_class host_cpu
  sed -i 's/"gpu": true/"gpu": false/' "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  first=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
  taskset -c "$first" gpugauge baseline create -n 5 --device host --profile smoke --quiet --name mine >/dev/null
  latency 0.003
  of_class host_cpu
  cp "$GPUGAUGE_LIBEXEC/now.json" "$GPUGAUGE_LIBEXEC/slow.json"
  latency 0.001
  of_class host_cpu
  # Slow wherever it may use that processor, as a thread stays there that is pinned; fast on the others: by what
  # the kernel says, not by any speed.
  # shellcheck disable=SC2016
  sed -i 's|^cp .*|grep -q "Cpus_allowed_list:[[:space:]]*'"$first"'\\b" /proc/self/status \&\& cp "$here/slow.json" "$samples" \|\| cp "$here/now.json" "$samples"|' "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  run -1 taskset -c "$first" gpugauge check --device host --profile smoke --quiet --observation seen.json --report json=report.json
  valid report report.json
  valid observation-1 seen.json
  if [[ $output == *"cpu_contention"*confident* && -z $(asked report.json) ]]; then
    skip "other work on the processors is the clear cause already: nothing needs to be asked"
  fi
  asked report.json | grep -qx "all_processors recovers"
  [[ $output == *"Probe all_processors: "*"it recovers: probe/op:latency is 1 times as slow on the processors "*", 3 times as it was"* ]]
  [[ $output == *cpu_affinity_wrong*"measured by probe all_processors: change_setting (affinity=the others ("* ]]
}

@test "explain says what check asks, and the option is documented" {
  run -0 gpugauge explain pcie_link_degraded
  [[ $output == *"check asks"*"link_under_load: does the PCIe link"* ]]
  run -0 gpugauge check --help
  [[ $output == *"--no-probes"* ]]
}
