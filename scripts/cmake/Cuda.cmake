# Finds the CUDA toolkit; Architectures.cmake says what is compiled for.
#
# Without a toolkit the harness and the host family are still built, and the summary says why the rest is not.
set(GPUGAUGE_ARCHITECTURES "auto" CACHE STRING "auto, ci, all, or a list as CMAKE_CUDA_ARCHITECTURES takes it")

option(GPUGAUGE_ENABLE_CUDA "Build the families that need CUDA, where there is a toolkit" ON)

set(GPUGAUGE_CUDA OFF)
set(GPUGAUGE_NO_CUDA_REASON "")
if(NOT GPUGAUGE_ENABLE_CUDA)
  set(GPUGAUGE_NO_CUDA_REASON "switched off by GPUGAUGE_ENABLE_CUDA")
  return()
endif()
if(NOT CMAKE_CUDA_COMPILER)
  # The order of scripts/setup: CUDA_HOME, /usr/local/cuda, PATH, and last the toolkit it made of NVIDIA's wheels.
  find_program(GPUGAUGE_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda
               PATHS ${PROJECT_SOURCE_DIR}/.venv/cuda/toolkit PATH_SUFFIXES bin)
  mark_as_advanced(GPUGAUGE_NVCC)
  if(GPUGAUGE_NVCC)
    set(CMAKE_CUDA_COMPILER "${GPUGAUGE_NVCC}" CACHE FILEPATH "CUDA compiler")
  endif()
endif()
if(NOT CMAKE_CUDA_COMPILER)
  set(GPUGAUGE_NO_CUDA_REASON "no nvcc: set CUDA_HOME, or run scripts/setup")
  return()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/Architectures.cmake)
gpugauge_choose_architectures(_architectures)
set(CMAKE_CUDA_ARCHITECTURES ${_architectures})
enable_language(CUDA)
find_package(CUDAToolkit ${GPUGAUGE_PIN_CUDA_MINIMUM_VERSION} REQUIRED)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)   # a family starts, and can say what is wrong, where no runtime is installed
set(GPUGAUGE_CUDA ON)
message(STATUS "CUDA ${CUDAToolkit_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")
