#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "first_launch/mode.hpp"
#include "first_launch/samples.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/environment.hpp"
#include "support/statistics.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::first_launch {
namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

std::size_t files_in(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, ignored))
    files += entry.is_regular_file(ignored) ? 1 : 0;
  return files;
}

void skip_where_nothing_is_compiled(Trial& trial) {
  for (const char* name : {"CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT"})
    if (is_set(name)) trial.skip(fmt::format("{} is set: the driver is to compile no PTX", name));
  const cuda::StartUp& start = cuda::start_up();
  if (refuses_ptx(start.driver_version, start.runtime_version))
    trial.skip(fmt::format("the driver supports CUDA {}: it compiles no PTX of CUDA {}",
                           cuda::cuda_version_text(start.driver_version),
                           cuda::cuda_version_text(start.runtime_version)));
}

void kernel(Trial& trial) {
  const std::string& mode = trial.parameter("mode");
  if (is_jit(mode)) skip_where_nothing_is_compiled(trial);
  FreshFolders folders;
  std::filesystem::path cache = folders.next();
  const Sampled sampled = sample(trial, [&] {
    if (mode == jit_cold) cache = folders.next();
    FreshProcess process = own_child(is_jit(mode) ? ptx_child : machine_code_child);
    process.environment = environment_of(mode, cache.string());
    return process;
  });
  const std::vector<FreshResult>& results = sampled.results;
  for (const FreshResult& result : results)
    if (const auto why = why_not_shown(mode, static_cast<int>(result.report.at(key::ptx_version)),
                                       static_cast<int>(result.report.at(key::binary_version))))
      trial.skip(*why);
  if (is_jit(mode)) trial.note("cache_files", std::to_string(files_in(cache)));
  if (mode == jit_warm) {
    std::vector<double> warm;
    warm.reserve(results.size());
    for (const FreshResult& result : results) warm.push_back(result.report.at(key::first_launch));
    trial.note("cache_used", cache_used(sampled.before.report.at(key::first_launch), median(std::move(warm)),
                                        files_in(cache)));
  }

  const auto add = [&](const char* name, const char* metric_class) {
    add_times(trial, sampled, name, metric_class, steady_resolution_seconds(),
              [&](const FreshResult& result) { return result.report.at(name); });
  };
  add(key::first_launch, "first_launch");
  add(key::second_launch, "first_launch");
  add(key::until_first_result, "init");
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "In a fresh process: the first launch of a kernel until it has ended, the second one, and the "
            "time from the first CUDA call to the first result. lazy: machine code, loaded at the launch; "
            "eager: all machine code of the executable, loaded with the context; jit_cold: PTX that is handed "
            "to the driver (cuModuleLoadData) and that it compiles, with an empty cache; jit_warm: the same with "
            "the cache that the process before has filled. The note cache_used says whether the driver seems "
            "to have taken it from there, and cache_files how many files lie in it")
        .bad_value(
            "a slow processor or file system, an attached tool, CUDA_MODULE_LOADING=EAGER; cache_files is 0: "
            "the cache is switched off, full or cannot be written; a driver regression")
        .axis("mode", {lazy, eager, jit_cold, jit_warm})
        .from(Depth::quick, "mode", {lazy})
        .from(Depth::deep, "mode", {eager, jit_cold, jit_warm})
        .window_share(2)  // a process takes most of a second
        .custom_metrics({"first_launch", "init"})
        .requires_gpu()
        .body(kernel)};

}  // namespace
}  // namespace gpugauge::bench::first_launch
