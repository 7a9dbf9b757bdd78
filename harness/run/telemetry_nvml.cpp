// The child's side of GPU telemetry. NVML's functions are declared here after its public reference and looked
// up at run time. The build therefore needs neither its header nor its stub library.
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

#include <dlfcn.h>
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
#include "stack/shared_object.hpp"

namespace gpugauge::run {
namespace {

using nlohmann::json;

using Device = NvmlGpu;
struct Utilization {
  unsigned gpu, memory;  // percent
};
struct Memory {
  unsigned long long total, free, used;  // byte
};
/// nvmlFieldValue_t: one field of nvmlDeviceGetFieldValues, and its answer.
struct FieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp, latency;
  unsigned type;  // which member of `value` holds the answer
  int code;       // result of this field; the call itself can succeed with a failed field
  union {
    double real;
    int whole;
    unsigned count;
    unsigned long long large;
  } value;
};
static_assert(sizeof(FieldValue) == 40);
constexpr unsigned field_memory_temperature = 82;
constexpr unsigned field_nvlink_megabytes_per_second = 164;  // of the link in `scope`, in one direction
constexpr unsigned nvlinks_most = 36;
constexpr unsigned nvlink_to_switch = 2;  // NVML_NVLINK_DEVICE_TYPE_SWITCH
constexpr unsigned type_unsigned_int = 1;
constexpr unsigned type_unsigned_long = 2;
constexpr unsigned type_unsigned_long_long = 3;
constexpr unsigned type_signed_int = 5;
constexpr int success = 0;
constexpr int gpu_is_lost = 15;
constexpr int clock_sm = 1;
constexpr int clock_memory = 2;
constexpr int sensor_gpu = 0;
constexpr unsigned performance_state_unknown = 32;

/// NVML's functions; null where this version lacks one.
struct Nvml {
  int (*init)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*device_count)(unsigned*) = nullptr;
  int (*device)(unsigned, Device*) = nullptr;
  int (*uuid)(Device, char*, unsigned) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*field_values)(Device, int, FieldValue*) = nullptr;
  int (*utilization)(Device, Utilization*) = nullptr;
  int (*throttle_reasons)(Device, unsigned long long*) = nullptr;
  int (*performance_state)(Device, unsigned*) = nullptr;
  int (*pcie_generation)(Device, unsigned*) = nullptr;
  int (*pcie_width)(Device, unsigned*) = nullptr;
  int (*pcie_generation_max)(Device, unsigned*) = nullptr;  // what GPU and slot support together
  int (*pcie_width_max)(Device, unsigned*) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*persistence)(Device, unsigned*) = nullptr;
  int (*nvlink_state)(Device, unsigned link, unsigned* is_active) = nullptr;
  int (*nvlink_other_end)(Device, unsigned link, unsigned* type) = nullptr;
};

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

Nvml load(void* library) {
  Nvml nvml;
  find(library, "nvmlInit_v2", nvml.init);
  find(library, "nvmlErrorString", nvml.error_string);
  find(library, "nvmlDeviceGetCount_v2", nvml.device_count);
  find(library, "nvmlDeviceGetHandleByIndex_v2", nvml.device);
  find(library, "nvmlDeviceGetUUID", nvml.uuid);
  find(library, "nvmlDeviceGetClockInfo", nvml.clock);
  find(library, "nvmlDeviceGetPowerUsage", nvml.power);
  find(library, "nvmlDeviceGetTemperature", nvml.temperature);
  find(library, "nvmlDeviceGetFieldValues", nvml.field_values);
  find(library, "nvmlDeviceGetUtilizationRates", nvml.utilization);
  find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml.throttle_reasons);
  if (nvml.throttle_reasons == nullptr)  // the newer name
    find(library, "nvmlDeviceGetCurrentClocksEventReasons", nvml.throttle_reasons);
  find(library, "nvmlDeviceGetPerformanceState", nvml.performance_state);
  find(library, "nvmlDeviceGetCurrPcieLinkGeneration", nvml.pcie_generation);
  find(library, "nvmlDeviceGetCurrPcieLinkWidth", nvml.pcie_width);
  find(library, "nvmlDeviceGetMaxPcieLinkGeneration", nvml.pcie_generation_max);
  find(library, "nvmlDeviceGetMaxPcieLinkWidth", nvml.pcie_width_max);
  find(library, "nvmlDeviceGetMemoryInfo", nvml.memory);
  find(library, "nvmlDeviceGetPersistenceMode", nvml.persistence);
  find(library, "nvmlDeviceGetNvLinkState", nvml.nvlink_state);
  find(library, "nvmlDeviceGetNvLinkRemoteDeviceType", nvml.nvlink_other_end);
  return nvml;
}

struct Gpu {
  Device device = nullptr;
  std::string uuid;
};

/// Stores `scale` x the answer under `name`; nothing when NVML has no answer.
void ask(json& sample, const char* name, double scale, int (*function)(Device, unsigned*), Device device) {
  unsigned value = 0;
  if (function != nullptr && function(device, &value) == success) sample[name] = scale * value;
}

/// Like ask(), for functions that take one of several clocks or sensors.
void ask(json& sample, const char* name, double scale, int (*function)(Device, int, unsigned*), Device device,
         int which) {
  unsigned value = 0;
  if (function != nullptr && function(device, which, &value) == success) sample[name] = scale * value;
}

/// A field's whole-number value; nullopt if the driver does not know the field or the model lacks it.
std::optional<double> field_of(const Nvml& nvml, Device device, unsigned field, unsigned scope = 0) {
  if (nvml.field_values == nullptr) return std::nullopt;
  FieldValue asked{};
  asked.field = field;
  asked.scope = scope;
  asked.code = -1;  // if NVML leaves it unchanged, there is no answer
  if (nvml.field_values(device, 1, &asked) != success || asked.code != success) return std::nullopt;
  switch (asked.type) {
    case type_unsigned_int:
      return asked.value.count;
    case type_unsigned_long:
    case type_unsigned_long_long:
      return static_cast<double>(asked.value.large);
    case type_signed_int:
      return asked.value.whole;
    default:
      return std::nullopt;
  }
}

/// True when the GPU fell off the bus (Xid 79) or answers nothing until a reset.
bool is_lost(const Nvml& nvml, const Gpu& gpu) {
  unsigned value = 0;
  return nvml.temperature != nullptr && nvml.temperature(gpu.device, sensor_gpu, &value) == gpu_is_lost;
}

json sample_gpu(const Nvml& nvml, const Gpu& gpu) {
  json sample{{"uuid", gpu.uuid}};
  if (is_lost(nvml, gpu)) {
    sample["lost"] = 1;
    return sample;
  }
  ask(sample, "sm_clock_hz", 1e6, nvml.clock, gpu.device, clock_sm);
  ask(sample, "memory_clock_hz", 1e6, nvml.clock, gpu.device, clock_memory);
  ask(sample, "power_watts", 1e-3, nvml.power, gpu.device);
  ask(sample, "temperature_celsius", 1, nvml.temperature, gpu.device, sensor_gpu);
  if (const auto celsius = field_of(nvml, gpu.device, field_memory_temperature))
    sample["memory_temperature_celsius"] = *celsius;
  ask(sample, "pcie_generation", 1, nvml.pcie_generation, gpu.device);
  ask(sample, "pcie_width", 1, nvml.pcie_width, gpu.device);
  ask(sample, "pcie_generation_max", 1, nvml.pcie_generation_max, gpu.device);
  ask(sample, "pcie_width_max", 1, nvml.pcie_width_max, gpu.device);
  ask(sample, "persistence", 1, nvml.persistence, gpu.device);
  ask(sample, "performance_state", 1, nvml.performance_state, gpu.device);
  if (sample.value("performance_state", 0.0) == performance_state_unknown) sample.erase("performance_state");
  Utilization utilization{};
  if (nvml.utilization != nullptr && nvml.utilization(gpu.device, &utilization) == success) {
    sample["utilization"] = utilization.gpu / 100.0;
    sample["memory_utilization"] = utilization.memory / 100.0;
  }
  unsigned long long reasons = 0;
  if (nvml.throttle_reasons != nullptr && nvml.throttle_reasons(gpu.device, &reasons) == success)
    sample["throttle_reasons"] = reasons;
  Memory memory{};
  if (nvml.memory != nullptr && nvml.memory(gpu.device, &memory) == success)
    sample["memory_used_bytes"] = memory.used;
  return sample;
}

/// Stores the number and speed of the GPU's NVLinks; nothing where it has none. Asks link by link, which takes
/// time: never in a sample that somebody waits for.
void ask_nvlinks(json& sample, const Nvml& nvml, Device device) {
  if (nvml.nvlink_state == nullptr) return;
  int links = 0, active = 0, to_switch = 0, with_speed = 0;
  double megabytes = 0;
  for (unsigned link = 0; link < nvlinks_most; ++link) {
    unsigned value = 0;
    if (nvml.nvlink_state(device, link, &value) != success) continue;  // the GPU does not have this link
    ++links;
    if (value == 0) continue;
    ++active;
    if (nvml.nvlink_other_end != nullptr && nvml.nvlink_other_end(device, link, &value) == success)
      to_switch += value == nvlink_to_switch ? 1 : 0;
    const auto speed = field_of(nvml, device, field_nvlink_megabytes_per_second, link);
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
void ask_neighbours(json& sample, const NvmlNeighbours& neighbours, Device device) {
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
json last_sample(const Nvml& nvml, NvmlHealth& health, const std::vector<Gpu>& gpus) {
  json samples = json::array();
  for (const Gpu& gpu : gpus) {
    json sample{{"uuid", gpu.uuid}};
    if (is_lost(nvml, gpu)) {
      sample["lost"] = 1;
    } else {
      ask_health(sample, health, gpu);
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

json nvlinks_of(const Nvml& nvml, const std::vector<Gpu>& gpus) {
  json samples = json::array();
  for (const Gpu& gpu : gpus) {
    json sample{{"uuid", gpu.uuid}};
    ask_nvlinks(sample, nvml, gpu.device);
    if (sample.size() > 1) samples.push_back(std::move(sample));
  }
  return samples;
}

int fail(int output, const std::string& sentence) {
  print(output, {{"error", sentence}});
  return 1;
}

/// Opens NVML and finds its GPUs. Returns why that is not possible, one sentence; "" if at least one was found.
std::string begin(const std::string& library, void*& handle, Nvml& nvml, std::vector<Gpu>& gpus) {
  if (const std::string refused = stack::refused_library(library); !refused.empty())
    return fmt::format("{} cannot be opened ({}).", library, refused);
  handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    return fmt::format("{} cannot be opened ({}).", library, why != nullptr ? why : "no reason given");
  }
  nvml = load(handle);
  if (nvml.init == nullptr || nvml.device_count == nullptr || nvml.device == nullptr || nvml.uuid == nullptr)
    return fmt::format("{} lacks functions that every NVML has: it is not NVIDIA's library.", library);
  if (const int error = nvml.init(); error != success)
    return fmt::format("NVML cannot start: error {}{}.", error,
                       nvml.error_string != nullptr ? fmt::format(" ({})", nvml.error_string(error)) : "");
  unsigned count = 0;
  if (const int error = nvml.device_count(&count); error != success)
    return fmt::format("NVML cannot count the GPUs: error {}.", error);
  for (unsigned index = 0; index < count; ++index) {
    Gpu gpu;
    std::array<char, 96> uuid{};
    if (nvml.device(index, &gpu.device) != success) continue;  // lost, or not visible to us
    if (nvml.uuid(gpu.device, uuid.data(), static_cast<unsigned>(uuid.size())) != success) continue;
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

int telemetry_main(double interval_seconds, const std::string& library) {
  signal(SIGPIPE, SIG_IGN);
  const EndSignal end_signal;
  const int output = stack::take_standard_output();
  const auto parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);  // NVML may hang, and no child may outlive the command
  void* handle = nullptr;
  Nvml nvml;
  std::vector<Gpu> gpus;
  if (const std::string fault = begin(library, handle, nvml, gpus); !fault.empty())
    return fail(output, fault);
  const NvmlNeighbours neighbours(handle);
  NvmlHealth health(handle);
  for (const Gpu& gpu : gpus) health.listen(gpu.device);
  auto next = std::chrono::steady_clock::now();
  const auto interval = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(std::max(interval_seconds, .05)));
  for (int number = 0; getppid() == parent; ++number) {
    json samples = json::array();
    for (const auto& gpu : gpus) {
      samples.push_back(sample_gpu(nvml, gpu));
      if (samples.back().contains("lost")) continue;
      // NVLinks take longer: not in the first sample, which the parent waits for.
      if (number == 0) {
        ask_neighbours(samples.back(), neighbours, gpu.device);
        ask_health(samples.back(), health, gpu);
      }
      if (number == 1) ask_nvlinks(samples.back(), nvml, gpu.device);
    }
    if (!print(output, {{"gpus", samples}}) || !print_errors(output, health, gpus)) return 0;
    next += interval;
    const auto now = std::chrono::steady_clock::now();
    if (next < now) next = now;  // NVML was slow: skip missed samples
    if (!end_signal.came_until(next)) continue;
    // The parent gives this process a second more: what matters most comes first.
    if (print(output, {{"gpus", last_sample(nvml, health, gpus)}}) && print_errors(output, health, gpus))
      print(output, {{"gpus", nvlinks_of(nvml, gpus)}});
    return 0;
  }
  return 0;
}

}  // namespace gpugauge::run
