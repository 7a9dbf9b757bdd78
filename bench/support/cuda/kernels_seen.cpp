// Records the names of an operation's kernels through CUPTI, which is opened at run time.
#include "support/cuda/kernels_seen.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/cuda/error.hpp"
#include "support/cuda/mapped.hpp"
#include "support/kernel_name.hpp"
#include "support/trial.hpp"

#if __has_include(<cupti.h>)
#include <cupti.h>
#define GPUGAUGE_HAS_CUPTI 1
#endif

namespace gpugauge::bench::cuda {

#if defined(GPUGAUGE_HAS_CUPTI)

namespace {

#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
#else
using KernelRecord = CUpti_ActivityKernel8;  // later versions only append to it
#endif

constexpr const char* names_switch = "GPUGAUGE_KERNEL_NAMES";
constexpr std::size_t buffer_bytes = 1 << 20;
constexpr std::size_t most_names = 16;
constexpr std::size_t longest_name = 300;

struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiGetResultString) result_string = nullptr;
  decltype(&cuptiFinalize) finalize = nullptr;
  std::string unusable;  ///< why it cannot be used

  std::string text(CUptiResult code) const {
    const char* words = nullptr;
    if (result_string == nullptr || result_string(code, &words) != CUPTI_SUCCESS || words == nullptr)
      return fmt::format("CUPTI error {}", static_cast<int>(code));
    return fmt::format("{} ({})", words, static_cast<int>(code));
  }
};

// The folders of the loaded libraries, which the loader itself does not search.
std::vector<std::string> folders() {
  std::vector<std::string> found;
  std::ifstream maps("/proc/self/maps");
  for (const auto& [name, paths] : mapped_libraries(maps)) {
    if (name == "libcuda") continue;  // the driver's folder
    const std::string path = paths.substr(0, paths.find(':'));
    const std::string folder = path.substr(0, path.rfind('/'));
    if (std::find(found.begin(), found.end(), folder) != found.end()) continue;
    found.push_back(folder);
    found.push_back(folder + "/../extras/CUPTI/lib64");
    found.push_back(folder + "/../../../extras/CUPTI/lib64");
  }
  return found;
}

template <typename Function>
void find(void* library, const char* name, Function& function, Cupti& cupti) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) cupti.unusable = fmt::format("the CUPTI library has no {}", name);
}

Cupti open_cupti() {
  Cupti cupti;
  const std::string file = fmt::format("libcupti.so.{}", CUDART_VERSION / 1000);
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  for (const std::string& folder : library == nullptr ? folders() : std::vector<std::string>())
    if ((library = dlopen(fmt::format("{}/{}", folder, file).c_str(), RTLD_NOW | RTLD_LOCAL)) != nullptr)
      break;
  if (library == nullptr) {
    cupti.unusable = fmt::format("{} not found", file);
    return cupti;
  }
  find(library, "cuptiActivityRegisterCallbacks", cupti.register_callbacks, cupti);
  find(library, "cuptiActivityEnable", cupti.enable, cupti);
  find(library, "cuptiActivityDisable", cupti.disable, cupti);
  find(library, "cuptiActivityFlushAll", cupti.flush, cupti);
  find(library, "cuptiActivityGetNextRecord", cupti.next_record, cupti);
  find(library, "cuptiGetResultString", cupti.result_string, cupti);
  find(library, "cuptiFinalize", cupti.finalize, cupti);
  return cupti;
}

const Cupti& cupti() {
  static const Cupti opened = open_cupti();
  return opened;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  std::string out = status == 0 && text ? text.get() : name;
  if (out.size() > longest_name) out.resize(longest_name);
  return out;
}

// CUPTI calls back from a thread of its own, or from within the flush.
struct Records {
  std::mutex mutex;
  std::vector<std::string> names;
  bool wanted = false;
};

Records& records() {
  static Records kept;
  return kept;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  const std::unique_ptr<std::uint8_t, decltype(&std::free)> owned(buffer, &std::free);
  const std::lock_guard<std::mutex> lock(records().mutex);
  if (!records().wanted) return;
  CUpti_Activity* record = nullptr;
  while (valid > 0 && cupti().next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && record->kind != CUPTI_ACTIVITY_KIND_KERNEL)
      continue;
    const char* const name = reinterpret_cast<const KernelRecord*>(record)->name;
    if (name == nullptr) continue;
    std::string text = demangled(name);
    std::vector<std::string>& names = records().names;
    if (names.size() < most_names && std::find(names.begin(), names.end(), text) == names.end())
      names.push_back(std::move(text));
  }
}

/// Kernels are recorded while this object lives.
class Recording {
 public:
  Recording() {
    if (!cupti().unusable.empty()) {
      refused = cupti().unusable;
      return;
    }
    {
      const std::lock_guard<std::mutex> lock(records().mutex);
      records().names.clear();
      records().wanted = true;
    }
    CUptiResult code = cupti().register_callbacks(give_buffer, take_buffer);
    attached_ = code == CUPTI_SUCCESS;
    if (code == CUPTI_SUCCESS) code = cupti().enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    if (code == CUPTI_SUCCESS)
      enabled_ = true;
    else
      refused = fmt::format("CUPTI refused: {}", cupti().text(code));
  }
  ~Recording() { stop(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Ends the recording and returns the names.
  std::vector<std::string> stop() {
    if (attached_) cudaDeviceSynchronize();  // an operation that threw may have left work
    if (enabled_) {
      // If these two fail, names are missing, and the result says so. Nothing else can be done about it.
      cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
      cupti().disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
      enabled_ = false;
    }
    // Left attached, CUPTI would slow every later timed window of the process. Outside a callback, detaching
    // requires that the GPU was waited for and the buffers flushed (CUPTI's reference), as they are here.
    if (attached_) cupti().finalize();
    attached_ = false;
    const std::lock_guard<std::mutex> lock(records().mutex);
    records().wanted = false;
    return std::move(records().names);
  }

  std::string refused;  ///< why nothing is recorded

 private:
  bool attached_ = false;
  bool enabled_ = false;
};

}  // namespace

KernelsSeen kernels_of(const Trial& trial, cudaStream_t stream,
                       const std::function<void(cudaStream_t)>& operation) {
  KernelsSeen seen;
  if (const char* const asked = std::getenv(names_switch);
      asked != nullptr && std::strcmp(asked, "off") == 0) {
    seen.unknown_because = fmt::format("{}=off", names_switch);
    return seen;
  }
  check(cudaStreamSynchronize(stream), "waiting for the GPU");
  trial.keep_before(
      fmt::format("CUPTI read which kernels it launches ({}=off leaves that out), after {} was measured",
                  names_switch, trial.instance().id));
  Recording recording;
  if (!recording.refused.empty()) {
    seen.unknown_because = recording.refused;
    return seen;
  }
  operation(stream);
  check(cudaStreamSynchronize(stream), "waiting for the GPU");
  seen.names = recording.stop();
  if (seen.names.empty()) seen.unknown_because = "CUPTI recorded no kernel";
  return seen;
}

#else

KernelsSeen kernels_of(const Trial&, cudaStream_t, const std::function<void(cudaStream_t)>&) {
  return {{}, "this build was made without CUPTI's headers"};
}

#endif

void note_kernels(Trial& trial, const KernelsSeen& seen, const std::string& suffix) {
  if (seen.names.empty()) {
    trial.note("kernel_unknown" + suffix, fmt::format("kernel names unknown: {}", seen.unknown_because));
    return;
  }
  const KernelName parsed = parse_kernel_names(seen.names);
  trial.note("kernel" + suffix, fmt::format("{}", fmt::join(seen.names, "; ")));
  trial.note("kernel_path" + suffix, to_string(parsed.path));
  trial.note("kernel_architecture" + suffix, parsed.architecture.empty() ? "unknown" : parsed.architecture);
}

void note_kernels(Trial& trial, cudaStream_t stream, const std::function<void(cudaStream_t)>& operation,
                  const std::string& suffix) {
  note_kernels(trial, kernels_of(trial, stream, operation), suffix);
}

}  // namespace gpugauge::bench::cuda
