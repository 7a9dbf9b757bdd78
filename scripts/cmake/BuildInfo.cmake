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
  endif()
endif()
set(GPUGAUGE_CUDA_VERSION "")
if(GPUGAUGE_CUDA)
  set(GPUGAUGE_CUDA_VERSION "${CUDAToolkit_VERSION}")
endif()
string(REPLACE ";" " " GPUGAUGE_ARCHITECTURE_LIST "${CMAKE_CUDA_ARCHITECTURES}")
