#include "cli/ranks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "result/counted.hpp"
#include "result/error.hpp"
#include "result/launcher.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* own_device = "rank";

result::Rank asked_rank() {
  const auto rank = result::find_rank();
  if (!rank)
    throw result::UsageError(
        "--device rank: no launcher started this process as a rank; give all, links, host, an index or a "
        "UUID");
  return *rank;
}

}  // namespace

std::string chosen_device(const std::string& device, const stack::GpuReport& gpus) {
  if (device != own_device) return device;
  const result::Rank rank = asked_rank();
  if (gpus.state != stack::GpuState::usable) return "0";  // the caller says why there is none
  // A launcher that shows each rank one GPU has chosen already.
  if (gpus.gpus.size() == 1 && result::from_environment("CUDA_VISIBLE_DEVICES"))
    return fmt::format("{}", gpus.gpus.front().index);
  const int local_rank = rank.local_rank.value_or(0);
  const int ranks = std::max(rank.local_size.value_or(1), local_rank + 1);
  if (static_cast<std::size_t>(ranks) > gpus.gpus.size())
    throw result::UsageError(
        fmt::format("--device rank: this node has {} and shows each of them {}; start a rank for each GPU",
                    result::counted(ranks, "rank"), result::counted(gpus.gpus.size(), "GPU")));
  return fmt::format("{}", gpus.gpus[static_cast<std::size_t>(local_rank)].index);
}

int measured_together(const std::string& device) {
  if (device != own_device) return 0;
  const result::Rank rank = asked_rank();
  if (!rank.local_size)
    throw result::UsageError(
        fmt::format("--device rank: {} does not say how many ranks are on this node, which is part of what "
                    "is measured; set GPUGAUGE_RANK, GPUGAUGE_RANKS, GPUGAUGE_LOCAL_RANK and "
                    "GPUGAUGE_LOCAL_RANKS",
                    rank.launcher));
  return *rank.local_size > 1 ? *rank.local_size : 0;
}

bool take_turns(const std::string& device) {
  const auto rank = result::find_rank_of_several();
  return rank && device != own_device && rank->local_size.value_or(1) > 1;
}

void say_turns(const std::string& device) {
  const auto rank = result::find_rank_of_several();
  if (!take_turns(device) || rank->local_rank.value_or(0) != 0) return;
  warn(fmt::format(
      "{} ranks on this node measure the same devices, one after another; start one rank a node, or give "
      "--device rank",
      *rank->local_size));
}

std::string own_file(const std::string& file) {
  if (file.empty() || file == "-") return file;
  return result::with_rank(file, result::host_word(), result::find_rank_of_several()).string();
}

ReportArguments own_files(ReportArguments arguments) {
  for (std::string& word : arguments.files)
    if (const std::size_t at = word.find('='); at != std::string::npos)
      word = word.substr(0, at + 1) + own_file(word.substr(at + 1));
  return arguments;
}

}  // namespace gpugauge::cli
