// Answers the questions of predicates.hpp from an observation.
#include "diagnose/causes/predicates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/causes/gpu_model.hpp"
#include "diagnose/vocabulary.hpp"

namespace gpugauge::diagnose {

Fact either(const Fact& one, const Fact& other) {
  return one ? one : other;
}

Fact both(const Fact& one, const Fact& other) {
  if (!one || !other) return std::nullopt;
  Fact out(*one + "; " + *other);
  out.recovers = one.recovers || other.recovers;
  return out;
}

Fact in_words(std::string_view words, const Fact& fact) {
  if (!fact) return std::nullopt;
  Fact out(fmt::format("{} ({})", words, *fact));
  out.recovers = fact.recovers;
  return out;
}

Fact slower_processor(const Seen& seen) {
  constexpr double clearly = 1.1;
  constexpr double another_way = 3;
  const double now = seen.number("clock_reading_ns").value_or(0);
  const double then = seen.number("clock_reading_expected_ns").value_or(0);
  if (then <= 0 || now < clearly * then || now >= another_way * then) return std::nullopt;
  if (!seen.slower({"launch", "sync", "alloc"})) return std::nullopt;
  return fmt::format("the processor itself was slower: reading its clock took {:.1f} ns, {:.1f} before", now,
                     then);
}

bool only_processor_bound(const Seen& seen) {
  constexpr std::array bound{"launch", "sync", "alloc", "host_cpu", "framework_op"};
  const auto& all = seen.it().metrics;
  return std::all_of(all.begin(), all.end(), [&](const Metric& metric) {
    return (!slower_by_figure(metric) && !metric.fails) ||
           std::find(bound.begin(), bound.end(), metric.metric_class) != bound.end();
  });
}

Fact slow_start(const Seen& seen) {
  if (Fact fact = seen.slower({"init", "first_launch"})) return fact;
  for (const std::string_view phase : {"startup", "first_call", "new_process"})
    if (Fact fact = seen.slower({}, {.phase = phase})) return fact;
  return std::nullopt;
}

bool only_starts(const Seen& seen) {
  const auto& all = seen.it().metrics;
  return slow_start(seen) && std::all_of(all.begin(), all.end(), [](const Metric& metric) {
           const std::string& phase = metric.scope.phase;
           return metric.metric_class == "init" || metric.metric_class == "first_launch" ||
                  phase == "startup" || phase == "first_call" || phase == "new_process" ||
                  !(metric.fails || slower_by_figure(metric) || is_noted_slower(metric));
         });
}

bool start_compared(const Seen& seen) {
  if (is_compared(seen, {"init", "first_launch"})) return true;
  const auto& all = seen.it().metrics;
  return std::any_of(all.begin(), all.end(), [](const Metric& metric) {
    const std::string& phase = metric.scope.phase;
    return metric.factor && (phase == "startup" || phase == "first_call" || phase == "new_process");
  });
}

Fact warm_is_normal(const Seen& seen) {
  if (Fact fact = seen.probe("repeat_warm", {"normal", "recovers"})) return fact;
  return seen.unchanged({}, {.phase = "warm"});
}

Fact slow_together(const Seen& seen) {
  if (Fact fact = seen.slower({"coll_large", "coll_small"})) return fact;
  const bool several = seen.it().about.gpus.value_or(1) > 1 || seen.it().about.nodes.value_or(1) > 1;
  return several ? seen.slower(application_classes) : std::nullopt;
}

Fact low_clock(const Seen& seen) {
  if (seen.capped_by_design()) return std::nullopt;
  if (Fact fact = seen.below("sm_clock_mhz", "sm_clock_expected_mhz")) return fact;
  // No working GPU is that slow.
  constexpr double idling = 500;
  const Fact slow = seen.slower({});
  if (seen.number("sm_clock_expected_mhz") || !slow) return std::nullopt;
  return seen.less_than("sm_clock_mhz", idling);
}

Fact impossible_power(const Seen& seen) {
  const std::optional<double> power = seen.number("power_w");
  const std::optional<double> limit = seen.number("power_limit_w");
  constexpr double beyond_any_spike = 3;
  if (!power || !limit || *limit <= 0 || *power < beyond_any_spike * *limit) return std::nullopt;
  return fmt::format("power_w = {:g} with a limit of {:g} is no draw of this card", *power, *limit);
}

Fact gpu_not_used(const Seen& seen) {
  if (Fact fact = seen.on("ran_on", {"cpu"})) return fact;
  const std::optional<double> busy = seen.number("utilization_percent");
  const std::optional<double> used = seen.number("memory_used_mib");
  constexpr double nothing_percent = 3;
  constexpr double nothing_mib = 20;
  if (busy && *busy <= nothing_percent && (!used || *used <= nothing_mib))
    return fmt::format("the GPU is idle while the work runs: {:g}% busy{}", *busy,
                       used ? fmt::format(", {:g} MiB used", *used) : "");
  if (!busy && used && *used <= nothing_mib)
    return fmt::format("the work uses no memory of the GPU: {:g} MiB", *used);
  return std::nullopt;
}

Fact left_gpu_memory(const Seen& seen) {
  if (!seen.slower(application_classes)) return std::nullopt;
  return both(seen.changed({"application", "framework"}), seen.moved("memory_used", {"lower"}));
}

Fact waits_for_data(const Seen& seen) {
  if (Fact fact = seen.told({"wait*for*data", "wait*data load", "waits for the load", "data load*bottleneck",
                             "dataloader*bottleneck", "loader*slow", "loading*dominat", "data loading takes",
                             "bound by the input", "input bound", "input-bound", "input pipeline*slow",
                             "input pipeline*bottleneck", "starv", "time is spent in the data"}))
    return fact;
  // Matches a progress line: "Data 3.556s (0.517s)", "data_time: 0.217".
  const auto tells = [](const std::string& text) {
    const std::string low = lower(text);
    for (const std::string_view name : {"data ", "data: ", "data=", "data_time", "data time", "load time"})
      for (std::size_t at = low.find(name); at != std::string::npos; at = low.find(name, at + 1)) {
        const std::size_t digit = low.find_first_not_of(" :=(", at + name.size());
        const bool word = at == 0 || low[at - 1] == ' ' || low[at - 1] == ',' || low[at - 1] == ';';
        constexpr std::size_t apart = 3;
        if (word && digit != std::string::npos && digit - at - name.size() <= apart && low[digit] >= '0' &&
            low[digit] <= '9')
          return true;
      }
    return false;
  };
  for (const Metric& metric : seen.it().metrics)
    if (tells(metric.note)) return fmt::format("the report gives the time for data: \"{}\"", metric.note);
  for (const std::string& line : seen.it().log)
    if (tells(line)) return fmt::format("log: \"{}\"", line);
  return std::nullopt;
}

Fact invalid_ordinal(const Seen& seen) {
  return seen.error(101, {"invalid device ordinal", "CUDA_ERROR_INVALID_DEVICE", "cudaErrorInvalidDevice",
                          "device < num_gpus", "device < num_devices", "device < device_count",
                          "device_id*out of range", "device index*out of range", "invalid device id",
                          "device id*is invalid", "Invalid CUDA 'device="});
}

Fact slower_together_than_alone(const Seen& seen) {
  // Between machines the network counts, which no cause within one machine explains.
  const bool one_machine = seen.it().about.nodes.value_or(1) < 2;
  if (seen.it().about.gpus.value_or(1) < 2 || !one_machine ||
      seen.it().about.compared_with != "other_configuration")
    return std::nullopt;
  for (const Metric* metric : seen.metrics(application_classes))
    if (!metric->fails && metric->factor.value_or(1) >= much_slower_from &&
        contains_any_word(metric->note, {"with 1", "1 gpu", "one gpu", "single gpu", "single-gpu", "one card",
                                         "single card", "1 card", "on one", "one device", "single device"}))
      return "several GPUs together are slower than one: " + sentence(*metric);
  return std::nullopt;
}

Fact node_refused(const Seen& seen, std::string_view node) {
  for (const std::string_view denial :
       {"no such file", "no such device", "permission denied", "not permitted", "not found", "missing",
        "exist", "absent", "gone", "cannot", "can't", "could not", "failed", "unable", "not present",
        "not mounted", "not there", "input/output error"})
    if (Fact fact = seen.told({fmt::format("{}*{}", node, denial)})) return fact;
  for (const std::string_view denial :
       {"cannot access*", "cannot open*", "can't open*", "could not open*", "cannot stat*", "failed to open*",
        "unable to open*", "missing*", "lacks ", "without ", "no ", "not mounted*"})
    if (Fact fact = seen.told({fmt::format("{}{}", denial, node)})) return fact;
  return std::nullopt;
}

Fact other_shape_recovers(const Seen& seen) {
  return seen.recovers_by(
      {"batch=",  "batch_size=", "dtype=",     "shape=",    "size=",       "seq_len", "sequence length=",
       "hidden",  "head_dim",    "dim=",       "n=",        "m=",          "k=",      "width=",
       "height=", "resolution=", "image_size", "channels=", "kernel_size", "stride=", "groups=",
       "dilation"});
}

Fact split_class(const Seen& seen, Words classes) {
  for (const std::string_view name : classes)
    if (seen.movement(name) == Movement::mixed) return fmt::format("{} is slower only in part", name);
  return std::nullopt;
}

Fact only_misaligned(const Seen& seen) {
  return seen.slower({}, {.aligned = true}) ? Fact() : seen.slower({}, {.aligned = false});
}

Fact only_channels_first(const Seen& seen) {
  for (const std::string_view last : {"NHWC", "channels_last", "NDHWC"})
    if (seen.slower({}, {.layout = last})) return std::nullopt;
  return either(seen.slower({}, {.layout = "NCHW"}), seen.slower({}, {.layout = "channels_first"}));
}

Fact split_types(const Seen& seen, Words classes, const Where& where) {
  const std::vector<const Metric*> metrics = seen.metrics(classes, where);
  // By class and library, the first figures that are no slower, of two types: one of them is not the slow one's.
  std::map<std::pair<std::string, std::string>, std::vector<const Metric*>> unchanged;
  for (const Metric* other : metrics) {
    if (!other->factor || slower_by_figure(*other) || other->scope.dtype.empty()) continue;
    std::vector<const Metric*>& found = unchanged[{other->metric_class, other->scope.library}];
    if (found.empty() || (found.size() == 1 && found.front()->scope.dtype != other->scope.dtype))
      found.push_back(other);
  }
  for (const Metric* slow : metrics) {
    const bool slower = slow->fails || slower_by_figure(*slow);
    if (!slower || slow->scope.dtype.empty()) continue;
    for (const Metric* other : unchanged[{slow->metric_class, slow->scope.library}])
      if (other->scope.dtype != slow->scope.dtype)
        return fmt::format("{}, and {}", sentence(*slow), sentence(*other));
  }
  return std::nullopt;
}

Fact own_products_as_slow(const Seen& seen, Words classes, std::string_view library) {
  constexpr double part = .5;
  for (const std::string_view name : classes) {
    const Metric* own = nullptr;
    double theirs = 1;
    for (const Metric* metric : seen.metrics({name})) {
      if (!slower_by_figure(*metric)) continue;
      if (metric->scope.library == own_library) {
        if (own == nullptr || *metric->factor > *own->factor) own = metric;
      } else if (contains(metric->scope.library, library)) {
        theirs = std::max(theirs, *metric->factor);
      }
    }
    if (own != nullptr && std::log(*own->factor) >= part * std::log(theirs))
      return "products without the library are as slow: " + sentence(*own);
  }
  return std::nullopt;
}

namespace {

/// Equal for two figures of the same work; `phase`: whether that counts.
std::string work_of(const Metric& metric, bool phase) {
  const Scope& it = metric.scope;
  const char* const aligned = !it.aligned ? "" : *it.aligned ? "aligned" : "not aligned";
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", metric.metric_class, it.op, it.dtype,
                     it.layout, it.size, aligned, it.library, it.direction, it.gpu, it.node, it.framework,
                     it.path, phase ? it.phase : "");
}

}  // namespace

Fact same_work_normal(const Seen& seen) {
  if (seen.it().about.compared_with != "expected") return std::nullopt;
  for (const Metric& slow : seen.it().metrics) {
    if (!slower_by_figure(slow) && !is_noted_slower(slow)) continue;
    for (const Metric& normal : seen.it().metrics)
      if (normal.factor && !normal.fails && !slower_by_figure(normal) &&
          work_of(normal, true) == work_of(slow, true))
        return fmt::format("against another reference the same work is not slower: {}", sentence(normal));
  }
  return std::nullopt;
}

Fact only_queued_at_first(const Seen& seen) {
  constexpr double far_apart = 200;
  for (const Metric& slow : seen.it().metrics) {
    const std::string& phase = slow.scope.phase;
    const bool later = phase.empty() || phase == "warm" || phase == "back_to_back";
    if (slow.fails || !later || !slower_by_figure(slow) || *slow.factor < far_apart) continue;
    for (const Metric& first : seen.it().metrics)
      if (first.scope.phase == "first_call" && first.factor && !slower_by_figure(first) &&
          work_of(first, false) == work_of(slow, false))
        return fmt::format("the first calls are the quick ones: {}, and {}", sentence(first), sentence(slow));
  }
  return std::nullopt;
}

Fact gpu_computes(const Seen& seen) {
  for (const Metric* metric : seen.metrics(
           {"gemm64", "gemm32", "gemmtf32", "gemm16", "gemm8", "hbm", "l2", "launch", "attention", "fft"}))
    if (metric->factor && !metric->fails) return "the GPU computes: " + sentence(*metric);
  return std::nullopt;
}

Fact clock_as_expected(const Seen& seen) {
  const std::optional<double> now = seen.number("sm_clock_mhz");
  const std::optional<double> then = seen.number("sm_clock_expected_mhz");
  if (!now || !then || seen.below("sm_clock_mhz", "sm_clock_expected_mhz")) return std::nullopt;
  return fmt::format("the SM clock is as expected: {:.4g} MHz of {:.4g}", *now, *then);
}

namespace {

/// The names in a text: words of three letters or more, in lower case, without those that tell of versions.
std::set<std::string> names_in(std::string_view text) {
  const std::set<std::string> of_versions{
      "version", "release", "commit", "branch",  "before", "after", "older", "newer", "old",   "new",
      "main",    "master",  "latest", "earlier", "with",   "the",   "and",   "from",  "build", "image"};
  std::set<std::string> out;
  std::string word;
  for (const char c : lower(text) + " ") {
    if (c >= 'a' && c <= 'z') {
      word += c;
      continue;
    }
    constexpr std::size_t shortest = 3;
    if (word.size() >= shortest && !of_versions.contains(word)) out.insert(word);
    word.clear();
  }
  return out;
}

}  // namespace

Fact two_programs(const Seen& seen, std::string_view component) {
  if (seen.it().about.compared_with != "other_configuration" || !seen.it().changed) return std::nullopt;
  const auto found = seen.it().changed->find(std::string(component));
  if (found == seen.it().changed->end()) return std::nullopt;
  const std::set<std::string> one = names_in(found->second.before.text());
  const std::set<std::string> other = names_in(found->second.after.text());
  const bool shared =
      std::any_of(one.begin(), one.end(), [&](const std::string& name) { return other.contains(name); });
  // Inputs of a program, which end as files do: "water.pdb".
  const auto is_file = [](const std::string& text) {
    const std::size_t dot = text.rfind('.');
    constexpr std::size_t longest = 5;
    return dot != std::string::npos && dot + 2 < text.size() && text.size() - dot - 1 <= longest &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(dot) + 1, text.end(),
                       [](char c) { return c >= 'a' && c <= 'z'; });
  };
  if (is_file(found->second.before.text()) && is_file(found->second.after.text()))
    return fmt::format("{} and {} are two inputs", found->second.before.text(), found->second.after.text());
  if (one.empty() || other.empty() || shared) return std::nullopt;
  return fmt::format("{} and {} are compared, which are not two versions of one", found->second.before.text(),
                     found->second.after.text());
}

std::optional<stack::Version> first_toolkit(const Seen& seen) {
  const stack::Architecture* const row = architecture(seen);
  return row == nullptr ? std::nullopt : std::optional(row->first_cuda);
}

bool framework_known(const Seen& seen) {
  const auto& all = seen.it().metrics;
  return seen.inventory("framework.name") != nullptr ||
         std::any_of(all.begin(), all.end(),
                     [](const Metric& metric) { return !metric.scope.framework.empty(); });
}

void without_slowness(Argument& argument, double most, std::string_view work, bool compared) {
  if (compared)
    argument.at_most(most, fmt::format("{} is not slower", work));
  else
    argument.unproven(most, fmt::format("{} was not compared", work));
}

bool is_compared(const Seen& seen, Words classes) {
  const auto metrics = seen.metrics(classes);
  return std::any_of(metrics.begin(), metrics.end(),
                     [](const Metric* metric) { return metric->factor.has_value(); });
}

Fact changed_together(const Seen& seen) {
  std::set<std::string> changed = seen.changed_components();
  for (const std::string& component : changed)
    if (seen.undone(component, {"recovers"})) return std::nullopt;
  for (const char* name : {"harness", "application", "container_toolkit"}) changed.erase(name);
  if (changed.size() < 3) return std::nullopt;
  return fmt::format("changed together: {}", fmt::join(changed, ", "));
}

}  // namespace gpugauge::diagnose
