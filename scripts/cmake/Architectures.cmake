# Chooses the architectures.
#
# GPUGAUGE_ARCHITECTURES: auto (that of the GPUs here, all where it is not known, 80-real;90a-real where there is none),
# ci (80-real;90a-real), all (real code for every architecture of the toolkit from 7.5 up, PTX of the newest generic
# one), or a list as CMAKE_CUDA_ARCHITECTURES takes it. Code for 9.0 is always 90a-real, whatever a list calls it: wgmma
# and TMA multicast need the architecture-specific target, which is also why `auto` is not CMake's own `native`; who
# writes `native` gets `auto`. Code for 10.0, 10.3 and 11.0 is 100a-real, 103a-real and 110a-real for the same reason: tcgen05.
# Later GPUs of these generations run none of them, but the PTX that `all` adds, and that "100" means beside 100a-real.
set(_gpugauge_specific 90 100 103 110)

# PTX that every GPU from CODE on runs. That of 9.0 lacks wgmma and would run in place of the real code there.
function(_gpugauge_ptx_of code out)
  if(code EQUAL 90)
    set(code 89)
  endif()
  set(${out} ${code}-virtual PARENT_SCOPE)
endfunction()

# Machine code for CODE, with the instructions that only it has.
function(_gpugauge_real_of code out)
  if(code IN_LIST _gpugauge_specific)
    set(${out} ${code}a-real PARENT_SCOPE)
  else()
    set(${out} ${code}-real PARENT_SCOPE)
  endif()
endfunction()

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

# gpugauge_choose_architectures(OUT [DEVICE_NODES]): what GPUGAUGE_ARCHITECTURES means for this machine and CMAKE_CUDA_COMPILER;
# the folder of device nodes is /dev.
function(gpugauge_choose_architectures out)
  set(_nodes /dev)
  if(ARGC GREATER 1)
    set(_nodes ${ARGV1})
  endif()
  _gpugauge_toolkit_codes(_codes _newest)
  set(_wanted "")
  set(_list "")
  set(_choice "${GPUGAUGE_ARCHITECTURES}")
  if(_choice STREQUAL "native")
    set(_choice "auto")
  endif()
  if(_choice STREQUAL "auto")
    find_program(_smi nvidia-smi PATHS /usr/lib/wsl/lib NO_CACHE)
    execute_process(COMMAND ${_smi} --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE _answer ERROR_QUIET RESULT_VARIABLE _status TIMEOUT 60)
    if(_status EQUAL 0)
      string(REGEX MATCHALL "[0-9]+\\.[0-9]" _capabilities "${_answer}")
      string(REPLACE "." "" _wanted "${_capabilities}")
    endif()
    # Without device nodes there is no driver that works, nothing to run on yet, and any choice will do. With them there is a
    # GPU: nvidia-smi is not in a container that was given the driver's capability `compute` and not `utility`, knows no
    # capability on Jetson and under drivers before 470, and does not answer where one GPU of several hangs.
    set(_here OFF)
    foreach(_node nvidiactl dxg nvhost-gpu nvgpu)   # Linux, WSL2, Jetson before and from JetPack 6 on
      if(EXISTS ${_nodes}/${_node})
        set(_here ON)
      endif()
    endforeach()
    if(NOT _wanted AND _here)
      message(WARNING "A GPU is here and no nvidia-smi to say which, or none that does: building for every architecture of the "
                      "toolkit, which takes longer. -DGPUGAUGE_ARCHITECTURES=80-real (or another) names yours.")
      set(_choice "all")
    endif()
  endif()
  if(_choice STREQUAL "all")
    set(_wanted ${_codes})
  elseif(NOT _choice MATCHES "^(auto|ci)$")
    foreach(_entry IN LISTS _choice)
      if(_entry STREQUAL "90-virtual")
        message(FATAL_ERROR "GPUGAUGE_ARCHITECTURES holds 90-virtual, whose code has no wgmma and would run in place of "
                            "the real one on a 9.0 GPU: write 90a-real, and 80-virtual for GPUs that are in no list.")
      elseif(_entry STREQUAL "all-major")
        message(FATAL_ERROR "GPUGAUGE_ARCHITECTURES is all-major, whose code for 9.0 has no wgmma: write all, or the list.")
      endif()
    endforeach()
    foreach(_code IN LISTS _gpugauge_specific)
      if(NOT _code EQUAL 90)
        list(TRANSFORM _choice REPLACE "^${_code}$" "${_code}a-real;${_code}-virtual")
      endif()
      list(TRANSFORM _choice REPLACE "^${_code}(-real)?$" "${_code}a-real")
    endforeach()
    list(REMOVE_DUPLICATES _choice)
    set(${out} ${_choice} PARENT_SCOPE)
    return()
  endif()
  if(NOT _wanted)
    set(_wanted 80 90)
  endif()
  set(_refused "")   # why there is no code for GPUs that are here
  foreach(_code IN LISTS _wanted)
    if(NOT _code IN_LIST _codes)
      # A GPU that the toolkit does not know: its driver compiles the newest PTX that is not above it.
      set(_below 0)
      foreach(_known IN LISTS _codes)
        if(_known LESS _code AND _known GREATER _below)
          set(_below ${_known})
        endif()
      endforeach()
      if(_code LESS 75)
        list(APPEND _refused "A GPU here is of an architecture (sm_${_code}) before 7.5, the oldest that GPUGauge is built for, whatever the toolkit")
        continue()
      elseif(_below EQUAL 0)
        list(APPEND _refused "A GPU here is of an architecture (sm_${_code}) that this toolkit no longer compiles for: an older toolkit may")
        continue()
      endif()
      _gpugauge_ptx_of(${_below} _ptx)
      list(APPEND _list ${_ptx})
    elseif(_choice STREQUAL "all" AND _code EQUAL 100 AND NOT 103 IN_LIST _codes)
      list(APPEND _list 100-real)   # 10.3 runs it, and not that of 10.0 alone
    else()
      _gpugauge_real_of(${_code} _real)
      list(APPEND _list ${_real})
    endif()
  endforeach()
  # An old card beside others, for a display perhaps, must not keep these from being gauged.
  list(REMOVE_DUPLICATES _refused)
  foreach(_why IN LISTS _refused)
    if(NOT _list)
      message(FATAL_ERROR "${_why} (-DGPUGAUGE_ARCHITECTURES=80-real builds for others).")
    endif()
    message(WARNING "${_why}. It is left out: what is built here does not run on it.")
  endforeach()
  if(_choice STREQUAL "all")
    if(100a-real IN_LIST _list)
      list(APPEND _list 100-virtual)
    endif()
    _gpugauge_ptx_of(${_newest} _ptx)   # GPUs to come
    list(APPEND _list ${_ptx})
  endif()
  list(REMOVE_DUPLICATES _list)
  set(${out} ${_list} PARENT_SCOPE)
endfunction()
