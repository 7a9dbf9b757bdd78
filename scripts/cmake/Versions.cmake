# Reads scripts/versions.env, the one place where versions are pinned, into GPUGAUGE_PIN_<NAME>.
# Each variable is also put into the cache-free parent scope of whoever includes this file.
set(_versions_file "${CMAKE_CURRENT_LIST_DIR}/../versions.env")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_versions_file}")
file(STRINGS "${_versions_file}" _version_lines REGEX "^[A-Z0-9_]+=")
foreach(_line IN LISTS _version_lines)
  string(REGEX MATCH "^([A-Z0-9_]+)=(.*)$" _ "${_line}")
  set(GPUGAUGE_PIN_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
endforeach()
