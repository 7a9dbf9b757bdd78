// Reads the library choices from notes and appends their changes to verdicts.
#include "judge/library_choices.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "judge/products.hpp"
#include "judge/reasons.hpp"
#include "result/counted.hpp"
#include "result/metric_key.hpp"

namespace gpugauge::judge {
namespace {

/// A note with a library's choice, and its words for sentences.
struct Telling {
  std::string_view note;
  std::string_view words;
};
constexpr std::array tellings{Telling{"kernel", "kernel"},
                              Telling{"numerics", "numerics"},
                              Telling{"accumulation", "accumulation"},
                              Telling{"math_mode", "math mode"},
                              Telling{"nccl.transport", "NCCL's transport"},
                              Telling{"nccl.network", "NCCL's network"},
                              Telling{"nccl.algorithm", "NCCL's algorithm"},
                              Telling{"nccl.protocol", "NCCL's protocol"}};
constexpr std::string_view best = "_best";

/// Value of a note -> number of processes with it.
using Told = std::map<std::string, int>;
/// By benchmark, then by note.
using Side = std::map<std::string, std::map<std::string, Told>>;

/// Collects the choices. If the best candidate is the first one, it has no notes of its own.
std::map<std::string, std::string> choices_of(const result::BenchmarkResult& benchmark) {
  std::map<std::string, std::string> out;
  const auto take = [&](const std::string& note, const std::string& as) {
    const auto found = benchmark.notes.find(note);
    if (found != benchmark.notes.end() && !found->second.empty()) out.emplace(as, found->second);
  };
  for (const Telling& telling : tellings) {
    const std::string name(telling.note);
    take(name, name);
    take(name + std::string(best), name + std::string(best));
    take(name, name + std::string(best));  // keeps an existing entry
  }
  take("candidate_first", "algorithm");
  take("candidate_best", "algorithm_best");
  return out;
}

Side side_of(const std::vector<result::Run>& runs) {
  Side out;
  for (const result::Run& run : runs)
    for (const result::Process& process : run.processes) {
      if (!process.samples) continue;
      for (const result::BenchmarkResult& benchmark : process.samples->benchmarks)
        for (const auto& [note, value] : choices_of(benchmark)) ++out[benchmark.id][note][value];
    }
  return out;
}

bool apart(const Told& before, const Told& now) {
  return std::none_of(now.begin(), now.end(),
                      [&](const Told::value_type& one) { return before.contains(one.first); });
}

/// The value of most processes; of equally frequent ones the first alphabetically.
const std::string& usual(const Told& told) {
  return std::max_element(told.begin(), told.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

/// Shortens two names for a sentence. Long names that begin alike are cut to shortly before their difference.
std::pair<std::string, std::string> short_names(std::string before, std::string now) {
  if (short_name(before) == short_name(now)) {
    constexpr std::ptrdiff_t kept = 20;  // characters kept of the common beginning, to locate the difference
    const auto [differs, other] = std::mismatch(before.begin(), before.end(), now.begin(), now.end());
    const auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(differs - before.begin() - kept, 0));
    before = "..." + before.substr(from);
    now = "..." + now.substr(from);
  }
  return {short_name(std::move(before)), short_name(std::move(now))};
}

/// "kernel B, before A; numerics fp32, before tf32"; "" if no choice changed.
std::string changed_choices(const Side& before, const Side& now, const std::string& benchmark,
                            std::string_view suffix) {
  const auto then = before.find(benchmark), here = now.find(benchmark);
  if (then == before.end() || here == now.end()) return "";
  std::string out;
  const auto tell = [&](const std::string& note, std::string_view words) {
    const auto was = then->second.find(note), is = here->second.find(note);
    if (was == then->second.end() || is == here->second.end() || !apart(was->second, is->second)) return;
    const auto [old_name, new_name] = short_names(usual(was->second), usual(is->second));
    out += fmt::format("{}{} {}, before {}", out.empty() ? "" : "; ", words, new_name, old_name);
  };
  for (const Telling& telling : tellings) {
    tell(fmt::format("{}{}", telling.note, suffix), telling.words);
    // The same kernel with other parameters, or a kernel whose name is not known.
    if (telling.note == "kernel" && out.empty()) tell(fmt::format("algorithm{}", suffix), "algorithm");
  }
  return out;
}

/// Whether another choice may explain the verdict.
bool in_question(const Verdict& verdict) {
  switch (verdict.kind) {
    case VerdictKind::regressed:
    case VerdictKind::improved:
    case VerdictKind::unstable:
    case VerdictKind::inconclusive:
      return verdict.judge == Judge::baseline && verdict.change.has_value();
    default:
      return false;
  }
}

}  // namespace

std::vector<std::string> tell_library_choices(const std::vector<result::Run>& before,
                                              const std::vector<result::Run>& now,
                                              std::vector<Verdict>& verdicts) {
  const Side then = side_of(before), here = side_of(now);
  std::set<std::string> said;
  for (Verdict& verdict : verdicts) {
    if (!in_question(verdict)) continue;
    const std::string benchmark = result::benchmark_of(verdict.metric);
    const std::string changed =
        changed_choices(then, here, benchmark, verdict.metric.ends_with(best) ? best : "");
    if (changed.empty()) continue;
    verdict.reason += "; " + changed;
    said.insert(benchmark);
  }
  std::vector<std::string> others;
  for (const auto& [benchmark, notes] : here)
    if (!said.contains(benchmark) && !changed_choices(then, here, benchmark, "").empty())
      others.push_back(benchmark);
  if (others.empty()) return {};
  return {
      fmt::format("The libraries chose another kernel or algorithm than before for {} of which no change "
                  "is told: {}.",
                  result::counted(others.size(), "benchmark"), some_of(others))};
}

}  // namespace gpugauge::judge
