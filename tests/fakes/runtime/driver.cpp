// The driver's functions that take PTX, with a compute cache: for the family first_launch. "Compiling" takes a
// while and leaves a file in CUDA_CACHE_PATH, which makes the next process quick; not with CUDA_CACHE_DISABLE,
// and with CUDA_FORCE_PTX_JIT the file is left and not used.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include <cuda.h>

#include "fakes/runtime/plan.hpp"
#include "kernels/launch/first.hpp"

namespace {

// The one module of a process.
std::string& loaded() {
  static std::string text;
  return text;
}

bool is_on(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && std::string_view(value) == "1";
}

void compile() {
  const char* const cache = std::getenv("CUDA_CACHE_PATH");
  const bool keeps = cache != nullptr && !is_on("CUDA_CACHE_DISABLE");
  const std::filesystem::path kept = std::filesystem::path(keeps ? cache : "/") / "compiled";
  if (keeps && std::filesystem::exists(kept) && !is_on("CUDA_FORCE_PTX_JIT")) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  if (keeps) std::ofstream(kept) << "code";
}

CUresult load(CUmodule* module, const void* image) {
  loaded() = static_cast<const char*>(image);
  *module = reinterpret_cast<CUmodule>(&loaded());
  const auto told = static_cast<CUresult>(fake::runtime::enter("cuModuleLoadData"));
  if (told == CUDA_SUCCESS) compile();
  return told;
}

CUresult find(CUfunction* function, CUmodule, const char* name) {
  *function = reinterpret_cast<CUfunction>(&loaded());
  return loaded().find(".entry " + std::string(name) + "(") == std::string::npos ? CUDA_ERROR_NOT_FOUND
                                                                                 : CUDA_SUCCESS;
}

CUresult launch(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                void** arguments, void**) {
  auto* const values = *static_cast<std::uint64_t**>(arguments[0]);
  for (int i = 0; i < gpugauge::kernels::launch::first_threads; ++i)
    values[i] = gpugauge::kernels::launch::first_value(static_cast<std::uint64_t>(i));
  return static_cast<CUresult>(fake::runtime::enter("cuLaunchKernel"));
}

CUresult ask(int* value, CUfunction_attribute attribute, CUfunction) {
  constexpr std::string_view target = ".target sm_";
  const std::size_t at = loaded().find(target);
  if (at == std::string::npos) return CUDA_ERROR_INVALID_PTX;
  *value = attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION ? std::stoi(loaded().substr(at + target.size()))
                                                      : fake::runtime::capability();
  return CUDA_SUCCESS;
}

void* function(std::string_view name) {
  if (name == "cuModuleLoadData") return reinterpret_cast<void*>(load);
  if (name == "cuModuleGetFunction") return reinterpret_cast<void*>(find);
  if (name == "cuLaunchKernel") return reinterpret_cast<void*>(launch);
  if (name == "cuFuncGetAttribute") return reinterpret_cast<void*>(ask);
  return nullptr;
}

[[maybe_unused]] const bool named = [] {
  fake::runtime::driver_function = function;
  return true;
}();

}  // namespace
