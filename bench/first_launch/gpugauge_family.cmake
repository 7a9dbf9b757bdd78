# Machine code, and PTX of 7.5 and of nothing else: what CUDA_FORCE_PTX_JIT compiles on every GPU.
set(FAMILY_PTX 75)
