// The child's side of GPU telemetry.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "result/gpu_health.hpp"
#include "result/gpu_series.hpp"
#include "run/nvml_health.hpp"
#include "run/nvml_neighbours.hpp"
#include "run/runner.hpp"
#include "stack/child_output.hpp"
#include "stack/nvml.hpp"

namespace gpugauge::run {
namespace {

using nlohmann::json;

namespace nvml = stack::nvml;
using stack::call_nvml;
using stack::EntryPoint;
using stack::SharedObject;

struct Gpu {
  nvml::Device device = nullptr;
  std::string uuid;
};

/// Stores `scale` x the answer under `name`; nothing when NVML has no answer.
void ask(json& sample, const char* name, double scale, const SharedObject& library,
         EntryPoint<nvml::Word> entry, nvml::Device device) {
  unsigned value = 0;
  if (call_nvml(library, entry, device, &value) == nvml::success) sample[name] = scale * value;
}

/// Like ask(), in MHz, for one of several clocks.
void ask_clock(json& sample, const char* name, const SharedObject& library, nvml::Device device, int which) {
  unsigned value = 0;
  if (call_nvml(library, nvml::clock, device, which, &value) == nvml::success) sample[name] = 1e6 * value;
}

/// A field's whole-number value; nullopt if the driver does not know the field or the model lacks it.
std::optional<double> field_of(const SharedObject& library, nvml::Device device, unsigned field,
                               unsigned scope = 0) {
  nvml::FieldValue asked{};
  asked.field = field;
  asked.scope = scope;
  asked.code = -1;  // if NVML leaves it unchanged, there is no answer
  if (call_nvml(library, nvml::field_values, device, 1, &asked) != nvml::success ||
      asked.code != nvml::success)
    return std::nullopt;
  switch (asked.type) {
    case nvml::type_unsigned_int:
      return asked.value.count;
    case nvml::type_unsigned_long:
    case nvml::type_unsigned_long_long:
      return static_cast<double>(asked.value.large);
    case nvml::type_signed_int:
      return asked.value.whole;
    default:
      return std::nullopt;
  }
}

json sample_gpu(const SharedObject& library, const Gpu& gpu) {
  json sample{{"uuid", gpu.uuid}};
  const stack::NvmlTemperature temperature = stack::nvml_temperature(library, gpu.device);
  if (temperature.code == nvml::gpu_is_lost) {  // off the bus (Xid 79), or without answers until a reset
    sample["lost"] = 1;
    return sample;
  }
  ask_clock(sample, "sm_clock_hz", library, gpu.device, nvml::clock_sm);
  ask_clock(sample, "memory_clock_hz", library, gpu.device, nvml::clock_memory);
  ask(sample, "power_watts", 1e-3, library, nvml::power_usage, gpu.device);
  if (temperature.code == nvml::success) sample["temperature_celsius"] = 1.0 * temperature.celsius;
  if (const auto celsius = field_of(library, gpu.device, nvml::field_memory_temperature))
    sample["memory_temperature_celsius"] = *celsius;
  ask(sample, "pcie_generation", 1, library, nvml::pcie_generation, gpu.device);
  ask(sample, "pcie_width", 1, library, nvml::pcie_width, gpu.device);
  ask(sample, "pcie_generation_max", 1, library, nvml::pcie_generation_max, gpu.device);
  ask(sample, "pcie_width_max", 1, library, nvml::pcie_width_max, gpu.device);
  ask(sample, "persistence", 1, library, nvml::persistence, gpu.device);
  ask(sample, "performance_state", 1, library, nvml::performance_state, gpu.device);
  if (sample.value("performance_state", 0.0) == nvml::pstate_unknown) sample.erase("performance_state");
  nvml::Utilization utilization{};
  if (call_nvml(library, nvml::utilization, gpu.device, &utilization) == nvml::success) {
    sample["utilization"] = utilization.gpu / 100.0;
    sample["memory_utilization"] = utilization.memory / 100.0;
  }
  if (const auto reasons = stack::nvml_throttle_reasons(library, gpu.device); reasons.code == nvml::success)
    sample["throttle_reasons"] = reasons.bits;
  nvml::Memory memory{};
  if (call_nvml(library, nvml::memory, gpu.device, &memory) == nvml::success)
    sample["memory_used_bytes"] = memory.used;
  return sample;
}

/// Stores the number and speed of the GPU's NVLinks; nothing where it has none. Asks link by link, which takes
/// time: never in a sample that somebody waits for.
void ask_nvlinks(json& sample, const SharedObject& library, nvml::Device device) {
  int links = 0, active = 0, to_switch = 0, with_speed = 0;
  double megabytes = 0;
  for (unsigned link = 0; link < nvml::nvlinks_most; ++link) {
    unsigned value = 0;
    const int code = call_nvml(library, nvml::nvlink_state, device, link, &value);
    if (code == nvml::function_not_found) return;
    if (code != nvml::success) continue;  // the GPU does not have this link
    ++links;
    if (value == 0) continue;
    ++active;
    if (call_nvml(library, nvml::nvlink_other_end, device, link, &value) == nvml::success)
      to_switch += value == nvml::nvlink_to_switch ? 1 : 0;
    const auto speed = field_of(library, device, nvml::field_nvlink_megabytes_per_second, link);
    if (!speed || !(*speed > 0)) continue;
    ++with_speed;
    megabytes += *speed;
  }
  if (links == 0) return;
  sample["nvlinks_active"] = active;
  sample["nvlinks_down"] = links - active;
  sample["nvlinks_to_switch"] = to_switch;
  if (active > 0 && with_speed == active) sample["nvlink_bytes_per_second"] = 1e6 * megabytes;
}

/// Stores who else used the GPU before any family was started; nothing where NVML does not tell it.
void ask_neighbours(json& sample, const NvmlNeighbours& neighbours, nvml::Device device) {
  if (const auto count = neighbours.processes(device)) sample[result::processes_before_series] = *count;
  if (sample.contains("utilization")) sample[result::utilization_before_series] = sample["utilization"];
}

/// Stores what seldom or never changes; called at the start and end of the run.
void ask_health(json& sample, NvmlHealth& health, const Gpu& gpu) {
  for (const NvmlHealth::Value& value : health.ask(gpu.device))
    sample[std::string(value.series)] = value.value;
}

/// Writes one line at once; false when there is no reader any more.
bool print(int output, const json& line) {
  return stack::write_line(output, line.dump(-1, ' ', false, json::error_handler_t::replace));
}

/// Blocks SIGTERM from here on: whoever sends it wants the GPUs' final state.
class EndSignal {
 public:
  EndSignal() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  /// Waits until the signal arrives or `time` is reached; returns true if it arrived.
  bool came_until(std::chrono::steady_clock::time_point time) const {
    using std::chrono::nanoseconds;
    while (true) {
      const auto left = std::max(nanoseconds(0), nanoseconds(time - std::chrono::steady_clock::now()));
      constexpr std::int64_t second = 1'000'000'000;
      const timespec wait{static_cast<std::time_t>(left.count() / second),
                          static_cast<long>(left.count() % second)};
      if (sigtimedwait(&signals_, nullptr, &wait) == SIGTERM) return true;
      if (errno != EINTR) return false;
    }
  }

 private:
  sigset_t signals_{};
};

/// The last sample, which shows the GPUs at the end of the run.
json last_sample(const SharedObject& library, NvmlHealth& health, const std::vector<Gpu>& gpus) {
  json samples = json::array();
  for (const Gpu& gpu : gpus) {
    json sample{{"uuid", gpu.uuid}};
    if (stack::nvml_temperature(library, gpu.device).code == nvml::gpu_is_lost) {
      sample["lost"] = 1;
    } else {
      ask_health(sample, health, gpu);
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

json nvlinks_of(const SharedObject& library, const std::vector<Gpu>& gpus) {
  json samples = json::array();
  for (const Gpu& gpu : gpus) {
    json sample{{"uuid", gpu.uuid}};
    ask_nvlinks(sample, library, gpu.device);
    if (sample.size() > 1) samples.push_back(std::move(sample));
  }
  return samples;
}

int fail(int output, const std::string& sentence) {
  print(output, {{"error", sentence}});
  return 1;
}

/// Starts NVML and finds its GPUs. Returns why that is not possible, one sentence; "" if at least one was
/// found.
std::string begin(const std::string& name, const SharedObject& library, std::vector<Gpu>& gpus) {
  if (!library.opened().opened) return fmt::format("{} cannot be opened ({}).", name, library.opened().error);
  if (library.find(nvml::init) == nullptr || library.find(nvml::device_count) == nullptr ||
      library.find(nvml::device_by_index) == nullptr || library.find(nvml::uuid) == nullptr)
    return fmt::format("{} lacks functions that every NVML has: it is not NVIDIA's library.", name);
  if (const int error = call_nvml(library, nvml::init); error != nvml::success) {
    auto* const sentence_of = library.find(nvml::error_string);
    return fmt::format("NVML cannot start: error {}{}.", error,
                       sentence_of != nullptr ? fmt::format(" ({})", sentence_of(error)) : "");
  }
  unsigned count = 0;
  if (const int error = call_nvml(library, nvml::device_count, &count); error != nvml::success)
    return fmt::format("NVML cannot count the GPUs: error {}.", error);
  for (unsigned index = 0; index < count; ++index) {
    Gpu gpu;
    std::array<char, 96> uuid{};
    // One that does not answer is lost, or not visible to us.
    if (call_nvml(library, nvml::device_by_index, index, &gpu.device) != nvml::success) continue;
    if (call_nvml(library, nvml::uuid, gpu.device, uuid.data(), static_cast<unsigned>(uuid.size())) !=
        nvml::success)
      continue;
    gpu.uuid = uuid.data();
    gpus.push_back(gpu);
  }
  return gpus.empty() ? "NVML shows no GPU." : "";
}

/// Prints the Xids that came since the last call. Returns false if nobody reads them any more.
bool print_errors(int output, NvmlHealth& health, const std::vector<Gpu>& gpus) {
  for (const NvmlHealth::Error& error : health.errors()) {
    const auto gpu =
        std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& one) { return one.device == error.gpu; });
    if (gpu == gpus.end()) continue;
    const json sample{{"uuid", gpu->uuid}, {result::xid_series, error.number}};
    if (!print(output, {{"gpus", json::array({sample})}})) return false;
  }
  return true;
}

}  // namespace

int telemetry_main(double interval_seconds, const std::string& name) {
  signal(SIGPIPE, SIG_IGN);
  const EndSignal end_signal;
  const int output = stack::take_standard_output();
  const auto parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);  // NVML may hang, and no child may outlive the command
  // Not stack::Nvml, which shuts NVML down: with a broken driver that may hang.
  const SharedObject library(name);
  std::vector<Gpu> gpus;
  if (const std::string fault = begin(name, library, gpus); !fault.empty()) return fail(output, fault);
  const NvmlNeighbours neighbours(library);
  NvmlHealth health(library);
  for (const Gpu& gpu : gpus) health.listen(gpu.device);
  auto next = std::chrono::steady_clock::now();
  const auto interval = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(std::max(interval_seconds, .05)));
  for (int number = 0; getppid() == parent; ++number) {
    json samples = json::array();
    for (const auto& gpu : gpus) {
      samples.push_back(sample_gpu(library, gpu));
      if (samples.back().contains("lost")) continue;
      // NVLinks take longer: not in the first sample, which the parent waits for.
      if (number == 0) {
        ask_neighbours(samples.back(), neighbours, gpu.device);
        ask_health(samples.back(), health, gpu);
      }
      if (number == 1) ask_nvlinks(samples.back(), library, gpu.device);
    }
    if (!print(output, {{"gpus", samples}}) || !print_errors(output, health, gpus)) return 0;
    next += interval;
    const auto now = std::chrono::steady_clock::now();
    if (next < now) next = now;  // NVML was slow: skip missed samples
    if (!end_signal.came_until(next)) continue;
    // The parent gives this process a second more: what matters most comes first.
    if (print(output, {{"gpus", last_sample(library, health, gpus)}}) && print_errors(output, health, gpus))
      print(output, {{"gpus", nvlinks_of(library, gpus)}});
    return 0;
  }
  return 0;
}

}  // namespace gpugauge::run
