# cmake -DFAMILY= -DOUTPUT= -DFILES= -DROOT= -DPTX= -DSTART_SECONDS= -DBESIDE_SECONDS= -P SourceHash.cmake
# Writes a C++ file that defines the family's name, one SHA-256 over the paths and contents of its sources (and the version of PTX
# that it asks for, where it asks for one), and what its processes and benchmarks are estimated to take.
list(SORT FILES)
set(_all "")
foreach(_file IN LISTS FILES)
  file(SHA256 "${_file}" _hash)
  file(RELATIVE_PATH _path "${ROOT}" "${_file}")
  string(APPEND _all "${_path} ${_hash}\n")
endforeach()
if(PTX)
  string(APPEND _all "PTX ${PTX}\n")
endif()
string(SHA256 _hash "${_all}")
set(_text "// Generated from the sources of this family.\n\
namespace gpugauge::bench {\nextern const char* const family_name;\nextern const char* const family_source_hash;\n\
extern const double family_start_seconds;\nextern const double family_beside_seconds;\n\
const char* const family_name = \"${FAMILY}\";\nconst char* const family_source_hash = \"${_hash}\";\n\
const double family_start_seconds = ${START_SECONDS};\nconst double family_beside_seconds = ${BESIDE_SECONDS};\n}  // namespace gpugauge::bench\n")
file(WRITE "${OUTPUT}" "${_text}")
