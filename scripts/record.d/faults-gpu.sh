# shellcheck shell=bash disable=SC2034
# The gauge's certificate for the faults that show on a GPU within a short check. All of them would not fit into one stage.
STAGE_ORDER=40
STAGE_TITLE="Injected faults of a GPU"
STAGE_PROVES="faults set around a GPU's work are found by the judge and named first by the diagnosis"
STAGE_SECONDS=480
stage_commands() {
  # shellcheck disable=SC2016
  fault_commands '--device "$GPU_UUID"' launch_blocking no_visible_device multiprocessors_taken device_memory_taken link_taken far_node small_shm nccl_transports mixed_libraries cpu_only_framework
}
