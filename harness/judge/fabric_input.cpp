// Reads lists of measurements, and groups the sample files of ranks into collectives.
#include "judge/fabric_input.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/collect.hpp"
#include "judge/fabric_ways.hpp"
#include "judge/reasons.hpp"
#include "result/counted.hpp"
#include "result/facts.hpp"
#include "result/nccl_lines.hpp"
#include "result/number.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::judge {
namespace {

/// A whole number >= 0; -1 for other text.
int count_in(const std::string& text) {
  return std::max(-1, result::number_in<int>(text).value_or(-1));
}

/// "out/0003/samples.rank12.json" -> "out/0003/samples".
std::string without_rank(const std::string& file) {
  const std::filesystem::path path(file);
  std::string stem = path.stem().string();
  if (const std::size_t at = stem.rfind(".rank");
      at != std::string::npos && count_in(stem.substr(at + 5)) >= 0)
    stem.resize(at);
  return (path.parent_path() / stem).string();
}

/// Number of folders that two such names share, counted from the file; 0 if the file names differ.
std::size_t common_end(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::size_t same = 0;
  for (auto a = one.end(), b = other.end(); a != one.begin() && b != other.begin() && *--a == *--b;) ++same;
  return same;
}

/// Whether a file of every rank is there.
bool is_whole(const auto& ranks) {
  return ranks.size() >= static_cast<std::size_t>(std::max(ranks.begin()->second.ranks, 0));
}

/// All ranks of a collective have bit-identical values; a failed rank has none.
bool may_be_of_one(const auto& one, const auto& other) {
  if (!one.failure.empty() || !other.failure.empty()) return true;
  return std::equal(one.values.begin(), one.values.end(), other.values.begin(), other.values.end(),
                    [](const auto& a, const auto& b) { return a.metric == b.metric && a.value == b.value; });
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::set<std::string> words;
  for (std::string word; in >> word;) words.insert(word);
  return {words.begin(), words.end()};
}

/// What the benchmarks' notes hold of NCCL's log.
NodeWays ways_of(const result::Samples& samples) {
  NodeWays out;
  for (const result::BenchmarkResult& benchmark : samples.benchmarks) {
    const auto note = [&](const char* name) { return result::fact(benchmark.notes, name); };
    NodeWays one{{},
                 {},
                 result::nccl_paths(note("nccl.paths")),
                 result::nccl_lines(note("nccl.warnings")),
                 result::nccl_lines(note("nccl.reasons"))};
    std::erase_if(one.paths, [](const std::string& path) { return !path.starts_with("NET/"); });
    if (!note("nccl.transport").empty()) one.transports = {note("nccl.transport")};
    if (!note("nccl.network").empty()) one.networks = {note("nccl.network")};
    add_ways(out, one);
  }
  return out;
}

void require_size(double value, const result::Place& place) {
  if (!(value > 0)) place.refuse(fmt::format("is {}; it must be above 0", value));
  if (!result::is_possible_size(value))
    place.refuse(fmt::format("is {:.3g}; it must be {:g} to {:g}", value, result::smallest_value,
                             result::largest_value));
}

SetMeasurement measurement(const nlohmann::json& value, const result::Place& place) {
  result::ObjectReader reader(value, place);
  SetMeasurement out;
  out.nodes = reader.texts("nodes");
  std::sort(out.nodes.begin(), out.nodes.end());
  if (out.nodes.size() < 2 || out.nodes.front().empty() ||
      std::adjacent_find(out.nodes.begin(), out.nodes.end()) != out.nodes.end())
    place.key("nodes").refuse("must name two nodes or more, each once");
  // Names with blanks would make sentences and rank lists ambiguous.
  for (const std::string& node : out.nodes)
    if (node.find_first_of(" \t\r\n\v\f") != std::string::npos)
      place.key("nodes").refuse(
          fmt::format("names {}; the name of a node has no blanks", result::quoted(node)));
  out.ranks = reader.optional_integer("ranks").value_or(0);
  if (out.ranks < 0) place.key("ranks").refuse("must be 0 or more");
  out.value = reader.optional_number("value");
  if (out.value) require_size(*out.value, place.key("value"));
  out.reason = reader.optional_text("reason");
  reader.done();
  if (!out.value && out.reason.empty()) place.refuse("has neither a value nor a reason why there is none");
  return out;
}

}  // namespace

FabricInput parse_fabric(const std::string& text, const std::string& origin) {
  const nlohmann::json parsed = result::parse_json(text, origin);
  result::ObjectReader reader(parsed, {origin, ""});
  result::require_schema(reader, fabric_schema);
  FabricInput out;
  const std::string benchmark = reader.text("benchmark");
  out.metric = result::metric_key(benchmark, reader.text("metric"));
  out.metric_class = reader.text("class");
  if (!result::is_class(out.metric_class))
    reader.place().key("class").refuse(
        fmt::format("{} is no class of metrics", result::quoted(out.metric_class)));
  out.unit = reader.text("unit");
  if (!result::is_unit(out.unit))
    reader.place().key("unit").refuse(
        fmt::format("{} is no unit that this version knows", result::quoted(out.unit)));
  const std::string better = reader.text("better");
  if (better != "higher" && better != "lower")
    reader.place().key("better").refuse(
        fmt::format("{} is neither higher nor lower", result::quoted(better)));
  out.better = better == "higher" ? result::Direction::higher : result::Direction::lower;
  out.expected = reader.optional_number("expected");
  if (out.expected) require_size(*out.expected, reader.place().key("expected"));
  out.tolerance = reader.optional_number("tolerance");
  if (out.tolerance && !(*out.tolerance > 0 && *out.tolerance < 1))
    reader.place()
        .key("tolerance")
        .refuse(fmt::format("is {}; it must be above 0 and below 1", *out.tolerance));
  reader.each("measurements", [&](const nlohmann::json& value, const result::Place& place) {
    out.measurements.push_back(measurement(value, place));
  });
  reader.done();
  return out;
}

bool is_of_ranks(const result::Samples& samples) {
  return count_in(result::fact(samples.context, "ranks.size")) > 1 &&
         count_in(result::fact(samples.context, "ranks.rank")) >= 0;
}

void FabricCollector::add(const result::Samples& samples, const std::string& file, const std::string& label) {
  const result::Facts& context = samples.context;
  Rank rank;
  rank.file = file;
  rank.label = label;
  rank.nodes = words_of(result::fact(context, "ranks.nodes"));
  rank.ranks = count_in(result::fact(context, "ranks.size"));
  std::vector<std::string> said;
  for (const auto& [name, text] : {std::pair{"gpu.name", ""}, std::pair{"nccl.version", "NCCL "},
                                   std::pair{"cuda.driver_version", "driver's CUDA "}})
    if (const std::string value = result::fact(context, name); !value.empty()) said.push_back(text + value);
  rank.description = fmt::format("{}", fmt::join(said, ", "));
  rank.kind =
      fmt::format("{} {} {} {} {}", samples.family, samples.source_hash, rank.description,
                  result::fact(context, "nccl.plugin"), result::fact(context, "cuda.runtime_version"));
  const bool measured = samples.status == result::Status::ok || !samples.benchmarks.empty();
  if (!measured) rank.failure = samples.reason.empty() ? "no word why" : samples.reason;
  for (const result::BenchmarkResult& benchmark : samples.benchmarks) {
    if (benchmark.status == result::Status::skipped) continue;
    const bool good = sound(benchmark);
    if (!good && benchmark.metrics.empty())
      rank.values.push_back(
          {benchmark.id, "", "", result::Direction::higher, std::nullopt, fault(benchmark)});
    for (const result::Metric& metric : benchmark.metrics) {
      if (!metric.judged) continue;
      Value value{result::metric_key(benchmark.id, metric.name),
                  metric.metric_class,
                  metric.unit,
                  metric.better,
                  std::nullopt,
                  ""};
      if (good)
        value.value = metric.value;
      else
        value.reason = fault(benchmark);
      rank.values.push_back(std::move(value));
    }
  }
  rank.node = result::fact(context, "ranks.node");
  rank.ways = ways_of(samples);
  const int number_of_rank = count_in(result::fact(context, "ranks.rank"));
  const std::lock_guard lock(mutex_);
  // One file under two names is a single measurement.
  std::error_code unknown;
  std::filesystem::path place = std::filesystem::absolute(file, unknown);
  if (!unknown) place = std::filesystem::weakly_canonical(place, unknown);
  collectives_[without_rank(unknown ? file : place.string())][number_of_rank] = std::move(rank);
}

std::vector<FabricCollector::Ranks> FabricCollector::together() {
  std::vector<Ranks> out;
  std::vector<std::string> names;  // parallel to `out`: names of the first files
  std::map<std::tuple<std::vector<std::string>, int>, std::vector<std::size_t>> of_nodes;
  for (auto& collective : collectives_) {
    const std::string& name = collective.first;
    Ranks& ranks = collective.second;
    const Rank& first = ranks.begin()->second;
    std::vector<std::size_t>& places = of_nodes[{first.nodes, first.ranks}];
    const auto goes_with = [&](const Ranks& others) {
      const Rank& other = others.begin()->second;
      // A failed rank may lack its own facts.
      const bool alike = first.kind == other.kind || !first.failure.empty() || !other.failure.empty();
      return first.nodes.size() > 1 && alike &&
             std::none_of(ranks.begin(), ranks.end(),
                          [&](const auto& rank) { return others.contains(rank.first); });
    };
    std::size_t longest = 0;
    Ranks* rest = nullptr;
    for (const std::size_t place : places)
      if (const std::size_t end = common_end(name, names[place]); end > longest && goes_with(out[place])) {
        longest = end;
        rest = &out[place];
      }
    // Nodes may name their files differently: still one measurement, which confirms nothing.
    for (const std::size_t place : places)
      if (rest == nullptr && !is_whole(ranks) && !is_whole(out[place]) && goes_with(out[place]) &&
          may_be_of_one(first, out[place].begin()->second))
        rest = &out[place];
    if (rest != nullptr) {
      rest->merge(ranks);
      continue;
    }
    places.push_back(out.size());
    names.push_back(name);
    out.push_back(std::move(ranks));
  }
  collectives_.clear();
  return out;
}

FabricInputs FabricCollector::made() && {
  FabricInputs out;
  struct Failed {
    SetMeasurement measurement;
    std::string benchmark;  ///< "": all of them
    std::string kind;       ///< kind of its lowest rank, which may be incomplete
  };
  std::map<std::tuple<std::string, std::string, std::string, std::string>, FabricInput> fabrics;  // by kind
  std::vector<Failed> failed;
  std::set<std::string> kinds;
  std::size_t within_one = 0;
  std::vector<std::string> in_part;
  for (const Ranks& ranks : together()) {
    const Rank& first = ranks.begin()->second;
    std::string failure;
    for (const auto& [number_of_rank, rank] : ranks)
      if (failure.empty()) failure = rank.failure;
    if (first.nodes.empty()) {
      out.unread.push_back({first.file, first.label,
                            fmt::format("a collective of {} ranks whose nodes are not in the file{}",
                                        first.ranks, failure.empty() ? "" : ": " + failure)});
      continue;
    }
    if (first.nodes.size() == 1) {
      ++within_one;
      continue;
    }
    if (ranks.size() < static_cast<std::size_t>(first.ranks))
      in_part.push_back(fmt::format("{}: {} of {}", first.label, ranks.size(), first.ranks));
    SetMeasurement set{first.nodes, first.ranks, std::nullopt, failure};
    for (const auto& [number_of_rank, rank] : ranks)
      if (!rank.node.empty()) add_ways(set.ways[rank.node], rank.ways);
    if (!failure.empty()) {
      failed.push_back({set, "", first.kind});
      continue;
    }
    kinds.insert(first.kind);
    for (const Value& value : first.values) {
      SetMeasurement made = set;
      made.value = value.value;
      made.reason = value.reason;
      if (value.unit.empty()) {
        failed.push_back({std::move(made), value.metric, first.kind});
        continue;
      }
      FabricInput& fabric = fabrics[{first.kind, value.metric, value.unit, value.metric_class}];
      fabric.metric = value.metric;
      fabric.metric_class = value.metric_class;
      fabric.unit = value.unit;
      fabric.better = value.better;
      fabric.description = first.description;
      fabric.measurements.push_back(std::move(made));
    }
  }
  // A set that measured nothing failed in every metric of its benchmark: of its kind, or of all kinds if it
  // stopped before recording its kind.
  for (const Failed& one : failed) {
    bool known = false;
    const bool of_a_kind = kinds.contains(one.kind);
    for (auto& [key, fabric] : fabrics)
      if ((!of_a_kind || std::get<0>(key) == one.kind) &&
          (one.benchmark.empty() || fabric.metric.starts_with(one.benchmark + ":"))) {
        fabric.measurements.push_back(one.measurement);
        known = true;
      }
    if (known) continue;
    FabricInput& alone = fabrics[{"", one.benchmark, "", ""}];
    alone.metric = one.benchmark.empty() ? "every benchmark" : one.benchmark;
    alone.measurements.push_back(one.measurement);
  }
  for (auto& [key, fabric] : fabrics) out.fabrics.push_back(std::move(fabric));
  if (kinds.size() > 1)
    out.remarks.push_back(
        fmt::format("Collectives between nodes were measured with {} different builds, libraries or GPU "
                    "models: each is compared with its own kind only.",
                    kinds.size()));
  if (!in_part.empty())
    out.remarks.push_back(
        fmt::format("Of {} between nodes not every rank's file is here ({}): whether a rank whose file is "
                    "lacking failed is not known.",
                    result::counted(in_part.size(), "collective"), some_of(in_part)));
  if (within_one > 0)
    out.remarks.push_back(fmt::format(
        "{} not compared here: run --device links makes run files of such.",
        result::counted(within_one, "collective within one node was", "collectives within one node were")));
  return out;
}

}  // namespace gpugauge::judge
