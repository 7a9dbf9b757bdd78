# Finds the CUDA toolkit and chooses the architectures.
#
# GPUGAUGE_ARCHITECTURES: auto (that of the GPUs here, else 80-real;90a-real), ci (80-real;90a-real), all (real code for
# every architecture of the toolkit from 7.5 up, PTX of the newest generic one), or a list as CMAKE_CUDA_ARCHITECTURES
# takes it. Real code for 9.0 is always 90a: wgmma and TMA multicast need the architecture-specific target, which is also
# why `auto` is not CMake's own `native`.
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

# The toolkit's real architectures from 7.5 up ("75;80;...") and the newest of them.
function(_gpugauge_toolkit_codes out out_newest)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE _text
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "sm_[0-9]+" _names "${_text}")
  set(_codes "")
  set(_newest 0)
  foreach(_name IN LISTS _names)
    string(REPLACE "sm_" "" _code "${_name}")
    if(_code GREATER_EQUAL 75)
      list(APPEND _codes ${_code})
    endif()
    if(_code GREATER _newest)
      set(_newest ${_code})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES _codes)
  set(${out} "${_codes}" PARENT_SCOPE)
  set(${out_newest} ${_newest} PARENT_SCOPE)
endfunction()

function(_gpugauge_choose_architectures out)
  _gpugauge_toolkit_codes(_codes _newest)
  set(_wanted "")
  set(_list "")
  if(GPUGAUGE_ARCHITECTURES STREQUAL "all")
    set(_wanted ${_codes})
  elseif(GPUGAUGE_ARCHITECTURES STREQUAL "auto")
    # No answer means no driver that works: then there is nothing to run on yet, and any choice will do.
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE _answer ERROR_QUIET RESULT_VARIABLE _status TIMEOUT 60)
    if(_status EQUAL 0)
      string(REGEX MATCHALL "[0-9]+\\.[0-9]" _capabilities "${_answer}")
      string(REPLACE "." "" _wanted "${_capabilities}")
    endif()
  elseif(NOT GPUGAUGE_ARCHITECTURES STREQUAL "ci")
    set(${out} ${GPUGAUGE_ARCHITECTURES} PARENT_SCOPE)
    return()
  endif()
  if(NOT _wanted)
    set(_wanted 80 90)
  endif()
  foreach(_code IN LISTS _wanted)
    if(NOT _code IN_LIST _codes)
      list(APPEND _list ${_newest}-virtual)   # a GPU newer than the toolkit: its driver compiles the PTX
    elseif(_code EQUAL 90)
      list(APPEND _list 90a-real)
    else()
      list(APPEND _list ${_code}-real)
    endif()
  endforeach()
  if(GPUGAUGE_ARCHITECTURES STREQUAL "all")
    list(APPEND _list ${_newest}-virtual)   # GPUs to come
  endif()
  list(REMOVE_DUPLICATES _list)
  set(${out} ${_list} PARENT_SCOPE)
endfunction()
_gpugauge_choose_architectures(_architectures)
set(CMAKE_CUDA_ARCHITECTURES ${_architectures})
enable_language(CUDA)
find_package(CUDAToolkit 12 REQUIRED)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)   # a family starts, and can say what is wrong, where no runtime is installed
set(GPUGAUGE_CUDA ON)
message(STATUS "CUDA ${CUDAToolkit_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")
