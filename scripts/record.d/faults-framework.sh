# shellcheck shell=bash disable=SC2034
# The certificate for a framework's switch.
STAGE_ORDER=48
STAGE_TITLE="An injected fault of PyTorch"
STAGE_PROVES="PyTorch's switch for TF32 that is off is found and named first"
STAGE_SECONDS=480
stage_commands() {
  # shellcheck disable=SC2016
  fault_commands '--device "$GPU_UUID"' tf32_framework
}
