# Every kernel is in kernels/peak: the benchmarks themselves are plain C++.
set(FAMILY_CUDA ON)
# Not measured yet: heating the chip.
set(FAMILY_START_SECONDS 1.1)
