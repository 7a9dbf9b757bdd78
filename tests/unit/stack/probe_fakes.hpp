// Probing a fake machine: a file tree, and driver libraries whose answers come from a scenario.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "fake_tree.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::stack {

inline GpuReport probe(const FakeTree& tree, const std::string& answers,
                       const std::vector<std::string>& environment, double limit_seconds = 30,
                       const std::string& libraries = GPUGAUGE_FAKE_DRIVER) {
  const auto file = tree.at("/scenario");
  std::ofstream(file) << answers;
  ProbeOptions options;
  options.root = tree.root();
  options.timeout_seconds = limit_seconds;
  options.command = {"/usr/bin/env", "-i", "GPUGAUGE_FAKE_SCENARIO=" + file.string(),
                     "LD_LIBRARY_PATH=" + libraries};
  options.command.insert(options.command.end(), environment.begin(), environment.end());
  options.command.insert(options.command.end(), {GPUGAUGE_PROBE_CHILD, tree.root()});
  return probe_gpus(options);
}

}  // namespace gpugauge::stack
