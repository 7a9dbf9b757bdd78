if(GPUGAUGE_CUDA AND NOT TARGET CUDA::cufft)
  set(FAMILY_UNAVAILABLE "the toolkit at ${CUDAToolkit_LIBRARY_DIR} has no cuFFT (libcufft)")
else()
  set(FAMILY_LIBRARIES CUDA::cufft)
endif()
# Estimated from what an H100 took on 2026-11-26 (docs/measuring.md): cuFFT's library is large.
set(FAMILY_START_SECONDS 0.5)
set(FAMILY_BESIDE_SECONDS 0.1)
