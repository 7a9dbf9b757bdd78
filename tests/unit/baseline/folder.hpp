// A temporary folder, and small whole runs to pin in it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "result/run_file.hpp"

namespace gpugauge::baseline {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpugauge-baseline-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string run_id(int i) {
  return fmt::format("01TESTRUN{:017}", i);
}

inline result::Run make_run(int i) {
  result::Run run;
  run.id = run_id(i);
  run.complete = true;
  run.started = fmt::format("2026-01-{:02}T00:00:00Z", 1 + i);
  run.wall_seconds = 1;
  run.seed = 7;
  run.profile = "quick";
  run.device = "host";
  run.command = {"gpugauge", "run"};
  run.boot_id = fmt::format("boot-{}", i);
  run.fingerprint.device = {{"host.cpu_model", "X"}, {"gpu.0.uuid", "GPU-1"}};
  run.fingerprint.stack = {{"driver.version", "560.1"}, {"driver.libcuda_path", "/usr/lib"}};
  run.fingerprint.settings = {{"host.governor", "performance"}};
  run.fingerprint.suite = {
      {"suite.version", "0.1.0"}, {"suite.profile", "quick"}, {"suite.source_hash.host", "ab"}};
  return run;
}

}  // namespace gpugauge::baseline
