# cmake -DLIST= -DOUTPUT= -DFUNCTION= -DHEADER= -DNAMESPACE= [-DROOT=] -P EmbedData.cmake (gpugauge_embed)
# Writes a C++ file that defines NAMESPACE::FUNCTION(): the bytes of each file that LIST names, by its name, or with ROOT by its path below that
# folder. HEADER declares it, and DataFile.
file(READ "${LIST}" FILES)
list(SORT FILES)
set(_arrays "")
set(_entries "")
set(_index 0)
foreach(_file IN LISTS FILES)
  if(DEFINED ROOT)
    file(RELATIVE_PATH _name "${ROOT}" "${_file}")
  else()
    get_filename_component(_name "${_file}" NAME)
  endif()
  file(READ "${_file}" _bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," _bytes "${_bytes}")
  string(APPEND _arrays "const unsigned char data_${_index}[] = {${_bytes}0};\n")
  string(APPEND _entries "      file(\"${_name}\", data_${_index}, sizeof data_${_index} - 1),\n")
  math(EXPR _index "${_index} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from the data files.\n\
#include <string>\n\n#include \"${HEADER}\"\n\n\
namespace ${NAMESPACE} {\nnamespace {\n\n${_arrays}\n\
[[maybe_unused]] DataFile file(const char* name, const unsigned char* bytes, std::size_t size) {\n\
  return {name, std::string(reinterpret_cast<const char*>(bytes), size)};\n}\n\n\
}  // namespace\n\n\
std::vector<DataFile> ${FUNCTION}() {\n  return {\n${_entries}  };\n}\n\n}  // namespace ${NAMESPACE}\n")
