# gpugauge_embed(TARGET NAME FILES <file>... FUNCTION <name> HEADER <header> NAMESPACE <name> [ROOT <folder>]): data that is compiled
# into a target, as EmbedData.cmake writes it; HEADER declares the function that gives it. FILES may be a generator expression.
# It is a target of its own: what a target generates waits for every library that it links, and each of its files for it.
function(gpugauge_embed target name)
  cmake_parse_arguments(ARG "" "FUNCTION;HEADER;NAMESPACE;ROOT" "FILES" ${ARGN})
  set(_script ${PROJECT_SOURCE_DIR}/scripts/cmake/EmbedData.cmake)
  set(_source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  set(_options "")
  foreach(_option FUNCTION HEADER NAMESPACE ROOT)
    if(ARG_${_option})
      list(APPEND _options -D${_option}=${ARG_${_option}})
    endif()
  endforeach()
  set(_list ${CMAKE_CURRENT_BINARY_DIR}/${name}.files)   # a thousand names are longer than a word of a command may be
  file(GENERATE OUTPUT ${_list} CONTENT "${ARG_FILES}")
  add_custom_command(OUTPUT ${_source}
    COMMAND ${CMAKE_COMMAND} -DLIST=${_list} -DOUTPUT=${_source} ${_options} -P ${_script}
    DEPENDS ${ARG_FILES} ${_list} ${_script}
    COMMENT "Embedding ${name}" VERBATIM)
  add_library(gpugauge_${name} OBJECT ${_source})
  target_include_directories(gpugauge_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(gpugauge_${name} PRIVATE gpugauge::options)
  gpugauge_optimise(gpugauge_${name} 0)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:gpugauge_${name}>)
endfunction()
