// Fills a store with the history of a synthetic fleet and measures how long storing and asking takes.
//
//   make_history STORE NODES NIGHTS METRICS [SEED [FIRST_NODE]]
//
// One GPU a node, one run a night from 2026-01-01 on, five processes a run. Runs differ by .5%. Planted: on
// every node whose number ends in 3 the driver changes after half of the nights and the metrics of class hbm
// get 8% slower. Everything follows from the seed. Run several with other FIRST_NODEs for writers at once.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "judge/statistics.hpp"
#include "result/time.hpp"
#include "store/store.hpp"
#include "store/trend.hpp"

namespace {

namespace store = gpugauge::store;
namespace result = gpugauge::result;
using Clock = std::chrono::steady_clock;

constexpr int processes = 5;
constexpr std::size_t runs_at_once = 64;
constexpr const char* classes[] = {"hbm", "gemm16", "l2", "launch", "h2d", "d2h", "primitive", "sync"};

struct Plan {
  int nodes = 0, nights = 0, metrics = 0, seed = 1, first_node = 0;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string day_of(int night) {
  std::string day = "2026-01-01";
  for (int i = 0; i < night; ++i) day = result::day_after(day);
  return day;
}

result::Fingerprint fingerprint(int node, bool upgraded) {
  result::Fingerprint out;
  out.device = {{"gpu.count", "1"},
                {"gpu.0.name", "Synthetic H200"},
                {"gpu.0.uuid", fmt::format("GPU-00000000-0000-4000-8000-{:012}", node)}};
  out.stack = {{"driver.version", upgraded ? "580.65.06" : "570.86.15"}, {"host.kernel", "6.8.0-synthetic"}};
  for (int i = 0; i < 60; ++i) out.stack[fmt::format("library.{:02}.version", i)] = fmt::format("1.{}.0", i);
  out.suite = {{"suite.profile", "standard"}, {"suite.source_hash.synthetic", std::string(64, 'a')}};
  return out;
}

store::Record record(const Plan& plan, int node, int night, const std::string& day) {
  const bool upgraded = node % 10 == 3 && night >= plan.nights / 2;
  const std::string name = fmt::format("S{}N{:07}D{:06}", plan.seed, node, night);
  const result::Fingerprint facts = fingerprint(node, upgraded);
  store::Record out;
  out.content_hash = fmt::format("{:0>64}", name);
  out.source = fmt::format("synthetic/node-{:05}/{}.json", node, day);
  out.node = fmt::format("node-{:05}", node);
  out.identity = out.peer.device = out.peer.node = facts.device.at("gpu.0.uuid");
  out.started = day + "T03:00:00Z";
  out.boot_id = "synthetic";
  out.profile = "standard";
  out.wall_seconds = 60;
  out.peer.id = name;
  out.peer.kind = upgraded ? "gpu 580" : "gpu 570";
  out.facts = store::facts_text(facts);
  out.facts_hash = fmt::format("{:0>62}{}{}", node, plan.seed, upgraded ? 1 : 0);
  std::mt19937_64 engine(static_cast<std::uint64_t>(plan.seed) * 1000003 +
                         static_cast<std::uint64_t>(node) * 4001 + static_cast<std::uint64_t>(night));
  std::normal_distribution<double> noise(0, .005);
  for (int m = 0; m < plan.metrics; ++m) {
    const std::string metric_class = classes[m % 8];
    const double slowness = upgraded && metric_class == "hbm" ? .08 : 0;
    store::Measured measured;
    const std::string benchmark = fmt::format("synthetic/op/{:04}", m);
    measured.form = {benchmark + ":bandwidth", benchmark, metric_class, "byte/second",
                     result::Direction::higher};
    for (int p = 0; p < processes; ++p)
      measured.values.push_back(1e12 * (1 + m) * (1 - slowness) * std::exp(noise(engine)));
    measured.median = gpugauge::judge::median(measured.values);
    out.measured.push_back(std::move(measured));
  }
  return out;
}

void fill(store::Store& history, const Plan& plan) {
  double making = 0, storing = 0;
  long long rows = 0;
  std::vector<store::Record> batch;
  for (int night = 0; night < plan.nights; ++night) {
    const std::string day = day_of(night);
    for (int node = 0; node < plan.nodes; ++node) {
      auto start = Clock::now();
      batch.push_back(record(plan, plan.first_node + node, night, day));
      making += seconds_since(start);
      const bool last = night + 1 == plan.nights && node + 1 == plan.nodes;
      if (batch.size() < runs_at_once && !last) continue;
      start = Clock::now();
      const auto outcomes = history.ingest(batch);
      storing += seconds_since(start);
      for (std::size_t i = 0; i < batch.size(); ++i)
        rows += outcomes[i] == store::Outcome::stored ? static_cast<long long>(batch[i].measured.size()) : 0;
      batch.clear();
    }
  }
  const auto start = Clock::now();
  history.count_rows(static_cast<std::size_t>(rows));
  storing += seconds_since(start);
  fmt::print("stored {} metric rows in {:.2f} s: {:.0f} a second (making them took {:.2f} s)\n", rows,
             storing, static_cast<double>(rows) / storing, making);
}

void ask(store::Store& history, const Plan& plan) {
  const auto devices = history.devices();
  const auto metrics = history.metrics();
  for (int i = 0; i < 2; ++i) {
    const store::Device& device =
        devices[(devices.size() / 2 + static_cast<std::size_t>(i)) % devices.size()];
    const auto start = Clock::now();
    const auto points = history.series(device, metrics[metrics.size() / 2], {});
    fmt::print("series of one metric of {}: {} runs in {:.1f} ms\n", device.node, points.size(),
               1e3 * seconds_since(start));
  }
  for (const int night : {plan.nights - 1, plan.nights / 2}) {
    const auto start = Clock::now();
    const auto input = history.night(day_of(night));
    std::size_t values = 0;
    for (const auto& round : input.rounds) values += round.values.size();
    fmt::print("night {}: {} runs, {} values in {:.3f} s\n", day_of(night), input.rounds.size(), values,
               seconds_since(start));
  }
  const auto start = Clock::now();
  const auto all = history.all_series(devices.front(), {});
  fmt::print("all series of one device: {} metrics in {:.3f} s\n", all.size(), seconds_since(start));
}

int number(const char* text) {
  return std::atoi(text);  // NOLINT(cert-err34-c): a bad number is refused by its range
}

}  // namespace

int main(int argc, char** argv) {
  Plan plan;
  if (argc > 4) {
    plan.nodes = number(argv[2]);
    plan.nights = number(argv[3]);
    plan.metrics = number(argv[4]);
  }
  if (argc > 5) plan.seed = number(argv[5]);
  if (argc > 6) plan.first_node = number(argv[6]);
  if (plan.nodes < 1 || plan.nights < 1 || plan.metrics < 1 || plan.seed < 1 || plan.first_node < 0) {
    std::fputs("usage: make_history STORE NODES NIGHTS METRICS [SEED [FIRST_NODE]]\n", stderr);
    return 2;
  }
  try {
    store::Store history = store::Store::open(argv[1], store::Access::writing);
    fill(history, plan);
    ask(history, plan);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_history: %s\n", error.what());
    return 2;
  }
  return 0;
}
