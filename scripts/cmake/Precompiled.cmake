# Headers that nearly every file includes and that cost most of its compile time, compiled once for each kind of target:
# nlohmann_json and fmt for the libraries, GoogleMock too for the tests. A file still includes what it uses: builds with
# GPUGAUGE_PRECOMPILE=OFF (other compilers) would say so otherwise.
option(GPUGAUGE_PRECOMPILE "Compile the heavy headers once" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(GPUGAUGE_PRECOMPILE OFF)
endif()

set(_standard_headers <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <string>
  <string_view> <variant> <vector>)

# gpugauge_optimise(TARGET LEVEL): compiles a target of a release build with -O<LEVEL> instead of -O3. Most of the harness and
# all unit tests wait for files and processes: optimising them costs half of the build's time and gains nothing that is
# measured. What measures (bench, kernels) keeps the build type's own level.
function(gpugauge_optimise target level)
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O${level}>)
endfunction()

# gpugauge_unite(TARGET): with GPUGAUGE_UNITY several files are compiled as one, which takes a third of the time where headers
# cost more than code. A build of everything gains, a small change loses; what measures is never united, and packages are
# compiled file by file. Files that are united share their unnamed namespaces, so that a local name may hide one of another file's
# is no warning there: preset dev, and for the harness step `separate` of scripts/test --ci, warn of what a file hides of its own.
option(GPUGAUGE_UNITY "Compile several files of what is not measured as one" OFF)
function(gpugauge_unite target)
  if(GPUGAUGE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

# gpugauge_precompiled(NAME LEVEL HEADERS <header>... LIBRARIES <target>...): a target whose precompiled headers others reuse.
function(gpugauge_precompiled name level)
  cmake_parse_arguments(ARG "" "" "HEADERS;LIBRARIES" ${ARGN})
  if(NOT GPUGAUGE_PRECOMPILE)
    return()
  endif()
  set(_source ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
  if(NOT EXISTS ${_source})
    file(WRITE ${_source} "// The headers are all there is.\n")
  endif()
  add_library(${name} OBJECT ${_source})
  target_link_libraries(${name} PRIVATE gpugauge::options ${ARG_LIBRARIES})
  gpugauge_optimise(${name} ${level})
  target_precompile_headers(${name} PRIVATE ${_standard_headers} ${ARG_HEADERS})
endfunction()

# gpugauge_use_precompiled(TARGET NAME): executables are then compiled as position-independent as libraries, which g++ asks of
# whoever reuses a precompiled header.
function(gpugauge_use_precompiled target name)
  if(NOT GPUGAUGE_PRECOMPILE)
    return()
  endif()
  get_target_property(_type ${target} TYPE)
  if(_type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  # Out of a precompiled header the library's own code loses the pardon of system headers: what g++ 12 imagines inside
  # std::string (GCC bugs 105329, 105651) would be reported.
  target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()
