// Questions about what was changed and what was tried.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "diagnose/seen.hpp"
#include "diagnose/version_in.hpp"
#include "diagnose/vocabulary.hpp"
#include "stack/compat/version.hpp"

namespace gpugauge::diagnose {
namespace {

constexpr std::array<std::string_view, 12> components{
    "driver",    "nccl",        "cudnn",   "cublas",    "cuda",
    "framework", "application", "harness", "container", "container_toolkit",
    "os",        "kernel"};

/// The component that a field belongs to; "" for a setting.
std::string component_of(std::string_view field) {
  constexpr std::array<std::string_view, 12> settings{
      "kernel.kaslr",        "cuda.jit_cache",      "driver.cuda_max", "cuda.driver_version",
      "nccl.transport",      "nccl.paths",          "cudnn.copies",    "nccl.copies",
      "framework.providers", "driver.device_files", "driver.options",  "driver.parameters"};
  if (std::find(settings.begin(), settings.end(), field) != settings.end()) return "";
  const std::string_view head = field.substr(0, field.find('.'));
  if (std::find(components.begin(), components.end(), head) == components.end()) return "";
  return head == "kernel" ? "os" : std::string(head);
}

bool differs(const Change& change) {
  return change.before.is_null() || change.after.is_null() || change.before != change.after;
}

/// The name of what a probe changed: "torch" in "torch=2.1".
std::string changed_name(const Probe& probe) {
  return lower(probe.detail.substr(0, probe.detail.find('=')));
}

/// What was put in is the version that is there now: no going back.
bool is_present_version(const Seen& seen, std::string_view component, const Probe& probe) {
  const std::size_t equals = probe.detail.find('=');
  if (equals == std::string::npos || probe.detail.find(',') != std::string::npos || !seen.it().changed)
    return false;
  const auto changed = seen.it().changed->find(std::string(component));
  return changed != seen.it().changed->end() &&
         changed->second.after.text() == probe.detail.substr(equals + 1);
}

/// The version that is there now, as far as it is told.
std::optional<stack::Version> present_version(const Seen& seen, std::string_view component) {
  if (seen.it().changed)
    if (const auto changed = seen.it().changed->find(std::string(component));
        changed != seen.it().changed->end())
      return first_version_in(changed->second.after.text());
  const Value* version = seen.inventory(fmt::format("{}.version", component));
  return version == nullptr ? std::nullopt : first_version_in(version->text());
}

/// A version after the present one was tried: whatever came with the present one may be in it, too.
bool is_later_version(const Seen& seen, std::string_view component, const Probe& probe) {
  if (probe.name != "change_version") return false;
  if (contains_any_word(probe.detail, {"newer", "newest", "latest", "nightly"})) return true;
  const auto tried =
      first_version_in(probe.detail.substr(std::min(probe.detail.find('='), probe.detail.size())));
  const auto present = present_version(seen, component);
  return tried && present && *tried > *present;
}

/// One common name for things that have several names.
std::string plain_name(std::string name) {
  name = lower(name);
  if (name == "torch") return "pytorch";
  if (name == "tf") return "tensorflow";
  if (name == "jaxlib") return "jax";
  if (name == "ort") return "onnxruntime";
  return name;
}

/// A node that its peers are unlike did not change.
std::string shown(const Observation& it, const std::string& field, const Change& change) {
  const auto side = [](const Value& value) { return value.is_null() ? "?" : value.text(); };
  if (it.about.compared_with == "peers")
    return fmt::format("{} is {}, and {} on its peers", field, side(change.after), side(change.before));
  return fmt::format("{} changed from {} to {}", field, side(change.before), side(change.after));
}

Fact shown(const Probe& probe) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> outcomes{
      {{"recovers", "recovers"},
       {"no_change", "changes nothing"},
       {"worse", "makes it worse"},
       {"normal", "is normal"},
       {"slow", "is slow"},
       {"fails", "fails"},
       {"no_overlap", "shows no overlap"},
       {"succeeds", "succeeds"}}};
  std::string_view outcome = probe.outcome;
  for (const auto& [word, text] : outcomes)
    if (probe.outcome == word) outcome = text;
  const std::string what = fmt::format(
      "{}{} {}", probe.name, probe.detail.empty() ? "" : fmt::format(" ({})", probe.detail), outcome);
  const auto fact = [&](std::string sentence) {
    return probe.outcome == "recovers" ? recovering(std::move(sentence)) : Fact(std::move(sentence));
  };
  if (probe.by.empty()) return fact("tried: " + what);
  std::string figures;
  if (probe.factor) figures = fmt::format(": {:.3g} times as slow", *probe.factor);
  if (probe.factor && probe.factor_without)
    figures += fmt::format(", {:.3g} as it was", *probe.factor_without);
  return fact(fmt::format("measured by probe {}: {}{}", probe.by, what, figures));
}

bool is_one_of(const std::string& word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

Fact recovering(std::string sentence) {
  Fact out(std::move(sentence));
  out.recovers = true;
  return out;
}

std::set<std::string> Seen::changed_components() const {
  std::set<std::string> out;
  if (!it_->changed) return out;
  for (const auto& [field, change] : *it_->changed)
    if (std::string component = component_of(field); !component.empty() && differs(change))
      out.insert(std::move(component));
  return out;
}

Fact Seen::changed(Words wanted) const {
  if (!it_->changed) return std::nullopt;
  for (const auto& [field, change] : *it_->changed)
    if (is_one_of(component_of(field), wanted) && differs(change)) return shown(*it_, field, change);
  return std::nullopt;
}

bool Seen::changed_only(Words wanted) const {
  const std::set<std::string> all = changed_components();
  return !all.empty() && std::all_of(all.begin(), all.end(), [&](const std::string& component) {
    return is_one_of(component, wanted);
  });
}

Fact Seen::field_changed(std::string_view name) const {
  if (!it_->changed) return std::nullopt;
  for (const auto& [field, change] : *it_->changed)
    if (contains(field, name) && differs(change)) return shown(*it_, field, change);
  return std::nullopt;
}

namespace {

/// The first changed field whose name contains this and whose two sides pass the test.
template <typename Test>
Fact changed_so(const Observation& it, std::string_view name, const Test& is_so) {
  if (!it.changed) return std::nullopt;
  for (const auto& [field, change] : *it.changed)
    if (contains(field, name) && is_so(change)) return shown(it, field, change);
  return std::nullopt;
}

}  // namespace

Fact Seen::turned_on(std::string_view name) const {
  return changed_so(*it_, name, [](const Change& change) {
    return (change.before.off() || change.before.tells_nothing()) && change.after.on() &&
           !change.after.tells_nothing();
  });
}

Fact Seen::changed_to(std::string_view name, Words words) const {
  return changed_so(*it_, name, [&](const Change& change) {
    return contains_any(change.after.text(), words) && !contains_any(change.before.text(), words);
  });
}

Fact Seen::became_less(std::string_view name) const {
  return changed_so(*it_, name, [](const Change& change) {
    const std::optional<double> before = change.before.number(), after = change.after.number();
    return before && after && *after < *before;
  });
}

Fact Seen::became_more(std::string_view name) const {
  return changed_so(*it_, name, [](const Change& change) {
    const std::optional<double> before = change.before.number(), after = change.after.number();
    return before && after && *after > *before;
  });
}

bool Seen::knows_all_changes() const {
  const std::string& with = it_->about.compared_with;
  return it_->changed && it_->about.changed_is_all && (with == "earlier" || with == "peers");
}

Fact Seen::as_before(const std::vector<std::string_view>& names) const {
  const bool known = knows_all_changes();
  if (names.empty() || !known || !it_->errors.empty()) return std::nullopt;
  for (const auto& [field, change] : *it_->changed)
    if (differs(change) && std::any_of(names.begin(), names.end(), [&, &name = field](std::string_view one) {
          return contains(name, one);
        }))
      return std::nullopt;
  for (const Metric& metric : it_->metrics)
    if (metric.fails || metric.note == against_physical_limit) return std::nullopt;
  return it_->about.compared_with == "peers" ? "its peers have it alike"
                                             : "nothing of it is known to have changed";
}

Fact Seen::same_version(std::string_view component) const {
  if (!knows_all_changes() || changed({component})) return std::nullopt;
  const Value* version = inventory(fmt::format("{}.version", component));
  if (version != nullptr && version->number())
    return fmt::format("{}.version is {} on both sides", component, version->text());
  if (!changed_components().empty()) return std::nullopt;
  return fmt::format("nothing of {} differs between the two sides", component);
}

Fact Seen::word_lost(std::string_view word) const {
  if (!it_->changed) return std::nullopt;
  for (const auto& [field, change] : *it_->changed)
    if (contains(change.before.text(), word) && !contains(change.after.text(), word))
      return shown(*it_, field, change);
  return std::nullopt;
}

Fact Seen::probe(std::string_view name, Words outcomes, Words details) const {
  for (const Probe& probe : it_->probes)
    if (probe.name == name && is_one_of(probe.outcome, outcomes) &&
        (details.size() == 0 || contains_any_word(probe.detail, details)))
      return shown(probe);
  return std::nullopt;
}

Fact Seen::undone(std::string_view component, Words outcomes) const {
  for (const Probe& probe : it_->probes) {
    if (!is_one_of(probe.outcome, outcomes) || is_present_version(*this, component, probe)) continue;
    // Such a one that recovers has the fault mended; one that does not tells nothing of the versions before.
    if (probe.outcome != "recovers" && is_later_version(*this, component, probe)) continue;
    const bool driver = probe.name == "same_binary_old_driver" && component == "driver";
    const bool library = probe.name == "same_binary_old_library" || probe.name == "change_version";
    // A probe that does not name its version refers to the only component that changed.
    const std::string named = component_of(probe.detail.substr(0, probe.detail.find('=')));
    const bool meant = contains_word(probe.detail, component) && (named.empty() || named == component);
    // The program may be given by its own name: "llama.cpp=b2000".
    const Value* framework = inventory("framework.name");
    const std::string name = changed_name(probe);
    const bool by_name =
        (component == "framework" || component == "application") && named.empty() &&
        name.size() < probe.detail.size() && changed_components().contains(std::string(component)) &&
        (framework != nullptr && !name.empty() && plain_name(framework->text()) == plain_name(name));
    const bool only =
        probe.detail.empty() && changed_components() == std::set<std::string>{std::string(component)};
    if (driver || (library && (meant || only || by_name))) return shown(probe);
  }
  return std::nullopt;
}

Fact Seen::recovers_by(Words details, double* share) const {
  for (const Probe& probe : it_->probes) {
    const bool setting = is_one_of(probe.name, {"change_setting", "unset_environment", "change_version",
                                                "reset_clocks", "other_library"});
    if (!setting || !is_one_of(probe.outcome, {"recovers", "normal"}) ||
        !contains_any_word(probe.detail, details))
      continue;
    if (share != nullptr)
      *share = 1.0 / static_cast<double>(1 + std::count(probe.detail.begin(), probe.detail.end(), ','));
    return shown(probe);
  }
  return std::nullopt;
}

Fact Seen::unmoved_by(Words details) const {
  for (const Probe& probe : it_->probes) {
    const bool setting = is_one_of(probe.name, {"change_setting", "unset_environment", "reset_clocks"});
    if (setting && is_one_of(probe.outcome, {"no_change", "worse"}) &&
        contains_any_word(probe.detail, details))
      return shown(probe);
  }
  return std::nullopt;
}

}  // namespace gpugauge::diagnose
