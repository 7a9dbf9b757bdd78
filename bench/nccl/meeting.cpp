// Meets the ranks that a launcher started, before CUDA makes a context, and adds their facts.
#include "nccl/meeting.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <regex>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nccl.h>
#include <unistd.h>

#include "nccl/limits.hpp"
#include "nccl/own_gpu.hpp"
#include "nccl/plugin.hpp"
#include "nccl/settings.hpp"
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

int nccl_version_code() {
  int version = 0;
  return ncclGetVersion(&version) == ncclSuccess ? version : 0;
}

/// As NCCL will find it; copied at the first call, before this process and NCCL change the environment.
const Configuration& configuration() {
  static const Configuration found = configuration_here(nccl_version_code());
  return found;
}

std::string nccl_version() {
  const int version = nccl_version_code();
  if (version == 0) return "unknown";
  return fmt::format("{}.{}.{}", version / 10'000, version / 100 % 100, version % 100);
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
                      {"nccl.plugin", network_plugin(configuration())},
                      {"nccl.tuner", tuner_plugin(configuration())},
                      {"nccl.environment", environment_plugin(configuration())}};
  add_settings(configuration(), facts);
  if (no_gpu)
    facts["error"] = *no_gpu;
  else
    facts["gpu.uuid"] = cuda::device().uuid;
  return facts;
}

/// Leaves this rank one GPU of its node, and returns why it has none, or nullopt. Before CUDA looks for GPUs.
std::optional<std::string> take_gpu(int local_rank) {
  const auto own = own_gpu(result::from_environment("CUDA_VISIBLE_DEVICES"), local_rank);
  if (own) setenv("CUDA_VISIBLE_DEVICES", own->c_str(), 1);
  const cuda::StartUp& start = cuda::start_up();
  auto no_gpu = cuda::why_unavailable(start);
  if (no_gpu && own && start.driver_library && start.code == cudaErrorNoDevice)
    *no_gpu += fmt::format(
        " It was to take GPU {} of its node, by its number among the ranks there: start no more ranks on a "
        "node than it has GPUs.",
        *own);
  return no_gpu;
}

std::string to_text(const result::Facts& facts) {
  ranks::Texts flat;
  for (const auto& [name, value] : facts) {
    flat.push_back(name);
    flat.push_back(value);
  }
  return ranks::encode(flat);
}

/// At rank 0, so that not each rank gets the facts of all: the name of the job, and what differs.
std::string compared(const ranks::Texts& by_rank) {
  ranks::RankFacts all;
  for (const std::string& text : by_rank) {
    const ranks::Texts pairs = ranks::decode(text).value_or(ranks::Texts{});
    result::Facts facts;
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) facts[pairs[i]] = pairs[i + 1];
    all.push_back(std::move(facts));
  }
  return ranks::encode({all.front()["job"], ranks::disagreement(all).value_or("")});
}

std::optional<std::string> meet() {
  Meeting& here = meeting();
  here.launch = ranks::find_launch();
  if (!here.launch) return cuda::why_unavailable(cuda::start_up());
  here.job = ranks::job_word(host_name(), std::time(nullptr), getpid());
  try {
    here.channel = std::make_unique<ranks::Channel>(*here.launch);
    const auto no_gpu = take_gpu(here.launch->local_rank.value_or(here.channel->local_rank()));
    const ranks::Texts found =
        ranks::decode(here.channel->exchange("versions", to_text(facts_of(no_gpu, here.job)), compared,
                                             here.launch->patience_seconds))
            .value_or(ranks::Texts{});
    if (found.size() != 2) throw ranks::Parted("rank 0 did not say what it found of the versions");
    // It came over the network and becomes part of a file's name.
    constexpr std::size_t longest = 120;
    if (!found[0].empty()) here.job = result::host_word(found[0].substr(0, longest));
    if (!found[1].empty()) here.problem = found[1];
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
    configuration();
    limits();
    ask_for_log();
    return meet();
  };
  environment.rank_name = [] { return launch() ? fmt::format("rank{}", launch()->rank) : std::string(); };
  environment.job_name = [] { return meeting().job; };
  environment.finish = [] {
    meeting().scratch.reset();
    if (channel() != nullptr)
      channel()->end_together();
    else if (launch())
      ranks::end_apart();
  };
  environment.describe = [describe](result::Facts& facts) {
    describe(facts);
    facts["nccl.version"] = nccl_version();
    facts["nccl.plugin"] = network_plugin(configuration());
    facts["nccl.tuner"] = tuner_plugin(configuration());
    facts["nccl.environment"] = environment_plugin(configuration());
    facts["nccl.settings"] = settings_text(configuration());
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
      std::this_thread::sleep_for(std::chrono::duration<double>(limits().end));
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
