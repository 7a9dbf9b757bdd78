# CUB comes with the toolkit, as headers: below include/cccl from CUDA 13 on, where nvcc looks by itself.
find_path(GPUGAUGE_CUB_INCLUDE_DIR cub/version.cuh
  HINTS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES cccl NO_DEFAULT_PATH)
mark_as_advanced(GPUGAUGE_CUB_INCLUDE_DIR)
if(NOT GPUGAUGE_CUB_INCLUDE_DIR)
  set(FAMILY_UNAVAILABLE "the CUDA toolkit has no CUB headers: install its CCCL part (cuda-cccl)")
endif()
# Estimated from what an H100 took on 2026-11-26 (docs/measuring.md): gigabytes are filled and compared.
set(FAMILY_BESIDE_SECONDS 0.07)
