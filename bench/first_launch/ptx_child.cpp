// The fresh process that hands its kernel to the driver as PTX.
#include "first_launch/child.hpp"
#include "first_launch/embedded_ptx.hpp"
#include "support/cuda/driver_entry.hpp"

namespace gpugauge::bench::first_launch {
namespace {

class Ptx {
 public:
  void run(std::uint64_t* values) {
    if (function_ == nullptr) load();
    void* arguments[] = {&values};
    cuda::check_driver(
        launch_(function_, 1, 1, 1, kernels::launch::first_threads, 1, 1, 0, nullptr, arguments, nullptr),
        "launching a first kernel");
    cuda::check(cudaDeviceSynchronize(), "waiting for a first kernel");
  }
  CodeVersions versions() const {
    return {attribute(CU_FUNC_ATTRIBUTE_PTX_VERSION), attribute(CU_FUNC_ATTRIBUTE_BINARY_VERSION)};
  }

 private:
  // The module lives as long as the process.
  void load() {
    CUmodule module = nullptr;
    cuda::check_driver(load_(&module, text_.c_str()), "loading PTX");
    cuda::check_driver(find_(&function_, module, "first_kernel"), "looking up a kernel of PTX");
  }
  int attribute(CUfunction_attribute which) const {
    int value = 0;
    cuda::check_driver(ask_(&value, which, function_), "asking about a kernel");
    return value;
  }

  const std::string text_ = embedded_ptx().at(0).text;
  const decltype(&::cuModuleLoadData) load_ =
      cuda::driver_entry<decltype(&::cuModuleLoadData)>("cuModuleLoadData");
  const decltype(&::cuModuleGetFunction) find_ =
      cuda::driver_entry<decltype(&::cuModuleGetFunction)>("cuModuleGetFunction");
  const decltype(&::cuLaunchKernel) launch_ =
      cuda::driver_entry<decltype(&::cuLaunchKernel)>("cuLaunchKernel");
  const decltype(&::cuFuncGetAttribute) ask_ =
      cuda::driver_entry<decltype(&::cuFuncGetAttribute)>("cuFuncGetAttribute");
  CUfunction function_ = nullptr;
};

const Child child{ptx_child, time_first_launch<Ptx>};

}  // namespace
}  // namespace gpugauge::bench::first_launch
