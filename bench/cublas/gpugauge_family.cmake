# cuBLAS and cuBLASLt, of one package always.
if(GPUGAUGE_CUDA AND (NOT TARGET CUDA::cublas OR NOT TARGET CUDA::cublasLt))
  set(FAMILY_UNAVAILABLE "the toolkit at ${CUDAToolkit_LIBRARY_DIR} has no cuBLAS (libcublas, libcublasLt)")
else()
  set(FAMILY_LIBRARIES CUDA::cublas CUDA::cublasLt)
endif()
# Not measured yet: loading the libraries; trying eight candidates for some hundredths of a second each.
set(FAMILY_START_SECONDS 1.0)
set(FAMILY_BESIDE_SECONDS 0.35)
