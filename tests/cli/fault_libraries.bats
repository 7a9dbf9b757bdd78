# The libraries that `gpugauge selftest --inject` brings into the processes that it measures, each in a program that
# has a family's name and meets made libraries of CUDA.
load common

setup() {
  # In a build under AddressSanitizer what is preloaded comes before its runtime, which would end the program for it.
  export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
  cd "$BATS_TEST_TMPDIR" || return 1
  faults="$GPUGAUGE_BUILD/libexec/gpugauge/faults"
  child="$GPUGAUGE_BUILD/tests/fakes/gpugauge-bench-fault_child"
  made="$GPUGAUGE_BUILD/tests/fakes/libfault_libraries.so"
  [ -d "$faults" ] || skip "bench/faults is built with CUDA only"
  export GPUGAUGE_FAULT_MARK="$PWD/mark"
}

@test "TF32 is taken out of a math mode, other modes and the flags stay, and only that leaves a mark" {
  LD_PRELOAD="$faults/tf32_math_mode.so" run -0 "$child" math-mode 2
  [ "$output" = 2 ]
  [ ! -e mark ]
  LD_PRELOAD="$faults/tf32_math_mode.so" run -0 "$child" math-mode 3
  [ "$output" = 0 ]
  [ -e mark ]
  LD_PRELOAD="$faults/tf32_math_mode.so" run -0 "$child" math-mode 19
  [ "$output" = 16 ]
  run -0 "$child" math-mode 3
  [ "$output" = 3 ]
}

@test "a CUPTI subscriber watches the driver's and the runtime's calls and every kernel, and answers the driver with 1" {
  CUDA_INJECTION64_PATH="$faults/cupti_subscriber.so" GPUGAUGE_FAULT_CUPTI="$made" run -0 "$child" injection
  [ "$output" = $'1\nwatched' ]
  [ -e mark ]
}

@test "where CUPTI refuses or is missing the program goes on, and no mark says that anything was set" {
  CUDA_INJECTION64_PATH="$faults/cupti_subscriber.so" GPUGAUGE_FAULT_CUPTI="$made" FAKE_CUPTI_REFUSES=1 run -0 "$child" injection
  [[ $output == 1$'\n'* ]]
  CUDA_INJECTION64_PATH="$faults/cupti_subscriber.so" GPUGAUGE_FAULT_CUPTI="$PWD/none.so" run -0 "$child" injection
  [ "$output" = $'1\nunwatched' ]
  CUDA_INJECTION64_PATH="$faults/cupti_subscriber.so" run -0 "$child" injection
  [ "$output" = $'1\nunwatched' ]
  [ ! -e mark ]
}

@test "what is no family is left alone" {
  cp "$child" other_program
  LD_LIBRARY_PATH="${made%/*}" CUDA_INJECTION64_PATH="$faults/cupti_subscriber.so" GPUGAUGE_FAULT_CUPTI="$made" run -0 ./other_program injection
  [ "$output" = $'1\nunwatched' ]
  [ ! -e mark ]
}

@test "a keeper of L2 without a driver sets nothing, and the program ends at once" {
  LD_PRELOAD="$faults/persisting_l2.so" run -0 timeout 20 "$child" nothing
  [ ! -e mark ]
}

@test "a mark that cannot be made stops nothing, and never follows a link" {
  ln -s elsewhere mark
  LD_PRELOAD="$faults/tf32_math_mode.so" run -0 "$child" math-mode 3
  [ "$output" = 0 ]
  [ ! -e elsewhere ]
}

@test "the family calls cublasSetMathMode by a name that a preloaded library can take" {
  [ -n "$(ls "$GPUGAUGE_BUILD"/libexec/gpugauge/gpugauge-bench-cublas 2>/dev/null)" ] || skip "no family cublas is built"
  nm -D --undefined-only "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-cublas" >needed
  grep -q ' cublasSetMathMode' needed
}
