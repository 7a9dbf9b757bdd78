# cuBLAS and cuBLASLt, of one package always.
if(GPUGAUGE_CUDA AND (NOT TARGET CUDA::cublas OR NOT TARGET CUDA::cublasLt))
  set(FAMILY_UNAVAILABLE "the toolkit at ${CUDAToolkit_LIBRARY_DIR} has no cuBLAS (libcublas, libcublasLt)")
else()
  set(FAMILY_LIBRARIES CUDA::cublas CUDA::cublasLt)
endif()
# Estimated from what an H100 took on 2026-11-26 and an H200 on 2026-11-27, which took 5% less (docs/measuring.md): loading the libraries; trying eight candidates for some hundredths of a second each, the names of two kernels.
set(FAMILY_START_SECONDS 1.3)
set(FAMILY_BESIDE_SECONDS 0.74)
