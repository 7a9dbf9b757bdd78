// Variants of an observation: with one fact less, and with the same facts in other words.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "diagnose/told/told.hpp"
#include "unit/diagnose/cases.hpp"

namespace gpugauge::diagnose {

struct Variant {
  std::string what;
  Observation observation;
};

/// Each single item of each part left out in turn.
inline std::vector<Variant> without_one_fact(const Observation& whole) {
  std::vector<Variant> out;
  const auto add = [&](std::string what, const std::function<void(Observation&)>& change) {
    Variant variant{std::move(what), whole};
    change(variant.observation);
    out.push_back(std::move(variant));
  };
  const auto list = [&](const char* name, auto part) {
    for (std::size_t i = 0; i < (whole.*part).size(); ++i)
      add(name + ("[" + std::to_string(i) + "]"),
          [&](Observation& it) { (it.*part).erase((it.*part).begin() + static_cast<std::ptrdiff_t>(i)); });
  };
  const auto table = [&](auto part) {
    for (const auto& entry : whole.*part)
      add(entry.first, [&](Observation& it) { (it.*part).erase(entry.first); });
  };
  list("metrics", &Observation::metrics);
  list("errors", &Observation::errors);
  list("log", &Observation::log);
  list("kernels", &Observation::kernels);
  list("sass", &Observation::sass);
  list("numerics", &Observation::numerics);
  list("probes", &Observation::probes);
  table(&Observation::telemetry);
  table(&Observation::moved);
  table(&Observation::inventory);
  table(&Observation::environment);
  table(&Observation::settings);
  if (whole.changed)
    for (const auto& entry : *whole.changed)
      add("changed " + entry.first, [&](Observation& it) { it.changed->erase(entry.first); });
  add("about", [](Observation& it) { it.about = {}; });
  return out;
}

inline void to_upper(std::string& text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
}

/// The same facts said otherwise: errors by number only or by text only, log lines with a prefix or in
/// capitals, the text of an error as a line of a log, larger and smaller factors, no notes, parts in another
/// order.
inline std::vector<Variant> said_otherwise(const Observation& whole) {
  std::vector<Variant> out;
  const auto add = [&](std::string what, const std::function<void(Observation&)>& change) {
    Variant variant{std::move(what), whole};
    change(variant.observation);
    if (!(variant.observation == whole)) out.push_back(std::move(variant));
  };
  add("order", [](Observation& it) {
    std::reverse(it.metrics.begin(), it.metrics.end());
    std::reverse(it.log.begin(), it.log.end());
    std::reverse(it.probes.begin(), it.probes.end());
    std::reverse(it.errors.begin(), it.errors.end());
  });
  add("notes", [](Observation& it) {
    for (Metric& metric : it.metrics) metric.note.clear();
  });
  add("log with a prefix", [](Observation& it) {
    for (std::string& line : it.log) line.insert(0, "[2026-11-03 10:11:12] worker-3: ");
  });
  add("log in capitals", [](Observation& it) {
    for (std::string& line : it.log) to_upper(line);
  });
  add("errors as log lines", [](Observation& it) {
    for (const ErrorSeen& error : it.errors)
      if (!error.text.empty()) {
        it.log.push_back(error.text);
        it.errors.erase(it.errors.begin());
        return;
      }
  });
  add("codes as text", [](Observation& it) {
    for (ErrorSeen& error : it.errors)
      if (error.code.plain_number() != nullptr) {
        error.text =
            "RuntimeError: Error " + error.code.text() + (error.text.empty() ? "" : ": " + error.text);
        error.code = Value();
      }
  });
  add("codes as quoted numbers", [](Observation& it) {
    for (ErrorSeen& error : it.errors)
      if (error.code.plain_number() != nullptr) error.code = Value(error.code.text());
  });
  for (const double stretch : {.8, 1.5})
    add("factors stretched", [stretch](Observation& it) {
      for (Metric& metric : it.metrics)
        if (metric.factor && *metric.factor > 1.15) metric.factor = 1 + (*metric.factor - 1) * stretch;
    });
  add("measured again within the noise", [](Observation& it) {
    double jitter = .99;
    for (Metric& metric : it.metrics)
      if (metric.factor) {
        *metric.factor *= jitter;
        jitter = jitter < 1 ? 1.01 : .99;
      }
  });
  add("frameworks by another name", [](Observation& it) {
    for (Metric& metric : it.metrics)
      if (metric.scope.framework == "torch") metric.scope.framework = "pytorch";
    if (const auto name = it.inventory.find("framework.name");
        name != it.inventory.end() && name->second == Value("torch"))
      name->second = Value("PyTorch");
  });
  add("switches as words", [](Observation& it) {
    for (auto* part : {&it.inventory, &it.settings})
      for (auto& [key, value] : *part)
        if (value.flag() != nullptr) value = Value(*value.flag() ? "on" : "off");
  });
  return out;
}

/// What `diagnose --log FILE --says TEXT` would have of a report: its messages, its log and its notes. None without a
/// message or a log.
inline std::vector<Variant> texts_alone(const Observation& whole) {
  Observation out;
  for (const ErrorSeen& error : whole.errors)
    if (!error.text.empty()) out.log.push_back(error.text);
  out.log.insert(out.log.end(), whole.log.begin(), whole.log.end());
  if (out.log.empty()) return {};
  for (const Metric& metric : whole.metrics)
    if (!metric.note.empty()) {
      Metric said;
      said.metric_class = "application";
      said.note = metric.note;
      out.metrics.push_back(std::move(said));
      read_words(metric.note, out);
    }
  read_log(out);
  return {{"texts alone", std::move(out)}};
}

/// The same report as another person would encode it: coarse classes, codes left out, lines of the log as
/// errors and errors as lines of the log, words in place of figures, versions with a suffix.
inline std::vector<Variant> encoded_otherwise(const Observation& whole) {
  std::vector<Variant> out;
  const auto add = [&](std::string what, const std::function<void(Observation&)>& change) {
    Variant variant{std::move(what), whole};
    change(variant.observation);
    if (!(variant.observation == whole)) out.push_back(std::move(variant));
  };
  add("coarse classes", [](Observation& it) {
    for (Metric& metric : it.metrics) {
      if (metric.metric_class == "application") continue;
      if (metric.scope.op.empty()) metric.scope.op = metric.metric_class;
      metric.metric_class = "application";
    }
  });
  add("codes left out", [](Observation& it) {
    for (ErrorSeen& error : it.errors)
      if (!error.text.empty()) error.code = Value();
  });
  add("texts of errors left out", [](Observation& it) {
    for (ErrorSeen& error : it.errors)
      if (!error.code.is_null()) error.text.clear();
  });
  add("errors in the log", [](Observation& it) {
    for (const ErrorSeen& error : it.errors)
      it.log.push_back((error.code.is_null() ? "" : "error " + error.code.text() + ": ") + error.text);
    it.errors.clear();
  });
  add("log as errors", [](Observation& it) {
    std::vector<std::string> left;
    for (std::string& line : it.log)
      if (contains_any(line, {"error", "fail", "warn", "cannot", "unable", "mismatch", "timeout"}))
        it.errors.push_back({"", Value(), std::move(line)});
      else
        left.push_back(std::move(line));
    it.log = std::move(left);
  });
  add("words in place of figures", [](Observation& it) {
    for (Metric& metric : it.metrics)
      if (metric.factor && *metric.factor >= 1.03) {
        metric.factor.reset();
        metric.note = "slower; " + metric.note;
      }
  });
  add("versions with a suffix", [](Observation& it) {
    for (const char* key : {"framework.version", "cuda.toolkit", "nccl.version", "cudnn.version"})
      if (const auto found = it.inventory.find(key);
          found != it.inventory.end() && found->second.plain_text() != nullptr)
        found->second =
            Value(found->second.text() + (std::string(key) == "nccl.version" ? "+cuda12.4" : ".post1"));
  });
  return out;
}

}  // namespace gpugauge::diagnose
