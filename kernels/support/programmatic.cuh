// Programmatic dependent launch on 9.0 and later, for kernels launched with
// cudaLaunchAttributeProgrammaticStreamSerialization. Without the attribute, and in code that was built for
// less than 9.0, both functions do nothing.
#pragma once

namespace gpugauge::kernels {

/// Lets the next kernel's blocks start wherever there is room.
__device__ __forceinline__ void let_the_next_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Waits until every preceding kernel has ended and its writes are visible.
__device__ __forceinline__ void wait_for_the_one_ahead() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace gpugauge::kernels
