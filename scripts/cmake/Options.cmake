# Build options shared by every target, carried by the interface target gpugauge::options.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

option(GPUGAUGE_WERROR "Treat warnings as errors" OFF)
option(GPUGAUGE_PORTABLE "Link the harness so that it starts where only the C library is (scripts/package)" OFF)
set(GPUGAUGE_SANITIZE "" CACHE STRING "Sanitizers for host code, as -fsanitize takes them (address,undefined; or thread)")

add_library(gpugauge_options INTERFACE)
add_library(gpugauge::options ALIAS gpugauge_options)
target_compile_features(gpugauge_options INTERFACE cxx_std_20)
# g++ 12 warns of overlapping copies inside std::string concatenation that cannot happen (GCC bug 105329).
target_compile_options(gpugauge_options INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>)
# When it optimises, g++ 12 calls the inside of a short string uninitialised that starts_with() has just measured.
target_compile_options(gpugauge_options INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Debug>>>:-Wno-maybe-uninitialized>)
# A local name may hide what another file calls so, where both are compiled as one (gpugauge_unite).
set(_shadow $<IF:$<AND:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,$<CXX_COMPILER_ID:GNU>>,-Wshadow=local,-Wshadow>)
target_compile_options(gpugauge_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion ${_shadow}>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${GPUGAUGE_WERROR}>>:-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)   # by hand: CMake 3.25 does not know cuda_std_20 of nvcc
if(GPUGAUGE_SANITIZE)
  # The check of virtual tables asks for type information that SOCI's library keeps to itself: clang does without it, g++ only
  # where SOCI's headers are read (gpugauge_without_vtables).
  target_compile_options(gpugauge_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${GPUGAUGE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=vptr>)
  target_link_options(gpugauge_options INTERFACE -fsanitize=${GPUGAUGE_SANITIZE})
endif()

# A library, so that its option comes behind those of gpugauge::options, which would switch the check on again.
add_library(gpugauge_no_vptr INTERFACE)
target_compile_options(gpugauge_no_vptr INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=vptr>)
# gpugauge_without_vtables(TARGET): called behind the target's other libraries; a build under UndefinedBehaviorSanitizer does not check its
# objects' virtual tables.
function(gpugauge_without_vtables target)
  if(GPUGAUGE_SANITIZE MATCHES "undefined")
    target_link_libraries(${target} PRIVATE gpugauge_no_vptr)
  endif()
endfunction()

# gpugauge_count(TARGET): with GPUGAUGE_COVERAGE, its code counts how often each line ran and each branch was taken, in files beside
# its objects (scripts/lib/coverage). Only the harness is counted: not its tests, and nothing that measures.
option(GPUGAUGE_COVERAGE "Count which lines of the harness run" OFF)
function(gpugauge_count target)
  if(GPUGAUGE_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic)   # threads count, too
    target_link_options(${target} INTERFACE --coverage)
    get_target_property(_type ${target} TYPE)
    if(_type STREQUAL "EXECUTABLE")
      target_link_options(${target} PRIVATE --coverage)
    endif()
  endif()
endfunction()

# tests/fuzz as libFuzzer executables; every object then counts what of it was run.
option(GPUGAUGE_FUZZ "Build the fuzzing targets instead of the tests (clang)" OFF)
if(GPUGAUGE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "GPUGAUGE_FUZZ needs clang, and the compiler is ${CMAKE_CXX_COMPILER_ID}: cmake --preset fuzz names one.")
  endif()
  target_compile_options(gpugauge_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # ccache takes precompiled headers only when it is told what may differ between them.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM}
    CACHE STRING "Compiler launcher")
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${CCACHE_PROGRAM}" CACHE STRING "Compiler launcher")
endif()
