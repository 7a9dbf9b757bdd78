// Records and stores for the tests of the history.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "baseline/digest.hpp"
#include "judge/statistics.hpp"
#include "store/store.hpp"

namespace gpugauge::store::test {

/// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    static std::atomic<int> count = 0;
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("gpugauge-store-{}-{}", ::getpid(), count.fetch_add(1));
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// What makes a store of this version one of schema 1.
inline const std::vector<std::string> to_first_schema{"DROP TABLE checksum",
                                                      "DROP TABLE choice",
                                                      "DROP TABLE counted",
                                                      "DROP TABLE recorded",
                                                      "DROP TABLE statistic",
                                                      "DROP TABLE health",
                                                      "DELETE FROM schema_version WHERE version > 1"};
/// The same for schema 2.
inline const std::vector<std::string> to_second_schema{
    "DROP TABLE choice",    "DROP TABLE counted", "DROP TABLE recorded",
    "DROP TABLE statistic", "DROP TABLE health",  "DELETE FROM schema_version WHERE version > 2"};

inline result::Fingerprint facts(const std::string& driver = "570.86") {
  result::Fingerprint out;
  out.device = {{"gpu.0.uuid", "GPU-1"}, {"gpu.0.name", "Synthetic"}};
  out.stack = {{"driver.version", driver}, {"host.kernel", "6.1"}};
  out.suite = {
      {"suite.profile", "quick"}, {"suite.source_hash.gemm", "aa"}, {"suite.source_hash.memory", "bb"}};
  return out;
}

/// A run of `node` on a day of January 2026, with one metric "memory/triad/a:bandwidth" of these values.
inline Record record(int day, std::vector<double> values, const std::string& node = "node-1",
                     const std::string& driver = "570.86") {
  Record out;
  out.node = node;
  out.identity = "GPU-1";
  out.source = fmt::format("{}/{}.json", node, day);
  out.started = fmt::format("2026-01-{:02}T03:00:00Z", day);
  out.profile = "quick";
  out.peer.id = fmt::format("{}-{}", node, day);
  out.peer.kind = "gpu " + driver;
  out.peer.node = "GPU-1 of " + node;
  out.peer.device = "GPU-1";
  out.facts = facts_text(facts(driver));
  out.facts_hash = baseline::sha256(out.facts);
  out.content_hash = baseline::sha256(out.peer.id);
  Measured measured;
  measured.form = {"memory/triad/a:bandwidth", "memory/triad/a", "hbm", "byte/second",
                   result::Direction::higher};
  measured.median = judge::median(values);
  measured.values = std::move(values);
  out.measured.push_back(std::move(measured));
  return out;
}

}  // namespace gpugauge::store::test
