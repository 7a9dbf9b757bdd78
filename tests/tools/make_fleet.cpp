// Writes the run files of a synthetic fleet: one GPU a node, 100 benchmarks with 2 metrics each, 5 processes,
// 20 batches, a full fingerprint. For measuring how long judging takes, and for tests of `gpugauge fleet`.
//
//   make_fleet FOLDER NODES [ROUNDS [SEED [FIRST_NODE]]]     FOLDER/node-00000/round-1.json ...
//
// Healthy nodes differ by 1%, rounds by .3%, processes by .5%. Planted, and listed on standard output: every
// 97th node from the fifth on has a fault, by turns a class 8% slower, half the speed of one benchmark, a
// benchmark that is not reported, and a file cut short. Everything follows from the seed.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "result/run_file.hpp"

namespace {

namespace result = gpugauge::result;
using result::Direction;

constexpr int benchmarks = 100;
constexpr int processes = 5;
constexpr int batches = 20;
constexpr const char* classes[] = {"hbm", "gemm16", "l2", "launch", "h2d", "d2h", "primitive", "sync"};

enum class Fault { none, slow_class, half_speed, missing, cut_short };

Fault fault_of(int node) {
  if (node % 97 != 5) return Fault::none;
  constexpr Fault faults[] = {Fault::slow_class, Fault::half_speed, Fault::missing, Fault::cut_short};
  return faults[node / 97 % 4];
}

const char* describe(Fault fault) {
  switch (fault) {
    case Fault::slow_class:
      return "class hbm 8% slower";
    case Fault::half_speed:
      return "synthetic/op/003 at half speed";
    case Fault::missing:
      return "synthetic/op/004 not reported";
    case Fault::cut_short:
      return "file cut short";
    case Fault::none:
      break;
  }
  return "nothing";
}

/// Noise that depends on its names only, so that a node keeps its own in every round.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : engine_(seed * 6364136223846793005U + 1442695040888963407U) {}
  double operator()(double spread) { return std::exp(spread * normal_(engine_)); }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

result::Fingerprint fingerprint(int node) {
  result::Fingerprint out;
  out.device = {{"gpu.count", "1"},
                {"gpu.0.name", "Synthetic H200"},
                {"gpu.0.uuid", fmt::format("GPU-00000000-0000-4000-8000-{:012}", node)},
                {"gpu.0.compute_capability", "9.0"},
                {"host.cpu_model", "Synthetic 64-Core Processor"},
                {"host.memory_bytes", "1099511627776"}};
  out.stack = {{"driver.version", "580.65.06"},
               {"cuda.toolkit", "13.0"},
               {"cublas.version", "13.0.2.14"},
               {"host.kernel", "6.8.0-synthetic"},
               {"host.libc", "2.39"}};
  for (int i = 0; i < 20; ++i) out.stack[fmt::format("library.{:02}.version", i)] = fmt::format("1.{}.0", i);
  for (int i = 0; i < 20; ++i) out.settings[fmt::format("setting.{:02}", i)] = "as delivered";
  for (int i = 0; i < 8; ++i) out.topology[fmt::format("gpu.0.link.{}", i)] = "active";
  out.suite = {{"suite.version", "0.1.0"},
               {"suite.profile", "standard"},
               {"suite.source_hash.synthetic", std::string(64, 'a')}};
  return out;
}

result::Metric metric(const char* name, const char* unit, Direction better, const char* metric_class,
                      double value) {
  result::Metric out;
  out.name = name;
  out.unit = unit;
  out.better = better;
  out.metric_class = metric_class;
  out.statistic = "median";
  out.value = value;
  return out;
}

result::BenchmarkResult benchmark(int index, double slowness, Noise& noise) {
  const char* metric_class = classes[index % 8];
  const double seconds = 1e-5 * (1 + index) * slowness * noise(.005);
  result::BenchmarkResult out;
  out.id = fmt::format("synthetic/op/{:03}", index);
  out.parameters = {{"size", std::to_string(1 << (index % 20))}, {"type", "bf16"}};
  out.notes = {{"timer", "cuda_event"}, {"cold", "true"}};
  out.work = {1e9, 2e12, 0};
  out.verifications = {{"sampled rows", true, 1e-6, 1e-3}};
  out.batches.operations_per_batch = 100;
  for (int b = 0; b < batches; ++b) {
    const double batch = seconds * noise(.002);
    out.batches.seconds_per_operation.push_back(batch);
    out.batches.cpu_seconds_per_operation.push_back(batch * .01 * noise(.1));
    out.batches.sm_clock_hz.push_back(1.755e9);
  }
  out.batches.window_seconds = seconds * batches * 100;
  out.batches.cpu_seconds = out.batches.window_seconds * .01;
  out.metrics = {metric("bandwidth", "byte/second", Direction::higher, metric_class, 1e9 / seconds),
                 metric("time_p90", "second", Direction::lower, metric_class, seconds * 1.01 * noise(.002))};
  return out;
}

result::Run run_of(int node, int round, std::uint64_t seed) {
  const Fault fault = fault_of(node);
  const auto of_node = seed * 1000003 + static_cast<std::uint64_t>(node);
  result::Run run;
  run.id = fmt::format("01SYNTH{:09}R{:09}", node, round);
  run.complete = true;
  run.started = fmt::format("2026-01-{:02}T00:00:00Z", 1 + round % 28);
  run.wall_seconds = 60;
  run.profile = "standard";
  run.fingerprint = fingerprint(node);
  run.device = run.fingerprint.device.at("gpu.0.uuid");
  run.command = {"gpugauge", "run"};
  run.boot_id = fmt::format("{:08}-{:04}", node, round);
  Noise own(of_node);
  Noise noise(of_node * 7919 + static_cast<std::uint64_t>(round));
  std::vector<double> slowness;
  for (int i = 0; i < benchmarks; ++i) {
    slowness.push_back(own(.01) * noise(.003));
    if (fault == Fault::slow_class && i % 8 == 0) slowness.back() *= 1.08;
    if (fault == Fault::half_speed && i == 3) slowness.back() *= 2;
  }
  for (int p = 0; p < processes; ++p) {
    result::Process process;
    process.family = "synthetic";
    process.index = process.order = p;
    process.exit_code = 0;
    process.start_seconds = 10.0 * p;
    process.wall_seconds = 9;
    process.host = {{"cpu_seconds", 8.5}, {"steal_seconds", 0}, {"involuntary_switches", 12}};
    process.samples.emplace();
    process.samples->family = "synthetic";
    process.samples->suite_version = "0.1.0";
    process.samples->source_hash = std::string(64, 'a');
    process.samples->context = {{"gpu.compute_capability", "9.0"}, {"gpu.sm_count", "132"}};
    for (int i = 0; i < benchmarks; ++i)
      if (fault != Fault::missing || i != 4)
        process.samples->benchmarks.push_back(benchmark(i, slowness[static_cast<std::size_t>(i)], noise));
    run.processes.push_back(std::move(process));
  }
  result::Series clock{"gpu:" + run.device, "sm_clock_hz", "hertz", {}, {}};
  for (int t = 0; t < 600; ++t) {
    clock.seconds.push_back(.1 * t);
    clock.values.push_back(1.755e9);
  }
  run.telemetry = {clock};
  return run;
}

void write(const std::filesystem::path& folder, int node, int round, std::uint64_t seed) {
  std::string text = result::to_json(run_of(node, round, seed));
  if (fault_of(node) == Fault::cut_short) text.resize(text.size() / 2);
  // Not synced, unlike results: ten thousand of these are made at a time.
  const std::filesystem::path file =
      folder / fmt::format("node-{:05}", node) / fmt::format("round-{}.json", round);
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  if (!(out << text).flush()) throw std::runtime_error(file.string() + " could not be written");
}

int number(const char* text) {
  return std::atoi(text);  // NOLINT(cert-err34-c): a bad number is refused by its range
}

}  // namespace

int main(int argc, char** argv) {
  const int nodes = argc > 2 ? number(argv[2]) : 0;
  const int rounds = argc > 3 ? number(argv[3]) : 1;
  const int seed = argc > 4 ? number(argv[4]) : 1;
  const int first = argc > 5 ? number(argv[5]) : 0;
  if (nodes < 1 || rounds < 1 || seed < 1 || first < 0) {
    std::fputs("usage: make_fleet FOLDER NODES [ROUNDS [SEED [FIRST_NODE]]]\n", stderr);
    return 2;
  }
  try {
    for (int node = first; node < first + nodes; ++node) {
      if (fault_of(node) != Fault::none) std::printf("node-%05d\t%s\n", node, describe(fault_of(node)));
      for (int round = 1; round <= rounds; ++round)
        write(argv[1], node, round, static_cast<std::uint64_t>(seed));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_fleet: %s\n", error.what());
    return 2;
  }
  return 0;
}
