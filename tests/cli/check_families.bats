# Checks of two families of which one loads cuBLAS, of several devices, or of which one is narrowed away. The driver is a
# fake, the families are scripts.
load common
load fake_gpu
export WIDE=yes

two_gpus() {
  one_gpu
  echo devices=2 >scenario
}
# second_family NAME [CLASS]: another family, which measures as the file second.json says.
second_family() {
  sed "s/probe/$1/g; s/\"class\": \"launch\"/\"class\": \"${2:-launch}\"/; s/now.json/second.json/" \
    "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe" >"$GPUGAUGE_LIBEXEC/gpugauge-bench-$1"
  chmod +x "$GPUGAUGE_LIBEXEC/gpugauge-bench-$1"
  sed "s/probe/$1/g; s/\"class\": \"launch\"/\"class\": \"${2:-launch}\"/" "$GPUGAUGE_LIBEXEC/now.json" >"$GPUGAUGE_LIBEXEC/second.json"
}
# maps FILE LIBRARY: the family says that it mapped this cuBLAS.
maps() {
  sed -i "s|\"context\": {}|\"context\": {\"library.libcublas\": \"$2\"}|" "$GPUGAUGE_LIBEXEC/$1"
}
slower() {
  sed -i 's/0\.001/0.0013/g' "$GPUGAUGE_LIBEXEC/$1"
}
two_rounds() {
  echo '{"schema": "gpugauge.policy/1", "max_rounds": 2}' >policy.json
}

@test "the libraries that one device's processes mapped are no facts of another" {
  two_gpus
  second_family wire p2p
  maps now.json /a/libcublas.so.13.1.0.3
  for device in 0 1 links; do gpugauge baseline create --device "$device" --profile smoke --quiet -n 5 >/dev/null; done
  run -0 gpugauge check --profile smoke --quiet
  [[ $output != *"Not comparable"* ]]
}

@test "a narrowed round that loads one of two cuBLAS, or none, is of the stack of the first" {
  one_gpu
  two_rounds
  second_family other
  maps now.json /a/libcublas.so.13.1.0.3
  maps second.json /b/libcublas.so.13.0.0.19
  gpugauge baseline create --device 0 --profile smoke --quiet -n 5 >/dev/null
  slower now.json
  run -1 gpugauge check --device 0 --profile smoke --quiet --policy policy.json --no-probes
  [[ $output == *"round 2"* || $output == *"2 rounds"* ]]
  [[ $output != *"Not comparable"* ]]
  # What is kept says the same.
  local kept=("$GPUGAUGE_STATE"/runs/*.json) # their names sort by time
  run -1 gpugauge compare "${kept[@]: -2}" --policy policy.json
  [[ $output != *"Not comparable"* ]]
}

@test "so it is of GPUs that are measured together" {
  two_gpus
  two_rounds
  second_family other
  maps now.json /a/libcublas.so.13.1.0.3
  gpugauge baseline create --devices-together --device all --profile smoke --quiet -n 5 >/dev/null
  slower second.json
  run -1 gpugauge check --devices-together --profile smoke --quiet --policy policy.json
  [[ $output != *"Not comparable"* ]]
}

@test "a check of one family is held against a baseline of all as one of its benchmarks is" {
  one_gpu
  second_family other
  gpugauge baseline create --device 0 --profile smoke --quiet -n 5 >/dev/null
  run -0 gpugauge check --device 0 --profile smoke --quiet --only probe
  run -0 gpugauge check --device 0 --profile smoke --quiet --family probe
  [[ $output != *missing* ]]
}

@test "what could not be kept of one device keeps no other from being measured" {
  two_gpus
  probe_family <<'SH'
case $CUDA_VISIBLE_DEVICES in *00) echo "x could not be written: No space left on device" >&2; exit 4 ;; esac
cp "$here/now.json" "$samples"
SH
  run -3 gpugauge run --device all --profile smoke --quiet
  [ "$(grep -c 'kept as' <<<"$output")" -eq 2 ]
}

@test "a filter of Google Benchmark in the environment narrows no check" {
  export BENCHMARK_FILTER=all_cores
  run -0 gpugauge run --device host --profile smoke --only 'host/triad/*' --quiet --json
  [[ $output == *'"id": "host/triad/one_core"'* ]]
}

# without_cudnn: a family whose library the loader does not find.
without_cudnn() {
  one_gpu
  cat >"$GPUGAUGE_LIBEXEC/gpugauge-bench-cudnn" <<'SH'
#!/bin/sh
echo "$0: error while loading shared libraries: libcudnn.so.9: cannot open shared object file: No such file or directory" >&2
exit 127
SH
  chmod +x "$GPUGAUGE_LIBEXEC/gpugauge-bench-cudnn"
}

@test "a missing cuDNN is told once, with what to do" {
  without_cudnn
  run -3 gpugauge check --device 0 --profile smoke --quiet --no-probes
  [ "$(grep -c 'cannot open shared object file' <<<"$output")" = 1 ]
  [[ $output == *"family cudnn (0 of 1 processes whole): "*"Next: install cuDNN"*"or add the folder that holds libcudnn.so.9"* ]]
  [ "$(grep -c 'Next: ' <<<"$output")" = 1 ]
  [[ ${lines[-1]} == "cannot judge: 1 family was not measured: cudnn (libcudnn.so.9 was not found)"* ]]
}

@test "a check of cuDNN alone does not pass without it, and says so" {
  without_cudnn
  for narrowed in "--only cudnn" "--only conv" "--only cudnn/*" "--family cudnn"; do
    # shellcheck disable=SC2086
    run -3 gpugauge check --profile smoke --quiet --no-probes $narrowed
    [[ $output == *"family cudnn "*"Next: install cuDNN"* ]]
    [[ ${lines[-1]} == "cannot judge: 1 family was not measured: cudnn (libcudnn.so.9 was not found)"* ]]
    [[ $output != *"probe/op"* ]]
  done
  run -3 gpugauge check --profile smoke --quiet --no-probes --only cudnn --only probe
  [[ $output == *"probe/op"* && ${lines[-1]} == *"cudnn (libcudnn.so.9 was not found)"* ]]
  run -3 gpugauge run --device 0 --profile smoke --quiet --only cudnn
  [[ $output == *"libcudnn.so.9"* ]]
  run -2 gpugauge baseline create --device 0 --profile smoke --quiet --only cudnn
  [[ $output == *"no baseline was made: 1 family cannot be measured: family cudnn: "* ]]
  # Nobody asked for it, and what was asked for is judged.
  run -3 gpugauge check --profile smoke --quiet --no-probes --only probe
  [[ ${lines[-1]} == "cannot judge: nothing to judge the measurement by"* ]]
}
