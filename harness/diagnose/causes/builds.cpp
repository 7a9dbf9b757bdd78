// What a program's build needs of the machine: CUDA's toolkit, and a host compiler that it takes.
#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {
namespace {

void examine_host_compiler(const Seen& seen, Argument& it) {
  it.confirms(
      weight::proof,
      seen.told({"unsupported GNU version! gcc versions later than", "unsupported clang version! clang",
                 "unsupported Microsoft Visual Studio version!", "host compiler version is not supported"}));
  // glibc 2.41 declares functions of C23 that CUDA's headers declare otherwise.
  it.confirms(weight::strong,
              both(seen.told({"exception specification is incompatible with that of previous function",
                              "specification is incompatible with that of previous function"}),
                   seen.told({"crt/math_functions.h", "math_functions.h"})));
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.is_an_event();
  it.confirms(weight::strong, seen.recovers_by({"allow-unsupported-compiler", "ccbin", "NVCC_CCBIN",
                                                "CUDAHOSTCXX", "gcc=", "gcc-", "CC="}));
}

void examine_no_toolkit(const Seen& seen, Argument& it) {
  const Fact none = seen.told(
      {"CUDA_HOME does not exist, unable to compile", "CUDA_HOME environment variable is not set",
       "nvcc: command not found", "nvcc: not found", "'nvcc' is not recognized", "No CUDA toolset found",
       "Failed to find nvcc", "Could not find nvcc", "nvcc not found", "NVCC could not be found",
       "bin/nvcc: No such file", "bin/nvcc': No such file", "Specify CUDA_TOOLKIT_ROOT_DIR",
       "CUDA_TOOLKIT_ROOT_DIR not found", "Failed to find a CUDA toolkit", "cuda_runtime.h: No such file"},
      // Who goes on without it says so.
      {"using ", "default", "without CUDA", "prebuilt", "WARN", "Unable to import"});
  it.confirms(weight::good, none);
  if (none)
    it.confirms(weight::strong,
                seen.told({"error: subprocess-exited", "Failed building wheel", "metadata-generation-failed",
                           "CMake Error", "fatal error:", "OSError: CUDA_HOME", "AssertionError: CUDA_HOME",
                           "make: ***", "RuntimeError: CUDA_HOME", "configuring incomplete"}));
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.is_an_event();
  it.confirms(weight::strong, seen.recovers_by({"CUDA_HOME", "cuda-toolkit", "cuda toolkit", "nvcc",
                                                "CUDACXX", "cuda-nvcc"}));
}

}  // namespace

Signatures build_causes() {
  return {
      {.name = "host_compiler_too_new",
       .title = "nvcc does not take this host's compiler or C library: they are newer than it knows",
       .what =
           "nvcc gives the host's part of a program to gcc or clang, and its header refuses a version that is newer than "
           "those it was tried with. A newer C library may declare functions that CUDA's headers declare otherwise. The build ends; a program that was built before is as good as ever.",
       .confirms = "nvcc's host_config.h says that the version of GNU or clang is unsupported",
       .excludes = "the build uses an older compiler",
       .confused_with = {{"extension_build_mismatch",
                          "does the build name CUDA's version, or the compiler's?"},
                         {"old_toolkit_codegen", "does it name an architecture of a GPU?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next = "nvcc --version; gcc --version; install an older gcc and name it: NVCC_CCBIN=g++-12 (CMake: "
               "-DCMAKE_CUDA_HOST_COMPILER=g++-12), or use a newer toolkit",
       .reading = {"https://docs.nvidia.com/cuda/cuda-installation-guide-linux/index.html"},
       .examine = examine_host_compiler},
      {.name = "toolkit_missing",
       .title = "A build needs CUDA's toolkit, and finds none",
       .what =
           "The driver runs programs of CUDA, and the toolkit compiles them; wheels bring the libraries without the "
           "compiler. A package that compiles kernels when it is installed looks for nvcc in CUDA_HOME, in PATH or in "
           "/usr/local/cuda.",
       .confirms = "the build says that CUDA_HOME is not set, or that there is no nvcc",
       .excludes = "nvcc is found, and is of another version than the framework's CUDA",
       .confused_with = {{"extension_build_mismatch", "is nvcc missing, or of another version?"},
                         {"missing_cuda_libraries", "does a build fail, or a program that is built?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next =
           "which nvcc; echo $CUDA_HOME; install the toolkit of the framework's CUDA (python -c 'import torch; "
           "print(torch.version.cuda)') and name its folder in CUDA_HOME, or take a wheel that is built",
       .reading = {"https://docs.nvidia.com/cuda/cuda-installation-guide-linux/index.html"},
       .examine = examine_no_toolkit},
  };
}

}  // namespace gpugauge::diagnose
