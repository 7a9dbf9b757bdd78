# Every kernel is in kernels/peak: the benchmarks themselves are plain C++.
set(FAMILY_CUDA ON)
