# cuDNN through its graph API, whose C++ side (cudnn-frontend) is headers only. Both may stand beside the toolkit, in the
# system's folders, or, as NVIDIA's wheels, in a virtual environment that scripts/setup made.
if(GPUGAUGE_CUDA)
  find_path(GPUGAUGE_CUDNN_INCLUDE cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV CUDNN_HOME PATH_SUFFIXES include)
  find_library(GPUGAUGE_CUDNN_LIBRARY cudnn HINTS ${CUDAToolkit_LIBRARY_DIR} ENV CUDNN_HOME PATH_SUFFIXES lib lib64)
  file(GLOB _frontends ${PROJECT_SOURCE_DIR}/.venv/cuda-tools/lib/python3*/site-packages/include
       ${PROJECT_SOURCE_DIR}/.venv/cudnn-frontend/lib/python3*/site-packages/include)
  find_path(GPUGAUGE_CUDNN_FRONTEND_INCLUDE cudnn_frontend.h
    HINTS ENV GPUGAUGE_CUDNN_FRONTEND_INCLUDE ${_frontends} ${CUDAToolkit_INCLUDE_DIRS})
  mark_as_advanced(GPUGAUGE_CUDNN_INCLUDE GPUGAUGE_CUDNN_LIBRARY GPUGAUGE_CUDNN_FRONTEND_INCLUDE)
  if(NOT GPUGAUGE_CUDNN_INCLUDE OR NOT GPUGAUGE_CUDNN_LIBRARY)
    set(FAMILY_UNAVAILABLE "cuDNN was not found (cudnn.h, libcudnn): install it, or name its folder in CUDNN_HOME")
  elseif(NOT GPUGAUGE_CUDNN_FRONTEND_INCLUDE)
    set(FAMILY_UNAVAILABLE "cudnn_frontend.h was not found: run scripts/setup, or name its folder in GPUGAUGE_CUDNN_FRONTEND_INCLUDE")
  else()
    file(STRINGS ${GPUGAUGE_CUDNN_INCLUDE}/cudnn_version.h _cudnn_version REGEX "define CUDNN_(MAJOR|MINOR) ")
    string(REGEX REPLACE "[^0-9]*([0-9]+)[^0-9]+([0-9]+).*" "\\1.\\2" _cudnn_version "${_cudnn_version}")
    if(_cudnn_version VERSION_LESS GPUGAUGE_PIN_CUDNN_MINIMUM_VERSION)
      set(FAMILY_UNAVAILABLE "cuDNN ${_cudnn_version} is too old: ${GPUGAUGE_PIN_CUDNN_MINIMUM_VERSION} or later is needed")
    endif()
    # The one file with the C++ side takes minutes to optimise fully, and nothing in it is timed but the call that enqueues. Its
    # sentences name the headers' files, which must not say where they lay when it was built: also not where links lead, by
    # which g++ calls a system header when that is shorter.
    file(REAL_PATH ${GPUGAUGE_CUDNN_FRONTEND_INCLUDE} _frontend)
    set_source_files_properties(${_folder}/graph.cpp PROPERTIES
      COMPILE_OPTIONS "-O1;-fmacro-prefix-map=${GPUGAUGE_CUDNN_FRONTEND_INCLUDE}/=;-fmacro-prefix-map=${_frontend}/=")
    set(FAMILY_LIBRARIES ${GPUGAUGE_CUDNN_LIBRARY})
    set(FAMILY_INCLUDES ${GPUGAUGE_CUDNN_INCLUDE} ${GPUGAUGE_CUDNN_FRONTEND_INCLUDE})
  endif()
endif()
# Estimated from what an H100 took on 2026-11-26 (docs/measuring.md): loading the libraries; building and trying up to ten plans.
set(FAMILY_START_SECONDS 1.6)
set(FAMILY_BESIDE_SECONDS 0.64)
