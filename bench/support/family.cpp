// Runs one family process: checks the machine, runs the chosen benchmarks, writes the sample file.
#include "support/family.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>
#include <utility>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "result/build.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/occupied.hpp"
#include "result/window.hpp"
#include "support/beside.hpp"
#include "support/environment.hpp"
#include "support/fresh_process.hpp"
#include "support/gpu_room.hpp"
#include "support/host_facts.hpp"
#include "support/interrupt.hpp"
#include "support/options.hpp"
#include "support/recorder.hpp"
#include "support/requirements.hpp"
#include "support/scratch.hpp"
#include "support/statistics.hpp"
#include "support/trial.hpp"
#include "support/without_line.hpp"

namespace gpugauge::bench {

namespace {

using result::BenchmarkResult;
using result::Status;

BenchmarkResult unmeasured(const Instance& instance, Status status, std::string reason) {
  BenchmarkResult outcome;
  outcome.id = instance.id;
  outcome.parameters = instance.parameters;
  outcome.status = status;
  outcome.reason = std::move(reason);
  return outcome;
}

BenchmarkResult unmeasured(const Instance& instance, const Skipped& skipped) {
  BenchmarkResult outcome = unmeasured(instance, skipped.status, skipped.reason);
  if (skipped.occupied) outcome.notes[result::occupied_note] = "true";
  return outcome;
}

/// Why nothing can be measured in this process any more; "" while something can.
std::string& lost_because() {
  static std::string reason;
  return reason;
}

// A failed benchmark may have made the rest of the process unusable; the later ones are not at fault.
void look_for_loss(const BenchmarkResult& outcome) {
  if (outcome.status != Status::failed || !lost_because().empty() || !environment().lost) return;
  if (const auto reason = environment().lost())
    lost_because() = fmt::format("not measured: after {} {}", outcome.id, *reason);
}

BenchmarkResult measured(const Instance& instance, const Window& window, const Trial::Loop& loop,
                         const Trial::Keep& keep) {
  if (interrupted()) return unmeasured(instance, Status::interrupted, interruption());
  if (!lost_because().empty()) return unmeasured(instance, Status::skipped, lost_because());
  try {
    if (auto reason = unmet(instance.definition->requirements))
      return unmeasured(instance, Status::skipped, std::move(*reason));
    Trial trial(instance, window, input_seed, loop, keep);
    if (environment().notes)
      for (const auto& [key, value] : environment().notes()) trial.note(key, value);
    instance.definition->run(trial);
    return trial.finish();
  } catch (const Skipped& skipped) {
    return unmeasured(instance, skipped);
  } catch (const Interrupted&) {
    return unmeasured(instance, Status::interrupted, interruption());
  } catch (const OutOfGpuMemory& lack) {
    // The benchmark's own memory is freed by now, so memory still in use belongs to others.
    const auto memory = environment().gpu_memory ? environment().gpu_memory() : std::nullopt;
    return unmeasured(instance, without_room(lack.what(), memory && held_by_others(lack, *memory)));
  } catch (const std::bad_alloc& error) {
    const std::string what = error.what();
    return unmeasured(instance, Status::skipped,
                      what == "std::bad_alloc" ? "needs more memory than there is" : what);
  } catch (const LacksCode& error) {
    return unmeasured(instance, Status::skipped, error.what());
  } catch (const std::exception& error) {
    return unmeasured(instance, Status::failed, error.what());
  } catch (...) {
    return unmeasured(instance, Status::failed, "an exception of an unknown type");
  }
}

// One run by Google Benchmark. The whole window is measured inside the first iteration, so that it ends by
// wall time and not by count. Each iteration then reports one batch as seconds per operation, or the mean
// where there are fewer batches than iterations.
void enter(benchmark::State& state, const Instance& instance, const Window& window, Recorder& recorder) {
  bool looped = false;
  const Trial::Loop loop = [&](const Trial::Measure& measure) {
    looped = true;
    const result::Batches* batches = nullptr;
    double mean = 0;
    std::size_t index = 0;
    for ([[maybe_unused]] auto _ : state) {
      if (batches == nullptr) {
        batches = &measure();
        mean = seconds_per_operation(*batches, Statistic::mean);
      }
      const std::vector<double>& seconds = batches->seconds_per_operation;
      state.SetIterationTime(index < seconds.size() ? seconds[index] : mean);
      ++index;
    }
  };
  const Trial::Keep keep = [&](BenchmarkResult so_far, const std::string& next) {
    recorder.keep(std::move(so_far), fmt::format("the process ended while {}", next));
  };
  recorder.begin(instance.id, instance.parameters);
  BenchmarkResult outcome = measured(instance, window, loop, keep);
  look_for_loss(outcome);
  if (outcome.status != Status::ok) {
    state.SkipWithError(outcome.reason.c_str());
  } else {
    if (!looped)
      for ([[maybe_unused]] auto _ : state) state.SetIterationTime(0);
    state.counters["batches"] = static_cast<double>(outcome.batches.seconds_per_operation.size());
    state.counters["operations"] = static_cast<double>(outcome.batches.operations_per_batch);
    for (const result::Metric& metric : outcome.metrics) state.counters[metric.name] = metric.value;
  }
  recorder.add(std::move(outcome));
}

bool is_for_other_gpus(const Instance& instance) {
  return stands_in_elsewhere(instance.definition->requirements);
}

// Benchmarks that replace others on other GPUs are not part of what this GPU is asked. A skip in every result
// would tell nothing. Where nothing else was chosen, they are skipped with a reason.
void leave_out_stand_ins(std::vector<Instance>& chosen) {
  if (!std::all_of(chosen.begin(), chosen.end(), is_for_other_gpus)) std::erase_if(chosen, is_for_other_gpus);
}

// Registers with Google Benchmark and runs. Returns false when it does not know a flag.
bool run_benchmarks(const std::string& program, const Options& options, const std::vector<Instance>& chosen,
                    Recorder& recorder) {
  for (const Instance& instance : chosen) {
    const Window window = window_of(instance, options.window_for(*instance.definition),
                                    options.mean_window_seconds, options.sustained_seconds);
    const double batches =
        std::clamp<double>(window.seconds / window.batch_seconds, result::fewest_batches, 2000);
    benchmark::RegisterBenchmark(
        instance.id.c_str(),
        [&instance, window, &recorder](benchmark::State& state) { enter(state, instance, window, recorder); })
        ->Iterations(static_cast<benchmark::IterationCount>(batches))
        ->UseManualTime();
  }
  std::vector<std::string> words{program};
  words.insert(words.end(), options.rest.begin(), options.rest.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(words.size());
  unsetenv("BENCHMARK_FILTER");  // the filter was applied when the instances were chosen
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return false;
  // Debian builds the library with assertions, so it warns of its own loop. That loop is around our windows, not
  // in them.
  const WithoutLine left_out(std::cerr, "***WARNING*** Library was built as DEBUG. Timings may be affected.");
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return true;
}

int exit_code(const result::Samples& samples) {
  if (samples.status == Status::unavailable) return exit_unavailable;
  const auto any = [&](Status status) {
    return std::any_of(samples.benchmarks.begin(), samples.benchmarks.end(),
                       [=](const BenchmarkResult& one) { return one.status == status; });
  };
  if (any(Status::failed)) return exit_failed;
  return any(Status::interrupted) ? exit_interrupted : exit_ok;
}

std::string rank_name() {
  return environment().rank_name ? environment().rank_name() : "";
}

/// The path of the sample file, if any: the one asked for. A rank of several keeps its samples even if nobody
/// asked.
std::optional<std::filesystem::path> sample_file(const FamilyInfo& family, const Options& options) {
  const Environment& here = environment();
  const std::string rank = rank_name();
  if (options.samples) return samples_path(*options.samples, rank);
  return samples_path(family.name, rank.empty() || !here.job_name ? "" : here.job_name(), rank);
}

// Writes the sample file, and prints its name where no flag named it.
void keep(const FamilyInfo& family, const Options& options, const result::Samples& samples) {
  const auto file = sample_file(family, options);
  if (!file) return;
  result::write_file(*file, result::to_json(samples));
  if (options.samples) return;
  fmt::print(stderr,
             "gpugauge-bench-{}: {} keeps its samples in {}; --gpugauge_samples=FILE names another file\n",
             family.name, rank_name(), file->string());
}

// Sets up a process that the harness started. The harness's launcher, for example on every node of a job, did
// not launch ranks of this family.
void serve_harness(const Options& options) {
  setenv("GPUGAUGE_RANK", "0", 1);
  setenv("GPUGAUGE_RANKS", "1", 1);
  if (options.samples) set_scratch_parent(std::filesystem::absolute(*options.samples).parent_path());
}

// The samples before anything is measured: who measures, where, and whether the family can run here.
result::Samples begun_samples(const FamilyInfo& family, const Options& options) {
  result::Samples samples;
  samples.family = family.name;
  samples.suite_version = result::build().version;
  samples.source_hash = family.source_hash;
  samples.seed = options.seed.value_or(0);
  add_host_facts(samples.context);
  if (environment().unavailable && !options.help) {
    if (auto reason = environment().unavailable()) {
      samples.status = Status::unavailable;
      samples.reason = std::move(*reason);
    }
  }
  if (environment().describe && !options.help) environment().describe(samples.context);
  return samples;
}

void tell(const FamilyInfo& family, std::string_view what) {
  fmt::print(stderr, "gpugauge-bench-{}: {}\n", family.name, what);
}

// Measures what was chosen and keeps the samples. Returns the exit code.
int measure(const FamilyInfo& family, const std::string& program, const Options& options,
            std::vector<Instance> chosen) {
  result::Samples samples = begun_samples(family, options);
  if (samples.status == Status::unavailable) {
    tell(family, "unavailable: " + samples.reason);
  } else {
    catch_interrupts();
    if (!options.help) leave_out_stand_ins(chosen);
    Recorder recorder(std::move(samples), options.help ? std::nullopt : sample_file(family, options));
    if (!run_benchmarks(program, options, chosen, recorder)) return exit_usage;
    samples = recorder.take();
    add_beside(samples, chosen);
    summarise(samples);
  }
  bool kept = true;
  try {
    keep(family, options, samples);
  } catch (const result::FileError& error) {
    tell(family, error.what());
    kept = false;
  }
  if (environment().finish) environment().finish();
  return kept ? exit_code(samples) : exit_not_kept;
}

int run(const FamilyInfo& family, const std::string& program, Options options) {
  if (options.filter.empty())
    if (const char* filter = std::getenv("BENCHMARK_FILTER")) options.filter = filter;
  if (options.parent && !die_with_parent(*options.parent))
    throw result::UsageError(
        fmt::format("--gpugauge_parent={}: that process is not the parent of this one", *options.parent));
  if (!options.child.empty()) return play_child(options.child);
  if (options.parent) serve_harness(options);
  if (options.describe) {
    fmt::print("{}", describe(family));
    return exit_ok;
  }
  if (options.help) {
    fmt::print("{}", help_text(family.name));
    std::fflush(stdout);
    options.rest.assign(1, "--help");
  }
  std::optional<std::vector<std::string>> only;
  if (options.only) only = read_ids(*options.only);
  std::vector<Instance> chosen = choose(instances(), options, only);
  if (!options.list) return measure(family, program, options, std::move(chosen));
  for (const Instance& instance : chosen) fmt::print("{}\n", instance.id);
  return exit_ok;
}

}  // namespace

int run_family(const FamilyInfo& family, int argc, char** argv) {
  try {
    return run(family, argc > 0 ? argv[0] : family.name,
               parse_options({argv + std::min(argc, 1), argv + argc}));
  } catch (const result::UsageError& error) {
    tell(family, error.what());
    return exit_usage;
  } catch (const std::exception& error) {
    tell(family, error.what());
    return exit_family_failed;
  } catch (...) {
    tell(family, "an exception of an unknown type");
    return exit_family_failed;
  }
}

std::filesystem::path samples_path(const std::filesystem::path& asked, const std::string& rank) {
  if (rank.empty()) return asked;
  std::filesystem::path own = asked;
  own.replace_filename(fmt::format("{}.{}{}", asked.stem().string(), rank, asked.extension().string()));
  return own;
}

std::optional<std::filesystem::path> samples_path(const std::string& family, const std::string& job,
                                                  const std::string& rank) {
  if (rank.empty()) return std::nullopt;
  return samples_path(fmt::format("{}{}{}.json", family, job.empty() ? "" : ".", job), rank);
}

namespace {

Window window_lasting(const Definition& definition, double seconds) {
  Window window;
  window.batch_seconds = definition.batch_target_seconds;
  window.seconds = seconds;
  window.budget_seconds = 3 * std::max(window.seconds, window.minimum_batches * window.batch_seconds);
  return window;
}

}  // namespace

Window window_of(const Definition& definition, double seconds) {
  return window_lasting(definition,
                        result::window_seconds({.share = definition.window_factor}, {.seconds = seconds}));
}

Window window_of(const Instance& instance, double seconds, double mean_seconds, double sustained_seconds) {
  const Definition& definition = *instance.definition;
  const std::vector<Statistic>& kinds = definition.statistic_kinds;
  const bool mean =
      definition.quantity_kind && std::find(kinds.begin(), kinds.end(), Statistic::mean) != kinds.end();
  return window_lasting(definition, result::window_seconds({definition.window_factor, definition.is_sustained,
                                                            mean && instance.depth() == Depth::smoke},
                                                           {seconds, mean_seconds, sustained_seconds}));
}

void summarise(result::Samples& samples) {
  const auto has = [&](Status status) {
    for (const BenchmarkResult& one : samples.benchmarks) {
      if (one.status != status) continue;
      samples.status = status;
      samples.reason = one.reason;
      return true;
    }
    return false;
  };
  if (has(Status::interrupted) || has(Status::ok)) return;
  const bool none = has(Status::failed) || has(Status::unavailable) || has(Status::skipped);
  // A file's status "unavailable" means that the family could not even begin.
  if (samples.status == Status::unavailable) samples.status = Status::skipped;
  if (none)
    samples.reason = fmt::format("no benchmark could be measured; the first said: {}", samples.reason);
}

}  // namespace gpugauge::bench
