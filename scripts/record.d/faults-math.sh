# shellcheck shell=bash disable=SC2034
# The certificate for a library's math mode that keeps products away from Tensor Cores.
STAGE_ORDER=46
STAGE_TITLE="An injected fault of a math mode"
STAGE_PROVES="TF32 that is off by cuBLAS's math mode is found and named first"
STAGE_SECONDS=480
# The least, by `gpugauge list`: five healthy rounds of deep with what shows it and two with the fault (35 s each), and 40 s to end.
STAGE_LEAST=290
stage_commands() {
  # shellcheck disable=SC2016
  fault_commands '--device "$GPU_UUID"' tf32_math_mode
}
