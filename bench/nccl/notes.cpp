#include "nccl/notes.hpp"

#include <string>

#include <fmt/format.h>

#include "nccl/log.hpp"

namespace gpugauge::bench::nccl {

void add_notes(Trial& trial, World& world) {
  const std::string text = world.log_so_far();
  const Log log = parse_log(text);
  const auto note = [&](const char* key, const std::string& value) {
    if (!value.empty()) trial.note(key, value);
  };
  trial.note("ranks",
             world.rank_count() == 1
                 ? "1: what is measured is the way through the software and a copy within the GPU"
                 : fmt::format("{}{}", world.rank_count(),
                               world.several_processes() ? ", one a process" : ", all in one process"));
  if (text.empty()) {
    trial.note("nccl.log", "not read: the environment sends it elsewhere");
    return;
  }
  note("nccl.version", log.version);
  note("nccl.transport", transport_of(log));
  note("nccl.network", log.network);
  note("nccl.plugin", log.plugin);
  std::string paths;
  for (const auto& [path, lines] : log.paths)
    paths += fmt::format("{}{} x {}", paths.empty() ? "" : ", ", path, lines);
  note("nccl.paths", paths);
  if (log.collective_channels) note("nccl.channels", fmt::format("{}", *log.collective_channels));
  if (log.nvls_channels) note("nccl.nvls_channels", fmt::format("{}", *log.nvls_channels));
  constexpr std::size_t warnings_most = 5;
  constexpr std::size_t reasons_most = 12;
  note("nccl.warnings", in_one(log.warnings, warnings_most));
  note("nccl.reasons", in_one(log.reasons, reasons_most));
}

}  // namespace gpugauge::bench::nccl
