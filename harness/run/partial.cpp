#include "run/partial.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "result/family_exit.hpp"

namespace gpugauge::run {
namespace {

bool was_measured(const result::Process& process) {
  return process.status != result::Status::interrupted;
}

/// "memory (3 of 5), nccl (5 of 5)": the processes that each family lacks.
std::string lacking(const Plan& plan, const std::vector<Step>& steps,
                    const std::vector<result::Process>& processes) {
  std::map<std::string, int> missing;
  for (const Step& step : steps) ++missing[plan.families[step.family].name];
  const std::map<std::string, int> planned = missing;
  for (const result::Process& process : processes)
    if (was_measured(process)) --missing[process.family];
  std::string names;
  for (const auto& [family, count] : missing)
    if (count > 0)
      names += fmt::format("{}{} ({} of {})", names.empty() ? "" : ", ", family, count, planned.at(family));
  return names;
}

}  // namespace

std::string partial_reason(const Plan& plan, const std::vector<Step>& steps,
                           const std::vector<result::Process>& processes, const std::string& stopped_by) {
  const auto measured =
      static_cast<std::size_t>(std::count_if(processes.begin(), processes.end(), was_measured));
  if (measured == steps.size()) return "";
  const std::string names = lacking(plan, steps, processes);
  if (!stopped_by.empty())
    return fmt::format("{} stopped the run after {} of {} processes; not measured: {}", stopped_by, measured,
                       steps.size(), names);
  const auto not_kept = [](const result::Process& process) {
    return process.exit_code == result::exit_samples_not_kept;
  };
  if (const auto first = std::find_if(processes.begin(), processes.end(), not_kept); first != processes.end())
    return fmt::format("{} of {} processes could not keep what they measured; not measured: {}; {}",
                       std::count_if(first, processes.end(), not_kept), steps.size(), names, first->reason);
  return fmt::format("a signal from elsewhere ended {} of {} processes; not measured: {}",
                     steps.size() - measured, steps.size(), names);
}

}  // namespace gpugauge::run
