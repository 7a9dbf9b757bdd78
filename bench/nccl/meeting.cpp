// Meets the ranks that a launcher started, before CUDA makes a context, and adds their facts.
#include "nccl/meeting.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <thread>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nccl.h>
#include <unistd.h>

#include "result/build.hpp"
#include "result/error.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/environment.hpp"
#include "support/environment.hpp"
#include "support/family.hpp"
#include "support/ranks/agreement.hpp"
#include "support/scratch.hpp"

namespace gpugauge::bench {
extern const char* const family_source_hash;
}  // namespace gpugauge::bench

namespace gpugauge::bench::nccl {

namespace {

struct Meeting {
  std::optional<ranks::Launch> launch;
  std::unique_ptr<ranks::Channel> channel;
  std::optional<std::string> problem;
  std::unique_ptr<result::TemporaryDirectory>
      scratch;      ///< folder of NCCL's logs; none where the user takes them
  std::string job;  ///< rank 0's name for the job; this process's own where ranks did not meet
};

Meeting& meeting() {
  static Meeting here;
  return here;
}

/// The version of the running kernel module; "unknown" where /proc does not show it.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  static const std::regex pattern(R"(\s(\d+\.\d+(\.\d+)?)\s)");
  std::smatch match;
  return std::getline(file, line) && std::regex_search(line, match, pattern) ? match[1].str() : "unknown";
}

/// The plugin that NCCL would load: its file name, size and newest interface; "none" where there is none.
std::string plugin() {
  const char* const asked = std::getenv("NCCL_NET_PLUGIN");
  std::string name = "libnccl-net.so";
  if (asked != nullptr && *asked != '\0') {
    const std::string text = asked;
    if (text == "none") return "none";
    name = text.find(".so") != std::string::npos ? text : fmt::format("libnccl-net-{}.so", text);
  }
  void* const library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return "none";
  for (int version = 20; version >= 4; --version) {
    void* const symbol = dlsym(library, fmt::format("ncclNetPlugin_v{}", version).c_str());
    if (symbol == nullptr) continue;
    Dl_info info{};
    std::error_code fault;
    if (dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return fmt::format("interface v{}", version);
    const auto path = std::filesystem::canonical(info.dli_fname, fault);
    const auto size = std::filesystem::file_size(path, fault);
    return fmt::format("{}, {} bytes, interface v{}", path.filename().string(), fault ? 0 : size, version);
  }
  return fmt::format("{} without an interface that is known", name);
}

std::string nccl_version() {
  int version = 0;
  if (ncclGetVersion(&version) != ncclSuccess) return "unknown";
  return fmt::format("{}.{}.{}", version / 10'000, version / 100 % 100, version % 100);
}

/// Chooses one GPU per rank: where all GPUs of a node are visible, the one with the local rank's number. A
/// launcher that assigned one has done so already.
void choose_gpu(const ranks::Launch& launch) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  std::string own = std::to_string(launch.local_rank);
  if (visible != nullptr) {
    std::string rest = visible;
    if (rest.find(',') == std::string::npos) return;
    for (int skip = launch.local_rank; skip > 0; --skip) {
      const std::size_t comma = rest.find(',');
      rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    }
    own = rest.substr(0, rest.find(','));
    if (own.empty()) return;  // fewer GPUs than ranks: two ranks then name the same GPU, which is reported
  }
  setenv("CUDA_VISIBLE_DEVICES", own.c_str(), 1);
}

std::string host_name() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return host;
}

result::Facts facts_of(const std::optional<std::string>& no_gpu, const std::string& job) {
  const cuda::StartUp& start = cuda::start_up();
  result::Facts facts{{"host", host_name()},
                      {"job", job},
                      {"suite", result::build().version},
                      {"source_hash", family_source_hash},
                      {"driver", driver_version()},
                      {"cuda.driver", cuda::cuda_version_text(start.driver_version)},
                      {"cuda.runtime", cuda::cuda_version_text(start.runtime_version)},
                      {"nccl", nccl_version()},
                      {"nccl.plugin", plugin()}};
  if (no_gpu)
    facts["error"] = *no_gpu;
  else
    facts["gpu.uuid"] = cuda::device().uuid;
  return facts;
}

std::optional<std::string> meet() {
  Meeting& here = meeting();
  here.launch = ranks::find_launch();
  if (here.launch) choose_gpu(*here.launch);
  auto no_gpu = cuda::why_unavailable(cuda::start_up());
  if (!here.launch) return no_gpu;
  here.job = ranks::job_word(host_name(), std::time(nullptr), getpid());
  try {
    here.channel = std::make_unique<ranks::Channel>(*here.launch);
    ranks::Texts flat;
    for (const auto& [name, value] : facts_of(no_gpu, here.job)) {
      flat.push_back(name);
      flat.push_back(value);
    }
    ranks::RankFacts all;
    for (const std::string& text :
         here.channel->exchange("versions", ranks::encode(flat), here.launch->patience_seconds)) {
      const ranks::Texts pairs = ranks::decode(text).value_or(ranks::Texts{});
      result::Facts facts;
      for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) facts[pairs[i]] = pairs[i + 1];
      all.push_back(std::move(facts));
    }
    // It came over the network and becomes part of a file's name.
    constexpr std::size_t longest = 120;
    if (const std::string job = all.front()["job"]; !job.empty())
      here.job = result::host_word(job.substr(0, longest));
    here.problem = ranks::disagreement(all);
  } catch (const ranks::Parted& parted) {
    here.problem = parted.what();
  }
  return here.problem;
}

// A log that the user wants is left alone; otherwise logging is switched on, into a file.
bool log_is_the_users() {
  static const bool is = [] {
    const char* const level = std::getenv("NCCL_DEBUG");
    const std::string asked = level == nullptr ? "" : level;
    return asked == "INFO" || asked == "TRACE" || std::getenv("NCCL_DEBUG_FILE") != nullptr;
  }();
  return is;
}

void ask_for_log() {
  if (log_is_the_users()) return;
  try {
    meeting().scratch = make_scratch_folder();
  } catch (const result::FileError&) {
    return;  // the log's facts are then unknown; the rest is measured
  }
  setenv("NCCL_DEBUG", "INFO", 1);
  setenv("NCCL_DEBUG_FILE", log_file(0).c_str(), 1);
  setenv("NCCL_DEBUG_SUBSYS", "INIT,ENV,NET", 0);
}

bool register_meeting() {
  Environment environment = bench::environment();
  const auto describe = environment.describe;
  environment.unavailable = [] {
    ask_for_log();
    return meet();
  };
  environment.rank_name = [] { return launch() ? fmt::format("rank{}", launch()->rank) : std::string(); };
  environment.job_name = [] { return meeting().job; };
  environment.finish = [] {
    meeting().scratch.reset();
    if (channel() != nullptr) channel()->end_together();
  };
  environment.describe = [describe](result::Facts& facts) {
    describe(facts);
    facts["nccl.version"] = nccl_version();
    facts["nccl.plugin"] = plugin();
    if (!launch()) return;
    facts["ranks.rank"] = std::to_string(launch()->rank);
    facts["ranks.size"] = std::to_string(launch()->size);
    facts["ranks.launcher"] = launch()->launcher;
    // The nodes of the measurement; unknown where the ranks did not meet.
    if (channel() != nullptr) facts["ranks.nodes"] = fmt::format("{}", fmt::join(channel()->hosts(), " "));
    facts["ranks.node"] = host_name();
  };
  set_environment(std::move(environment));
  return true;
}

// cuda/environment.hpp's own registration precedes it in this file, so it has run.
const bool registered = register_meeting();

}  // namespace

std::string log_file(int number) {
  const auto& scratch = meeting().scratch;
  return scratch == nullptr ? "" : (scratch->path() / fmt::format("nccl-{}.log", number)).string();
}

ranks::Channel* channel() {
  return meeting().channel.get();
}

const std::optional<ranks::Launch>& launch() {
  return meeting().launch;
}

void end_soon() {
  static const bool once = [] {
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::seconds(20));
      fmt::print(stderr,
                 "gpugauge-bench-nccl: this rank still waited in a library for one that is gone; ended\n");
      std::fflush(nullptr);
      std::_Exit(exit_failed);
    }).detach();
    return true;
  }();
  (void)once;
}

}  // namespace gpugauge::bench::nccl
