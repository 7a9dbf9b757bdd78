# shellcheck shell=bash disable=SC2034
# The gauge's certificate for the faults that show on a GPU within a short check. All of them would not fit into one stage.
STAGE_ORDER=40
STAGE_TITLE="Injected faults of a GPU"
STAGE_PROVES="faults set around a GPU's work are found by the judge and named first by the diagnosis"
STAGE_SECONDS=480
# The least: five rounds of smoke took 39 s and a check 8 s on an H200 (baselines/NVIDIA H200/check). To that come, by
# `gpugauge list`, five rounds of quick with h2d, d2h, launch, hbm and gemm16 (27 s each), a second round with the fault, and 40 s to end.
STAGE_LEAST=250
stage_commands() {
  # shellcheck disable=SC2016
  fault_commands '--device "$GPU_UUID"' launch_blocking no_visible_device multiprocessors_taken device_memory_taken link_taken far_node small_shm nccl_transports mixed_libraries cpu_only_framework
}
