# gpugauge::build_info: version, commit, its date, toolkit and architectures of this build as compile definitions of one file.
find_package(Git QUIET)
set(GPUGAUGE_SOURCE_COMMIT "" CACHE STRING "The commit of sources that have no repository with them; empty: git says it")
set(GPUGAUGE_COMMIT "unknown")
string(TIMESTAMP GPUGAUGE_DATE "%Y-%m-%d" UTC)   # of the manual page: the commit's day, and without git today's or SOURCE_DATE_EPOCH
if(GPUGAUGE_SOURCE_COMMIT)
  set(GPUGAUGE_COMMIT "${GPUGAUGE_SOURCE_COMMIT}")
elseif(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE _commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE _status)
  if(_status EQUAL 0)
    set(GPUGAUGE_COMMIT "${_commit}")
    execute_process(COMMAND ${CMAKE_COMMAND} -E env TZ=UTC ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} log -1
                    --date=format-local:%Y-%m-%d --format=%cd OUTPUT_VARIABLE GPUGAUGE_DATE OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} rev-parse --absolute-git-dir
                    OUTPUT_VARIABLE _git_dir OUTPUT_STRIP_TRAILING_WHITESPACE)
    foreach(_ref HEAD logs/HEAD)
      if(EXISTS "${_git_dir}/${_ref}")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_git_dir}/${_ref}")
      endif()
    endforeach()
    # Whether the sources are that commit's is asked at every build; only where the answer changes is the one file compiled anew.
    # It is asked here, too: clang-tidy reads the compile commands of a folder in which nothing was built.
    set(GPUGAUGE_SOURCE_STATE ${PROJECT_BINARY_DIR}/source_state.hpp)
    set(_ask ${CMAKE_COMMAND} -DGIT=${GIT_EXECUTABLE} -DSOURCE=${PROJECT_SOURCE_DIR} -DCOMMIT=${GPUGAUGE_COMMIT}
             -DOUTPUT=${GPUGAUGE_SOURCE_STATE} -P ${PROJECT_SOURCE_DIR}/scripts/cmake/SourceState.cmake)
    execute_process(COMMAND ${_ask} COMMAND_ERROR_IS_FATAL ANY)
    add_custom_target(gpugauge_source_state BYPRODUCTS ${GPUGAUGE_SOURCE_STATE}
      COMMAND ${_ask}
      COMMENT "Asking git whether the sources are the commit's" VERBATIM)
    function(gpugauge_use_source_state)   # once the file and its target are known
      set_source_files_properties(${PROJECT_SOURCE_DIR}/harness/result/build.cpp DIRECTORY ${PROJECT_SOURCE_DIR}/harness
        PROPERTIES COMPILE_OPTIONS "-include;${GPUGAUGE_SOURCE_STATE}")
      add_dependencies(gpugauge_result gpugauge_source_state)
    endfunction()
    cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL gpugauge_use_source_state)
  endif()
endif()
set(GPUGAUGE_CUDA_VERSION "")
if(GPUGAUGE_CUDA)
  set(GPUGAUGE_CUDA_VERSION "${CUDAToolkit_VERSION}")
endif()
string(REPLACE ";" " " GPUGAUGE_ARCHITECTURE_LIST "${CMAKE_CUDA_ARCHITECTURES}")
