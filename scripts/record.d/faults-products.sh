# shellcheck shell=bash disable=SC2034
# The certificate for the faults that keep products away from Tensor Cores.
STAGE_ORDER=41
STAGE_TITLE="Injected faults of products"
STAGE_PROVES="TF32 that is off by environment and by cuBLAS's math mode is found and named first"
STAGE_SECONDS=480
stage_commands() {
  # shellcheck disable=SC2016
  fault_commands '--device "$GPU_UUID"' tf32_environment tf32_math_mode
}
