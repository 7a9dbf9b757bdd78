# For -DCMAKE_TOOLCHAIN_FILE: compiles for Arm on another processor. GPUGAUGE_AARCH64_ROOT is a folder with the libraries and
# headers of an Arm system (scripts/lib/test-arm makes one); programs run there by qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GPUGAUGE_AARCH64_ROOT)
set(CMAKE_SYSROOT "${GPUGAUGE_AARCH64_ROOT}")
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L "${GPUGAUGE_AARCH64_ROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(_what LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${_what} ONLY)
endforeach()
