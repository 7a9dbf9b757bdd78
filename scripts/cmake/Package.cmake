# What is installed beside the command, its families and baselines; and the .deb (CPack). scripts/package drives both.

# The manual page and the completions, written by the command itself: its definition is the only list of options.
set(_pages ${PROJECT_BINARY_DIR}/pages)
file(MAKE_DIRECTORY ${_pages})
set(_page_files "")
foreach(_shell bash zsh fish)
  add_custom_command(OUTPUT ${_pages}/gpugauge.${_shell}
    COMMAND gpugauge completion ${_shell} > ${_pages}/gpugauge.${_shell} DEPENDS gpugauge VERBATIM)
  list(APPEND _page_files ${_pages}/gpugauge.${_shell})
endforeach()
add_custom_command(OUTPUT ${_pages}/gpugauge.1
  COMMAND gpugauge manual --date ${GPUGAUGE_DATE} > ${_pages}/gpugauge.1 DEPENDS gpugauge VERBATIM)
add_custom_target(gpugauge_pages ALL DEPENDS ${_page_files} ${_pages}/gpugauge.1)
install(FILES ${_pages}/gpugauge.1 DESTINATION ${CMAKE_INSTALL_DATADIR}/man/man1)
install(FILES ${_pages}/gpugauge.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME gpugauge)
install(FILES ${_pages}/gpugauge.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _gpugauge)
install(FILES ${_pages}/gpugauge.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

set(_doc ${CMAKE_INSTALL_DATADIR}/doc/gpugauge)
install(FILES README.md CHANGELOG.md DESTINATION ${_doc})
install(FILES LICENSE DESTINATION ${_doc} RENAME copyright)
install(FILES harness/report/uplot/LICENSE DESTINATION ${_doc}/licences RENAME uplot.txt)   # the report embeds it
install(DIRECTORY docs/ DESTINATION ${_doc}/docs PATTERN "images" EXCLUDE)
# The bill of materials and the licences, once scripts/package has written them.
install(DIRECTORY ${PROJECT_BINARY_DIR}/materials/ DESTINATION ${_doc} OPTIONAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "GPUGauge")
set(CPACK_PACKAGE_CONTACT "the GPUGauge project <noreply@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# The first line is the project's description.
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Measures a node, compares it with physical limits and earlier runs, and says
pass, regressed or cannot judge, and why.")
# Not asked from dpkg-shlibdeps: it would name the versions of the build machine, not those that the symbols need, and the CUDA
# libraries that a family measures. A gauge must not change the stack that it measures: those are suggested, never pulled in.
# GLIBCXX_3.4.30 came with GCC 12.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${GPUGAUGE_PIN_PACKAGE_GLIBC}), libstdc++6 (>= 12), libgcc-s1 (>= 3.3)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libpq5")
string(REGEX MATCH "^[0-9]+" _major "${CUDAToolkit_VERSION}")
string(REGEX REPLACE "^([0-9]+)\\.([0-9]+).*" "\\1-\\2" _release "${CUDAToolkit_VERSION}")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3")
if(GPUGAUGE_CUDA)
  string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS
    ", libcublas-${_release}, libcufft-${_release}, libcudnn9-cuda-${_major}, libnccl2")
endif()
include(CPack)
