# shellcheck shell=bash disable=SC2034
# The certificate for the faults of what else works inside of the measured process.
STAGE_ORDER=44
STAGE_TITLE="Injected faults inside of a process"
STAGE_PROVES="a CUPTI subscriber and persisting L2 that are left on are found and named first"
STAGE_SECONDS=480
# The least: five rounds of smoke took 39 s and a check 8 s on an H200 (baselines/NVIDIA H200/check). To that come, by
# `gpugauge list`, five rounds of standard with what shows persisting L2 (23 s each), a second round with the fault, and 40 s to end.
STAGE_LEAST=230
stage_commands() {
  # shellcheck disable=SC2016
  fault_commands '--device "$GPU_UUID"' cupti_subscriber persisting_l2
}
