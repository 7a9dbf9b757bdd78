// Families made of a few lines of shell, each in a folder of its own test.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "result/samples.hpp"
#include "result/temporary_directory.hpp"
#include "run/child.hpp"
#include "run/runner.hpp"

namespace gpugauge::run {

inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What a run remarks on but its low priority: that of the tests is nobody's fault.
inline std::vector<std::string> remarks_of(const result::Run& run) {
  std::vector<std::string> out = run.remarks;
  std::erase_if(out, [](const std::string& remark) { return remark.starts_with("Measured at niceness "); });
  return out;
}

/// A sample file with one good benchmark.
inline result::Samples good_samples(const std::string& family) {
  result::Samples samples;
  samples.family = family;
  samples.suite_version = "0.1.0";
  samples.source_hash = std::string(64, 'a');
  result::BenchmarkResult benchmark;
  benchmark.id = family + "/op";
  benchmark.batches.operations_per_batch = 1;
  benchmark.batches.seconds_per_operation = {1e-3, 1e-3};
  benchmark.batches.window_seconds = 2e-3;
  result::Metric metric;
  metric.name = "latency";
  metric.unit = "second";
  metric.better = result::Direction::lower;
  metric.metric_class = "host_cpu";
  metric.statistic = "median";
  metric.value = 1e-3;
  benchmark.metrics.push_back(metric);
  benchmark.verifications = {{"made for the test", true, {}, {}}};
  samples.benchmarks.push_back(benchmark);
  return samples;
}

/// A folder of scripts. In a script $samples, $seed, $window, $only and $parent hold the flags' values, and
/// `leave` writes the good sample file of its family.
class Fakes {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }

  std::filesystem::path script(const std::string& name, const std::string& body) const {
    auto file = path() / name;
    write_text(file, "#!/bin/sh\n" + body + "\n");
    chmod(file.c_str(), 0755);
    return file;
  }

  Family family(const std::string& name, const std::string& body) const {
    const auto good = path() / ("good-" + name + ".json");
    write_text(good, result::to_json(good_samples(name)));
    const std::string prelude =
        "for word in \"$@\"; do case $word in --gpugauge_*=*) word=${word#--gpugauge_}; eval "
        "\"${word%%=*}=\\${word#*=}\";; "
        "esac; done\nleave() { cp '" +
        good.string() + "' \"$samples\"; }\n";
    return {name, script("gpugauge-bench-" + name, prelude + body)};
  }

 private:
  result::TemporaryDirectory folder_;
};

/// A plan of one process for each family, with short times.
inline Plan quick_plan(std::vector<Family> families) {
  Plan plan;
  plan.profile.name = "smoke";
  plan.profile.processes = 1;
  plan.profile.window_seconds = .01;
  plan.profile.limit_seconds = 20;
  plan.profile.grace_seconds = .2;
  plan.profile.pause_seconds = 0;
  plan.families = std::move(families);
  plan.device = plan.device_selection = "host";
  plan.seed = 1;
  return plan;
}

}  // namespace gpugauge::run
