// Programmatic dependent launch on 9.0 and later, of kernels that are launched with
// cudaLaunchAttributeProgrammaticStreamSerialization. Without the attribute, and before 9.0, there is nothing
// to let begin and nothing to wait for.
#pragma once

namespace gpugauge::kernels {

/// The next kernel's blocks may start wherever there is room for them.
__device__ __forceinline__ void let_the_next_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Until every kernel ahead has ended and its writes can be seen.
__device__ __forceinline__ void wait_for_the_one_ahead() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace gpugauge::kernels
