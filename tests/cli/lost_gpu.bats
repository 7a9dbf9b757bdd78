# A GPU that was there when the baselines were recorded and is not now. The driver is a fake, the family a script.
load common
load fake_gpu

export WIDE=1

gpus() {
  sed -i '/^devices=/d' scenario
  echo "devices=$1" >>scenario
}

@test "the GPUs that are left keep their own baselines, and the one that is gone is named" {
  one_gpu
  gpus 4
  for device in 0 1; do run -0 gpugauge baseline create --device $device --profile smoke --quiet -n 5; done
  gpus 3
  run gpugauge check --device 0,1 --profile smoke --quiet --no-probes
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *"Compared with this machine's own baseline"* ]]
  [[ $output == *"was beside this GPU when the baseline was recorded and is not now"* ]]
  [[ $output != *"was not used"* ]]

  latency 0.01
  run -1 gpugauge check --device 0,1 --profile smoke --quiet --no-probes
  [[ $output == *"0 of 2 devices"* || $output == *"regressed"* ]]
}

@test "whoever asks about all GPUs asks about the node, and it is not the one that it was" {
  # The cards stand where this machine has devices; only the last one is nowhere.
  local buses=(/sys/bus/pci/devices/*)
  [ "${#buses[@]}" -ge 3 ] || skip "this machine shows fewer than three PCI devices"
  one_gpu
  gpus 4
  for device in 0 1 2; do echo "pci.$device=${buses[$device]##*/}" >>scenario; done
  echo "pci.3=00ff:ff:1f.7" >>scenario
  for device in 0 1 2; do run -0 gpugauge baseline create --device $device --profile smoke --quiet -n 5; done
  gpus 3
  run -1 gpugauge check --device all --profile smoke --quiet --no-probes
  [[ $output == *"failed: GPU-"*"0e03 (00ff:ff:1f.7) was in this machine at "*"and neither the driver nor the PCI bus shows it now"* ]]
  run -1 gpugauge status
  [[ $output == *"neither the driver nor the PCI bus shows it now"* ]]
  # Single GPUs of several are no question about the node.
  run -0 gpugauge check --device 0,1 --profile smoke --quiet --no-probes
  echo '{"schema": "gpugauge.policy/1", "expect": {"gpus": 3}}' >three.json
  run -0 gpugauge check --device all --profile smoke --quiet --no-probes --policy three.json
}
