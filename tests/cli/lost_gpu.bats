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
