# shellcheck shell=bash disable=SC2034
# The certificate for the environment that keeps products away from Tensor Cores. Five healthy rounds and a fault take one stage.
STAGE_ORDER=45
STAGE_TITLE="An injected fault of products"
STAGE_PROVES="TF32 that is off by environment is found and named first"
STAGE_SECONDS=480
# The least, by `gpugauge list`: five healthy rounds of deep with what shows it and two with the fault (39 s each), and 40 s to end.
STAGE_LEAST=320
stage_commands() {
  # shellcheck disable=SC2016
  fault_commands '--device "$GPU_UUID"' tf32_environment
}
