# cmake -DGIT=... -DSOURCE=DIR -DCOMMIT=... -DOUTPUT=FILE -P: writes a header that calls the commit COMMIT+changes where what is compiled
# differs from it. FILE is touched only where the answer is another than before.
execute_process(COMMAND ${GIT} --no-optional-locks -C ${SOURCE} status --porcelain --
                  CMakeLists.txt CMakePresets.json bench harness kernels scripts/cmake scripts/frameworks tests/CMakeLists.txt tests/gpu
                OUTPUT_VARIABLE _changes ERROR_QUIET)
set(_text "")
if(_changes)
  set(_text "#undef GPUGAUGE_COMMIT\n#define GPUGAUGE_COMMIT \"${COMMIT}+changes\"\n")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${_text}" @ONLY)
