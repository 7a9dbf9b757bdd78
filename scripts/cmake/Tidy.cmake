# The target `tidy`: clang-tidy over the project's host code, only where something changed (scripts/lib/tidy.py). Not where several
# files are compiled as one: the compile commands then name few of them.
find_package(Python3 COMPONENTS Interpreter QUIET)
find_program(GPUGAUGE_CLANG_TIDY NAMES clang-tidy-${GPUGAUGE_PIN_CLANG_TOOLS_VERSION} clang-tidy)
mark_as_advanced(GPUGAUGE_CLANG_TIDY)
if(GPUGAUGE_CLANG_TIDY AND Python3_FOUND AND NOT GPUGAUGE_UNITY)
  add_custom_target(tidy
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/lib/tidy.py ${PROJECT_BINARY_DIR}
            --clang-tidy ${GPUGAUGE_CLANG_TIDY}
    USES_TERMINAL VERBATIM)
endif()
