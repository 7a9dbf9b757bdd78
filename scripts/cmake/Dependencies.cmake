# Every borrowed library, in one place: the distribution's package first, a pinned source where it is missing.
# scripts/versions.env holds the pins; docs/dependencies.md says why each was chosen.
include(FetchContent)
set(FETCHCONTENT_QUIET ON)
option(GPUGAUGE_FETCH_DEPENDENCIES "Fetch pinned sources of libraries that find_package does not find" ON)

# gpugauge_dependency(<package> TARGET <target> GIT <url> TAG <tag> [VERSION <minimum>])
function(gpugauge_dependency package)
  cmake_parse_arguments(ARG "" "TARGET;GIT;TAG;VERSION" "" ${ARGN})
  find_package(${package} ${ARG_VERSION} QUIET)
  if(TARGET ${ARG_TARGET})
    # Make imported targets of this scope visible to the whole build.
    get_target_property(_imported ${ARG_TARGET} IMPORTED)
    if(_imported)
      set_target_properties(${ARG_TARGET} PROPERTIES IMPORTED_GLOBAL TRUE)
    endif()
    message(STATUS "${package}: the installed package (${${package}_VERSION})")
    return()
  endif()
  if(NOT GPUGAUGE_FETCH_DEPENDENCIES)
    message(FATAL_ERROR "${package} was not found and GPUGAUGE_FETCH_DEPENDENCIES is off: install its -dev package.")
  endif()
  message(STATUS "${package}: not installed; taking ${ARG_GIT} at ${ARG_TAG}")
  FetchContent_Declare(${package} GIT_REPOSITORY ${ARG_GIT} GIT_TAG ${ARG_TAG} SYSTEM)
  FetchContent_MakeAvailable(${package})
  if(NOT TARGET ${ARG_TARGET})
    message(FATAL_ERROR "${package} ${ARG_TAG} was fetched but does not define ${ARG_TARGET}.")
  endif()
endfunction()

set(BENCHMARK_ENABLE_TESTING OFF CACHE INTERNAL "")
set(BENCHMARK_ENABLE_INSTALL OFF CACHE INTERNAL "")
set(BENCHMARK_ENABLE_WERROR OFF CACHE INTERNAL "")
set(BENCHMARK_INSTALL_DOCS OFF CACHE INTERNAL "")
set(JSON_BuildTests OFF CACHE INTERNAL "")
set(JSON_Install OFF CACHE INTERNAL "")
set(CLI11_BUILD_TESTS OFF CACHE INTERNAL "")
set(CLI11_BUILD_EXAMPLES OFF CACHE INTERNAL "")
set(INSTALL_GTEST OFF CACHE INTERNAL "")

gpugauge_dependency(benchmark TARGET benchmark::benchmark VERSION 1.6
  GIT https://github.com/google/benchmark.git TAG ${GPUGAUGE_PIN_BENCHMARK_GIT_TAG})
gpugauge_dependency(CLI11 TARGET CLI11::CLI11
  GIT https://github.com/CLIUtils/CLI11.git TAG ${GPUGAUGE_PIN_CLI11_GIT_TAG})
gpugauge_dependency(nlohmann_json TARGET nlohmann_json::nlohmann_json VERSION 3.10
  GIT https://github.com/nlohmann/json.git TAG ${GPUGAUGE_PIN_NLOHMANN_JSON_GIT_TAG})
# fmt's archive, for a portable build: distributions have none, but its implementation is among its headers. FMT_SHARED is what
# the shared library's users are compiled with: the compiler cache then serves both kinds of build.
if(GPUGAUGE_PORTABLE)
  find_path(GPUGAUGE_FMT_INCLUDE fmt/format-inl.h)
  mark_as_advanced(GPUGAUGE_FMT_INCLUDE)
endif()
if(GPUGAUGE_PORTABLE AND GPUGAUGE_FMT_INCLUDE)
  add_library(gpugauge_fmt STATIC ${PROJECT_SOURCE_DIR}/scripts/cmake/fmt_static.cpp)
  target_compile_features(gpugauge_fmt PRIVATE cxx_std_20)
  target_compile_definitions(gpugauge_fmt INTERFACE FMT_SHARED)
  target_include_directories(gpugauge_fmt SYSTEM INTERFACE ${GPUGAUGE_FMT_INCLUDE})
  add_library(fmt::fmt ALIAS gpugauge_fmt)
else()
  gpugauge_dependency(fmt TARGET fmt::fmt
    GIT https://github.com/fmtlib/fmt.git TAG ${GPUGAUGE_PIN_FMT_GIT_TAG})
endif()
gpugauge_dependency(pugixml TARGET pugixml::pugixml VERSION 1.11
  GIT https://github.com/zeux/pugixml.git TAG ${GPUGAUGE_PIN_PUGIXML_GIT_TAG})
if(BUILD_TESTING)
  gpugauge_dependency(GTest TARGET GTest::gmock
    GIT https://github.com/google/googletest.git TAG ${GPUGAUGE_PIN_GOOGLETEST_GIT_TAG})
endif()

find_package(Threads REQUIRED)
if(GPUGAUGE_PORTABLE)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)       # Boost's own package description; CMake's module is gone
endif()
find_package(Boost 1.74 REQUIRED)     # Boost.Math: quantiles and distributions, header only
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBUV REQUIRED IMPORTED_TARGET GLOBAL libuv)
find_package(ZLIB QUIET)              # the doctor's reading of packed logs, which a build may lack
if(ZLIB_FOUND)
  set_target_properties(ZLIB::ZLIB PROPERTIES IMPORTED_GLOBAL TRUE)
endif()

find_package(SQLite3 QUIET)           # rpm's database, which a build may leave to the command rpm
if(TARGET SQLite::SQLite3)
  set_target_properties(SQLite::SQLite3 PROPERTIES IMPORTED_GLOBAL TRUE)
endif()

# The history's databases: SOCI with SQLite and PostgreSQL, a part that a build may lack. SOCI 4.0 has no package description.
option(GPUGAUGE_ENABLE_STORE "Keep a history (needs SOCI with its SQLite and PostgreSQL backends)" ON)
set(GPUGAUGE_STORE OFF)
set(GPUGAUGE_NO_STORE_REASON "switched off by GPUGAUGE_ENABLE_STORE")
if(GPUGAUGE_ENABLE_STORE)
  find_path(SOCI_INCLUDE_DIR soci/soci.h)
  foreach(_part IN ITEMS core sqlite3 postgresql)
    string(TOUPPER ${_part} _name)
    if(GPUGAUGE_PORTABLE)
      find_library(SOCI_${_name}_LIBRARY libsoci_${_part}.a)
    else()
      find_library(SOCI_${_name}_LIBRARY soci_${_part})
    endif()
  endforeach()
  pkg_check_modules(STORE_CLIENTS IMPORTED_TARGET GLOBAL sqlite3>=${GPUGAUGE_PIN_SQLITE_MINIMUM_VERSION} libpq)
  mark_as_advanced(SOCI_INCLUDE_DIR SOCI_CORE_LIBRARY SOCI_SQLITE3_LIBRARY SOCI_POSTGRESQL_LIBRARY)
  set(_soci_version 0)
  if(SOCI_INCLUDE_DIR)
    file(STRINGS ${SOCI_INCLUDE_DIR}/soci/version.h _soci_line REGEX "define SOCI_VERSION +[0-9]+")
    string(REGEX MATCH "[0-9]+$" _soci_version "${_soci_line}")
  endif()
  if(SOCI_CORE_LIBRARY AND SOCI_SQLITE3_LIBRARY AND SOCI_POSTGRESQL_LIBRARY AND STORE_CLIENTS_FOUND
     AND _soci_version GREATER_EQUAL GPUGAUGE_PIN_SOCI_MINIMUM_VERSION)
    set(GPUGAUGE_STORE ON)
    add_library(gpugauge_soci INTERFACE)
    target_include_directories(gpugauge_soci SYSTEM INTERFACE ${SOCI_INCLUDE_DIR})
    target_link_libraries(gpugauge_soci INTERFACE ${SOCI_SQLITE3_LIBRARY} ${SOCI_POSTGRESQL_LIBRARY} ${SOCI_CORE_LIBRARY}
      PkgConfig::STORE_CLIENTS)
    message(STATUS "SOCI: the installed package (${_soci_version})")
  else()
    set(GPUGAUGE_NO_STORE_REASON "SOCI 4.0.1 with its SQLite and PostgreSQL backends is not installed (apt-get install libsoci-dev libsqlite3-dev libpq-dev)")
  endif()
endif()
include(Portable)
