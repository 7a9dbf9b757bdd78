# GPUGAUGE_PORTABLE: what scripts/package builds. The harness then needs the C library and nothing else; a family needs also
# libstdc++ and the CUDA libraries that it measures. Included last by Dependencies.cmake: borrowed libraries become static here, by
# changing what their targets link. How a file is compiled stays the same, so that the compiler cache serves both kinds of build.
#
# gpugauge_portable_command(TARGET): a command that needs the C library alone.
# gpugauge_portable_family(TARGET): a family; the shared libraries that come with the package lie in ../../lib/gpugauge.
if(NOT GPUGAUGE_PORTABLE)
  function(gpugauge_portable_command)
  endfunction()
  function(gpugauge_portable_family)
  endfunction()
  return()
endif()

# gpugauge_static(OUT NAME...): the path of the first of these archives, or an error with the names.
function(gpugauge_static out)
  set(_variable GPUGAUGE_STATIC_${out})
  find_library(${_variable} NAMES ${ARGN})
  mark_as_advanced(${_variable})
  if(NOT ${_variable})
    message(FATAL_ERROR "GPUGAUGE_PORTABLE needs one of ${ARGN}, and none is installed: build on Debian 12 after scripts/setup.")
  endif()
  set(${out} ${${_variable}} PARENT_SCOPE)
endfunction()

gpugauge_static(_uv libuv.a libuv_a.a)
set_target_properties(PkgConfig::LIBUV PROPERTIES INTERFACE_LINK_LIBRARIES "${_uv};${CMAKE_DL_LIBS};Threads::Threads")
if(TARGET pugixml::static)
  set_target_properties(pugixml::pugixml PROPERTIES INTERFACE_LINK_LIBRARIES pugixml::static)
endif()
if(TARGET ZLIB::ZLIB)
  gpugauge_static(_z libz.a)
  # CMake's module may name a configuration's file, which goes before the other.
  set_target_properties(ZLIB::ZLIB PROPERTIES IMPORTED_LOCATION "${_z}" IMPORTED_LOCATION_RELEASE "${_z}")
endif()
if(TARGET SQLite::SQLite3 OR GPUGAUGE_STORE)
  gpugauge_static(_sqlite libsqlite3.a)
endif()
if(TARGET SQLite::SQLite3)
  set_target_properties(SQLite::SQLite3 PROPERTIES IMPORTED_LOCATION "${_sqlite}"
    INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS};Threads::Threads;m")
endif()
if(GPUGAUGE_STORE)
  # libpq cannot be linked statically (Debian's wants Kerberos and LDAP): it is opened at run time (harness/store/libpq.cpp).
  set_target_properties(PkgConfig::STORE_CLIENTS PROPERTIES INTERFACE_LINK_LIBRARIES
    "${_sqlite};${CMAKE_DL_LIBS};Threads::Threads;m")
endif()

# GCC's archives are linked whole, member by member: std::logic_error brings std::random_device along, and that arc4random, which
# is glibc 2.36. What nobody calls is dropped (--gc-sections), and what the unwinder asks glibc 2.35 for is answered by
# find_object.cpp.
function(gpugauge_portable_command target)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc LINKER:--gc-sections
    LINKER:-Map=${PROJECT_BINARY_DIR}/link/${target}.map)
  set(_find_object ${PROJECT_SOURCE_DIR}/scripts/cmake/find_object.cpp)
  target_sources(${target} PRIVATE ${_find_object})
  set_source_files_properties(${_find_object} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# NVIDIA's packages make /usr/local/cuda-<major> and /usr/local/cuda point to the toolkit that the machine's administrator chose.
set(_families_rpath "\$ORIGIN/../../lib/gpugauge")
if(GPUGAUGE_CUDA)
  foreach(_toolkit /usr/local/cuda-${CUDAToolkit_VERSION_MAJOR} /usr/local/cuda)
    list(APPEND _families_rpath ${_toolkit}/lib64 ${_toolkit}/extras/CUPTI/lib64)
  endforeach()
endif()
set(GPUGAUGE_FAMILIES_RPATH "${_families_rpath}")
function(gpugauge_portable_family target)
  target_link_options(${target} PRIVATE LINKER:-Map=${PROJECT_BINARY_DIR}/link/${target}.map)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${GPUGAUGE_FAMILIES_RPATH}")
endfunction()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/link)   # the linker's maps: what was linked from where (scripts/lib/sbom.py)

# Google Benchmark as a shared library, where the distribution has no archive of it.
get_target_property(_type benchmark::benchmark TYPE)
if(_type STREQUAL "SHARED_LIBRARY")
  get_target_property(_benchmark benchmark::benchmark IMPORTED_LOCATION_NONE)
  get_target_property(_soname benchmark::benchmark IMPORTED_SONAME_NONE)
  file(REAL_PATH ${_benchmark} _benchmark)
  install(FILES ${_benchmark} DESTINATION lib/gpugauge RENAME ${_soname})
  file(WRITE ${PROJECT_BINARY_DIR}/link/carried "${_benchmark}\n")
endif()
