// Names the change that brought the slowdown, for cases whose mechanism is unknown.
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/causes/logged.hpp"
#include "diagnose/causes/predicates.hpp"
#include "diagnose/version_in.hpp"
#include "stack/compat/version.hpp"

namespace gpugauge::diagnose {
namespace {

Fact harmed(const Seen& seen) {
  return either(seen.slower({}), seen.fails({}));
}

/// The driver that recovers is newer than the slow one. It fixes this driver, which tells nothing about what
/// came with it.
Fact newer_driver_recovers(const Seen& seen) {
  std::string current;
  if (const Value* version = seen.inventory("driver.version"); version != nullptr && version->number())
    current = version->text();
  if (const Fact changed = seen.changed({"driver"}); changed && seen.it().changed->contains("driver"))
    current = seen.it().changed->at("driver").after.text();
  const auto present = first_version_in(current);
  if (!present) return std::nullopt;
  for (const Probe& probe : seen.it().probes) {
    const std::size_t at = lower(probe.detail).find("driver=");
    if (probe.name != "change_version" || probe.outcome != "recovers" || at == std::string::npos) continue;
    const std::string version = probe.detail.substr(at + std::string_view("driver=").size());
    if (const auto tried = first_version_in(version); tried && *tried > *present)
      return fmt::format("driver {} recovers, which is newer", version);
  }
  return std::nullopt;
}

void examine_driver(const Seen& seen, Argument& it) {
  const std::vector<LoggedRun> logged = logged_runs(seen, "Driver Version:");
  const Fact again = faster_again_under_first(logged, "driver");
  if (harmed(seen)) {
    if (it.confirms(weight::fair, seen.changed({"driver"})) && seen.changed_only({"driver"}))
      it.confirms(weight::hint, Fact("no other version is known to have changed"));
    it.confirms(weight::strong, seen.undone("driver", {"recovers"}));
    it.confirms(weight::fair, slower_under_later_version(logged, "driver"));
    it.confirms(weight::strong, again);
    it.confirms(weight::faint, seen.told({"after driver update", "since the driver update",
                                          "after updating the driver", "since driver"}));
  }
  // Beside a way back that recovers, a worse one is the new driver coming back.
  if (!seen.undone("driver", {"recovers"})) it.rules_out(seen.undone("driver", {"no_change", "worse"}));
  it.at_most(bound::weak,
             seen.probe("change_version", {"recovers"}, {"ucx", "framework", "nccl", "cudnn", "cublas"}));
  it.at_most(bound::half, seen.recovers_by({"persistence", "clocks", "power_limit", "iommu", "acs",
                                            "EnableGpuFirmware", "gsp", "NVreg_", "sysmem"}));
  if (only_processor_bound(seen)) it.at_most(bound::weak, slower_processor(seen));
  it.unproven(bound::likely, newer_driver_recovers(seen));
  if (!seen.undone("driver", {"recovers"}) && !again)
    it.unproven(bound::half, Fact("the old driver was not measured again"));
  it.unproven(bound::below_half, changed_together(seen));
}

/// Settings that a reboot or a reload of the driver resets.
Fact volatile_setting(const Seen& seen) {
  bool passed = false;
  for (const std::string& line : seen.it().log) {
    if (!contains(line, "ACSCtl")) continue;
    if (passed && contains(line, "ReqRedir+")) return "log: ACS redirects again: \"" + line + "\"";
    passed = contains(line, "ReqRedir-");
  }
  for (const char* name : {"persistence", "power_limit", "application_clock", "clock", "gpu.mig", "host.acs",
                           "peermem", "governor", "gpu.ecc", "uvm.loaded", "numa", "shm", "compute_mode"})
    if (Fact fact = seen.field_changed(name)) return fact;
  return std::nullopt;
}

void examine_settings_lost(const Seen& seen, Argument& it) {
  const Fact told =
      either(seen.told({"reboot", "rebooted", "power cycle", "system restart", "after a restart"}),
             seen.recovers_by({"after every reboot", "after each reboot", "after every restart"}));
  const Fact reload = either(seen.changed({"driver", "os"}), told);
  const Fact lost = volatile_setting(seen);
  const Fact again = seen.recovers_by({"persistence", "clocks", "-lgc", "-ac", "-pm", "-pl", "-lmc",
                                       "power_limit", "acs", "peermem", "settings", "bind-to numa"});
  if (harmed(seen) || (lost && told)) {
    // A new driver means a reload, which resets clocks, persistence and limits to their defaults.
    if (reload)
      it.confirms(seen.slower({"coll_large", "coll_small", "p2p"}) ? weight::fair : weight::hint, reload);
    if (reload && seen.slower({"coll_large", "coll_small", "p2p"}))
      it.confirms(weight::hint,
                  Fact("collectives and copies between devices depend on settings that a reload takes back"));
    it.confirms(reload ? weight::good : weight::hint, lost);
    if (reload) it.confirms(weight::strong, again);
    if (reload && again)
      it.confirms(weight::fair, seen.told({"by hand", "in no script", "not in any script", "typed in",
                                           "manually set", "set manually", "not persistent", "in no unit"}));
  }
  if (!lost && !seen.recovers_by({"persistence", "clocks", "settings", "-pm", "-lgc", "acs", "peermem"})) {
    if (seen.it().about.changed_is_all)
      it.at_most(bound::below_half, Fact("no setting of that kind differs"));
    else
      it.unproven(bound::below_half, Fact("no setting is known to differ"));
  }
  it.at_most(bound::last_named, seen.undone("driver", {"recovers"}));
  // Going back restarts as well, and makes no setting again.
  if (!(lost && again)) it.rules_out(seen.undone("driver", {"no_change"}));
  it.at_most(
      bound::unnamed,
      in_words("another restart brings it back",
               seen.recovers_by({"host=reboot", "node=reboot", "machine=reboot", "reboot=", "power cycle"})));
}

/// True when a changed harness field is about measuring: it holds a version, a hash or words of measuring.
/// People also list other changes there.
bool is_about_measuring(const Seen& seen) {
  for (const auto& [field, change] : *seen.it().changed) {
    if (!contains(field, "harness")) continue;
    const std::string sides = change.before.text() + " " + change.after.text();
    if (contains_any_word(sides, {"bench", "suite", "script", "test", "version", "iteration", "batch", "warm",
                                  "timer", "timing", "sync", "harness", "measure", "commit"}))
      return true;
    const auto one_word = [](const Value& value) { return value.text().find(' ') == std::string::npos; };
    if (one_word(change.before) && one_word(change.after)) return true;
  }
  return false;
}

/// The framework returns before the work is done, and the GPU seems slower than the processor. The work must
/// first be timed with a wait and without the first call.
Fact slower_than_processor(const Seen& seen) {
  const Fact asynchronous = seen.framework_is({"jax", "torch", "cupy", "tensorflow", "mxnet", "mlx"});
  if (!asynchronous || seen.it().about.compared_with != "other_configuration" || !seen.it().probes.empty() ||
      !seen.changed_components().empty() || gpu_not_used(seen))
    return std::nullopt;
  for (const Metric* metric :
       seen.metrics({"framework_op", "application", "gemm32", "gemm16", "fft", "conv"}))
    if (!metric->fails && metric->factor.value_or(1) >= much_slower_from && metric->scope.size != "small" &&
        contains_any_word(metric->note, {"on the cpu", "on cpu", "than cpu", "than the cpu", "cpu takes",
                                         "cpu version", "cpu only", "cpu alone", "numpy"}))
      return "on the GPU it is called slower than on the processor: " + sentence(*metric);
  return std::nullopt;
}

/// Python times GPU work without a wait. It then measures only the launch, and the next call that waits
/// includes the earlier work.
Fact timed_without_wait(const Seen& seen) {
  Fact timed;
  for (const std::string& line : seen.it().log) {
    if (contains_any(line, {"synchroni", "block_until_ready", "elapsed_time", ".item()", ".cpu()"}))
      return std::nullopt;
    const bool clock = contains_any(line, {"time.time()*time.time()", "perf_counter()*perf_counter()"});
    if (clock && contains_any(line, {".to(device", ".cuda(", "model("}))
      timed = fmt::format("log: \"{}\"", line);
  }
  return in_words("the time is taken without waiting for the GPU", timed);
}

void examine_method(const Seen& seen, Argument& it) {
  if (const Fact changed = seen.changed({"harness"}))
    it.confirms(is_about_measuring(seen) ? weight::proof : weight::hint, changed);
  const bool same_batch = contains_any(seen.recovers_by({"batch size"}).value_or(""), {"same batch"});
  if (!same_batch) it.confirms(weight::strong, seen.recovers_by({"batch size"}));
  it.confirms(weight::strong, seen.recovers_by({"harness", "benchmark version", "synchroni", "warm-up",
                                                "warmup", "block_until_ready", "cudaEvent",
                                                "timing=", "timed", "same method", "iterations"}));
  // Beside a version such words say what was not changed.
  it.confirms(weight::strong, seen.probe("change_setting", {"recovers"},
                                         {"same arguments", "same options", "same parameters", "same flags",
                                          "same command", "same tool", "same benchmark", "same script"}));
  it.confirms(weight::good, seen.told({"missing synchroni",
                                       "without*synchroni",
                                       "not synchroni",
                                       "no synchroni",
                                       "before*synchronize",
                                       "only the launch",
                                       "asynchronous*tim",
                                       "first iteration is included",
                                       "no cudaDeviceSynchronize",
                                       "timed without",
                                       "includes compilation",
                                       "different batch size",
                                       "measurement error",
                                       "benchmark bug",
                                       "includes the first call",
                                       "including the first call",
                                       "includes the first iteration",
                                       "includes warm",
                                       "without warm-up",
                                       "without a warm-up",
                                       "without warmup",
                                       "no warm-up",
                                       "not warmed up",
                                       "includes the compil",
                                       "compile time is included",
                                       "compilation is included",
                                       "without block_until_ready",
                                       "before the kernel has finished",
                                       "returns before the work"}));
  it.confirms(weight::fair, slower_than_processor(seen));
  it.confirms(weight::good, only_queued_at_first(seen));
  if (seen.framework_is({"torch", "jax", "cupy"})) it.confirms(weight::good, timed_without_wait(seen));
  it.rules_out(seen.undone("harness", {"no_change"}));
  // Other instructions are other work, and no other way to measure it.
  it.at_most(bound::below_half, seen.instruction_lost());
}

/// An image or release brings many components at once.
void examine_mixed_upgrade(const Seen& seen, Argument& it) {
  const std::set<std::string> changed = seen.changed_components();
  const bool image = changed.contains("container");
  std::set<std::string> counted = changed;
  for (const char* name : {"harness", "container_toolkit"}) counted.erase(name);
  // A framework's wheel contains its cuDNN, cuBLAS and NCCL, so these are one change.
  const bool bundled = counted.contains("cudnn") || counted.contains("cublas") || counted.contains("nccl");
  if (counted.contains("framework") && counted.size() == 2 && bundled) counted.erase("framework");
  bool separated = false;
  for (const std::string& component : changed)
    separated = separated || seen.undone(component, {"recovers"}).has_value();
  const Fact whole = seen.probe("change_version", {"recovers"}, {"stack", "image", "everything", "snapshot"});
  if (harmed(seen)) {
    // The parts stand in the report's words only.
    if (counted.empty())
      it.confirms(weight::good,
                  both(whole, seen.told({"driver*to*CUDA*to", "CUDA*to*driver*to", "driver*to*torch",
                                         "driver*cuda*cudnn", "new kernel*driver", "upgraded*kernel*driver",
                                         "driver*and*torch", "driver*and*tensorflow", "new*driver*new*cuda",
                                         "all at once", "everything at once"})));
    if (counted.size() >= 2)
      it.confirms(weight::good, fmt::format("changed together: {}", fmt::join(counted, ", ")));
    else if (image)
      it.confirms(weight::good, in_words("an image brings many components", seen.changed({"container"})));
    if (!it.evidence().empty()) {
      it.confirms(weight::strong, whole);
      it.confirms(weight::hint, split_class(seen, {"application", "framework_op"}));
      for (const Metric& metric : seen.it().metrics)
        if (faster_by_figure(metric)) {
          it.confirms(weight::hint, sentence(metric) + " while other work is slower");
          break;
        }
      if (!separated) it.confirms(weight::hint, Fact("no probe tells the changes apart"));
      if (changed_together(seen)) it.confirms(weight::hint, Fact("three components or more changed at once"));
    }
  }
  if (separated) it.at_most(bound::below_half, Fact("putting one component back recovers"));
}

/// A switch mends it, which answers what clearing a component leaves open.
Fact setting_was_it(const Seen& seen) {
  for (const std::string_view name : {"change_setting", "unset_environment", "reset_clocks"})
    if (Fact fact = seen.probe(name, {"recovers"})) return fact;
  return std::nullopt;
}

void examine_false(const Seen& seen, Argument& it) {
  bool cleared = false;
  Fact unchanged, found;
  for (const char* component :
       {"driver", "nccl", "cudnn", "cublas", "cuda", "framework", "application", "container", "os"}) {
    const Fact undone = seen.undone(component, {"no_change", "worse"});
    if (const Fact back = seen.undone(component, {"recovers"}))
      found = back;
    else if (!undone)
      continue;
    else if (seen.changed({component})) {
      cleared = true;
      it.confirms(weight::proof, both(undone, Fact("what was suspected is not it")));
    } else {
      // Somebody tried another version of a component that is not known to have changed.
      it.confirms(weight::fair, undone);
      unchanged = fmt::format("{} is not known to have changed", component);
    }
  }
  // Between two programs or settings nobody asked which version brought it.
  const bool asked =
      seen.it().about.compared_with != "other_configuration" || !seen.changed_components().empty();
  if (!cleared) it.unproven(asked ? bound::weak : bound::unnamed, unchanged);
  // Of several changes only some were cleared.
  std::set<std::string> rest = seen.changed_components();
  std::erase_if(rest, [&](const std::string& one) {
    return one == "harness" || seen.undone(one, {"no_change", "worse", "recovers"}).has_value();
  });
  if (cleared && !rest.empty())
    it.unproven(bound::half,
                Fact(fmt::format("{} changed, too, and was not put back", fmt::join(rest, ", "))));
  // Another change was undone and was it: clearing the rest is no answer beside that one.
  it.at_most(bound::half, found);
  it.at_most(bound::half, in_words("something else was it", setting_was_it(seen)));
  if (!it.evidence().empty() && harmed(seen))
    it.confirms(weight::faint,
                seen.recovers_by({"reinstall", "everything", "clean install", "fresh install"}));
}

}  // namespace

Signatures change_causes() {
  return {
      {.name = "driver_regression",
       .title = "It came with the driver and goes with it",
       .what = "The same program is slower with this driver and normal with the one before. The mechanism is "
               "not known; known "
               "ones are preferred where they are seen.",
       .confirms = "the same binary with the old driver recovers, in both orders (old, new, old)",
       .excludes = "the old driver is as slow; a setting that the reload took back recovers; only launching "
                   "and the like is slower, and the processor itself was",
       .confused_with = {{"settings_lost_on_reboot", "are clocks, persistence and limits set as before?"},
                         {"false_attribution", "does the old driver recover?"},
                         {"stack_upgrade_mixed", "did anything else change?"}},
       .subject = Subject::change,
       .next =
           "measure old, new, old driver with the same binary and settings (gpugauge baseline, then check)",
       .reading = {"https://docs.nvidia.com/datacenter/tesla/index.html"},
       .examine = examine_driver},
      {.name = "settings_lost_on_reboot",
       .title = "A reload of the driver or a reboot took settings back",
       .what = "Clocks, persistence mode, power limits, ACS switches and loaded modules do not survive a "
               "reboot. What looks "
               "like the new driver's fault is a setting that nobody made again.",
       .confirms = "the inventories before and after differ in such a setting; making it again recovers",
       .excludes = "all settings are as before",
       .confused_with = {{"driver_regression", "does making the settings again recover with the new driver?"},
                         {"locked_clocks_left", "were clocks locked on purpose before?"}},
       .subject = Subject::change,
       .next = "gpugauge doctor diff before.json after.json; set clocks, persistence, limits and ACS as "
               "before and measure",
       .reading = {"https://docs.nvidia.com/deploy/driver-persistence/index.html"},
       .examine = examine_settings_lost},
      {.name = "measurement_method",
       .title = "What measures changed, not what is measured",
       .what = "The benchmark, its parameters or its build differ between the two sides, so the figures do "
               "not compare.",
       .confirms =
           "the suite's version or a benchmark's source hash differs; the old benchmark gives the old figure",
       .excludes = "the same benchmark was used on both sides",
       .confused_with = {{"app_kernel_regression", "is it the application or the benchmark that changed?"},
                         {"driver_regression", "was the same benchmark used on both sides?"}},
       .severity = Severity::note,
       .subject = Subject::software,
       .next = "measure both sides with one build of the suite; accept a new baseline where the suite was "
               "meant to change",
       .reading = {"https://google.github.io/benchmark/user_guide.html"},
       .examine = examine_method},
      {.name = "stack_upgrade_mixed",
       .title = "Several components, or an image of many, changed at once; nothing tells them apart yet",
       .what = "An image or system upgrade brought a new driver, libraries and framework together. Something "
               "is slower, other "
               "work may be faster; each component has to be tried alone.",
       .confirms =
           "more than one changed component, or a new image, and no probe that separates them; taking all of it back recovers",
       .excludes = "putting one component back recovers",
       .confused_with = {{"driver_regression", "is it slower with only the driver changed?"},
                         {"framework_op_regression", "is it slower with only the framework changed?"},
                         {"app_kernel_regression", "did the application change too?"}},
       .severity = Severity::note,
       .subject = Subject::change,
       .next = "put one component back at a time, the framework first, and measure; gpugauge doctor diff "
               "lists them",
       .reading = {"https://docs.nvidia.com/deeplearning/frameworks/support-matrix/index.html"},
       .examine = examine_mixed_upgrade},
      {.name = "false_attribution",
       .title = "The suspected change was undone and nothing moved",
       .what =
           "Going back to what was before did not help: the suspect is cleared, and the cause is elsewhere.",
       .confirms = "the roll-back was measured and changes nothing",
       .excludes = "the roll-back recovers",
       .confused_with = {{"driver_regression", "does the old driver recover?"},
                         {"settings_lost_on_reboot", "which settings differ from before?"}},
       .severity = Severity::note,
       .subject = Subject::software,
       .next = "gpugauge doctor diff before.json after.json, and suspect what is left",
       .reading = {"https://git-scm.com/docs/git-bisect"},
       .examine = examine_false},
  };
}

}  // namespace gpugauge::diagnose
