# What the driver's child process prints.
load common

fake_driver() {
  printf '%s\n' "$@" >scenario
  export GPUGAUGE_FAKE_SCENARIO="$PWD/scenario" LD_LIBRARY_PATH="$GPUGAUGE_BUILD/tests/fakes/driver"
}

@test "each line of the driver's child is an inventory that the published schema accepts" {
  fake_driver devices=2 ecc=1 'name=NVIDIA "quoted"' code.nvmlDeviceGetSerial=4
  run -0 --separate-stderr gpugauge probe inventory
  [ "${#lines[@]}" -eq 5 ] # NVML itself, two GPUs, CUDA, the end
  for line in "${lines[@]}"; do
    printf '%s\n' "$line" >line.json
    "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" inventory line.json
  done
  [[ ${lines[1]} == *'"gpu.0.serial","answer":"unreadable","source":"nvml","how":"nvmlDeviceGetSerial","needs":"root"'* ]]
  [[ ${lines[4]} == *'"driver_child.outcome","answer":"present","value":"answered"'* ]]
}

@test "the published schema refuses what is no inventory" {
  local item
  for item in '{"key":"a","answer":"maybe","source":"s"}' '{"key":"a","answer":"present","source":"s"}' \
    '{"key":"a","answer":"absent","value":"1","source":"s"}' '{"key":"","answer":"absent","source":"s"}' \
    '{"key":"a","answer":"absent","source":"s","needs":"root"}' '{"key":"a","answer":"absent","source":"s","more":1}'; do
    printf '{"schema":"gpugauge.inventory/1","items":[%s]}' "$item" >bad.json
    run -1 "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" inventory bad.json
  done
}

@test "the driver's child ends well on a machine without a driver" {
  export LD_LIBRARY_PATH="$PWD"
  run -0 --separate-stderr gpugauge probe inventory
  [[ ${lines[-1]} == *'"value":"answered"'* ]]
}
