# shellcheck shell=bash disable=SC2034
# The certificate for a framework's switch.
STAGE_ORDER=48
STAGE_TITLE="An injected fault of PyTorch"
STAGE_PROVES="PyTorch's switch for TF32 that is off is found and named first"
STAGE_SECONDS=480
# The least: PyTorch's probe took 21.4 s on an H200 (baselines/NVIDIA H200/pytorch), and is asked five times healthy and three times with
# the fault; and 40 s to end.
STAGE_LEAST=220
stage_commands() {
  # shellcheck disable=SC2016
  fault_commands '--device "$GPU_UUID"' tf32_framework
}
