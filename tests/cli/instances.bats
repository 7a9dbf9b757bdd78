# A GPU that was split into MIG instances after its baseline was recorded. The driver is a fake, the family a script.
load common
load fake_gpu

export WIDE=1

@test "a baseline of the whole card is told where MIG was left on, and the check cannot judge" {
  one_gpu
  run -0 gpugauge baseline create --device 0 --profile smoke --quiet -n 5
  run -0 gpugauge check --device 0 --profile smoke --quiet --no-probes
  echo mig=1 >>scenario
  run -3 gpugauge check --device 0 --profile smoke --quiet --no-probes
  [[ $output == *"No baseline of this instance was found"* ]]
  [[ $output == *"is of the whole card GPU-aa010203-"*", and MIG is on: what was measured is an instance of that card."* ]]
  [[ $output == *"\`sudo nvidia-smi -i GPU-aa010203-0405-0607-0809-0a0b0c0d0e00 -mig 0\`"* ]]
  [[ $output == *"\`gpugauge baseline create --device MIG-bb010203-"*" --profile smoke\`"* ]]
  # What was measured is judged by a baseline of its own.
  run -0 gpugauge baseline create --device 0 --profile smoke --quiet -n 5
  run -0 gpugauge check --device 0 --profile smoke --quiet --no-probes
  [[ $output == *"Compared with this machine's own baseline"* && $output != *"whole card"* ]]
  # The card that is whole again is held against the one of the whole card.
  sed -i /^mig=/d scenario
  run -0 gpugauge check --device 0 --profile smoke --quiet --no-probes
}

@test "of another profile, or retired, a baseline of the whole card is not expected" {
  one_gpu
  run -0 gpugauge baseline create --name whole --device 0 --profile smoke --quiet -n 5
  run -0 gpugauge baseline retire whole --reason "the card stays split"
  echo mig=1 >>scenario
  run -3 gpugauge check --device 0 --profile smoke --quiet --no-probes
  [[ $output == *"cannot judge: nothing to judge the measurement by"* && $output != *"whole card"* ]]
}

@test "status: of a card that was measured whole and in parts the later check holds" {
  one_gpu
  run gpugauge check --device 0 --profile smoke --quiet --no-probes
  echo mig=1 >>scenario
  run gpugauge check --device 0 --profile smoke --quiet --no-probes
  run gpugauge status
  [[ $output == *"GPU-aa010203"*": an instance of it was measured at "*": the card is split (MIG)."* ]]
  sed -i /^mig=/d scenario
  run gpugauge check --device 0 --profile smoke --quiet --no-probes
  run gpugauge status
  [[ $output == *"MIG-bb010203"*": the whole card was measured at "*": the instance is gone."* ]]
}
