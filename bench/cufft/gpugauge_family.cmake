if(GPUGAUGE_CUDA AND NOT TARGET CUDA::cufft)
  set(FAMILY_UNAVAILABLE "the toolkit at ${CUDAToolkit_LIBRARY_DIR} has no cuFFT (libcufft)")
else()
  set(FAMILY_LIBRARIES CUDA::cufft)
endif()
# Not measured yet: cuFFT's library is large, and some plans are compiled when they are made.
set(FAMILY_START_SECONDS 0.8)
set(FAMILY_BESIDE_SECONDS 0.2)
