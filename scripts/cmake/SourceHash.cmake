# cmake -DFAMILY= -DOUTPUT= -DFILES= -DROOT= -P SourceHash.cmake
# Writes a C++ file that defines the family's name and one SHA-256 over the paths and contents of its sources.
list(SORT FILES)
set(_all "")
foreach(_file IN LISTS FILES)
  file(SHA256 "${_file}" _hash)
  file(RELATIVE_PATH _path "${ROOT}" "${_file}")
  string(APPEND _all "${_path} ${_hash}\n")
endforeach()
string(SHA256 _hash "${_all}")
set(_text "// Generated from the sources of this family.\n\
namespace gpugauge::bench {\nextern const char* const family_name;\nextern const char* const family_source_hash;\n\
const char* const family_name = \"${FAMILY}\";\nconst char* const family_source_hash = \"${_hash}\";\n}  // namespace gpugauge::bench\n")
file(WRITE "${OUTPUT}" "${_text}")
