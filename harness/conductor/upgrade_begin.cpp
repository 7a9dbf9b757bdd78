#include "conductor/upgrade_begin.hpp"

#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "baseline/kept_file.hpp"
#include "baseline/log.hpp"
#include "report/format.hpp"
#include "report/questions.hpp"
#include "result/begun.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/time.hpp"
#include "stack/compat/version.hpp"
#include "stack/plan/lock.hpp"

namespace gpugauge::conductor {
namespace {

/// Two within one second get two names.
std::string new_name(const std::filesystem::path& state_directory) {
  const std::string base = fmt::format("{:%Y%m%d-%H%M%S}", fmt::gmtime(std::time(nullptr)));
  std::string name = base;
  for (int i = 2; std::filesystem::exists(upgrade_folder(state_directory, name)); ++i)
    name = fmt::format("{}-{}", base, i);
  return name;
}

/// What goes back, for a reader who may have nothing but a shell.
std::string way_back_text(const UpgradeRecord& record, const stack::Inventory& before,
                          const stack::PlanRequest& request) {
  std::string text =
      fmt::format("The way back from upgrade {} ({}), recorded {} by {}.\n\n", record.name,
                  record.target.empty() ? "no plan" : record.target, record.created, record.who);
  const std::vector<stack::Advice> steps = stack::way_back(before, before, request, record.name);
  int number = 0;
  for (const stack::Advice& step : steps) {
    text += fmt::format("{}. {}\n", ++number, report::plain(step.what));
    for (const std::string& command : step.commands) text += "   " + command + "\n";
  }
  if (steps.empty()) text += "No package or version was recorded that these commands could bring back.\n";
  std::string listed;
  for (const auto& packages : {stack::system_packages(before), stack::python_packages(before)})
    for (const stack::StackPackage& package : packages)
      listed += fmt::format("{}\t{}\n", package.name, package.version);
  return listed.empty() ? text : text + "\nRecorded packages:\n" + listed;
}

/// Each upgrade has a folder of its own: nobody else would remove what a killed command left in an earlier
/// one. Through a link it would be removed elsewhere.
void remove_abandoned_in(const std::filesystem::path& upgrades) {
  std::error_code none_yet;
  for (std::filesystem::directory_iterator earlier(upgrades, none_yet), end; !none_yet && earlier != end;
       earlier.increment(none_yet))
    if (std::error_code gone; earlier->symlink_status(gone).type() == std::filesystem::file_type::directory)
      result::remove_abandoned(earlier->path());
}

/// All of it or nothing.
void write_folder(const KeptUpgrade& kept, const UpgradeBegin& begin) {
  baseline::refuse_links_in_state(kept.folder);
  remove_abandoned_in(kept.folder.parent_path());
  result::Begun begun;
  begun.make_folder(kept.folder);
  const auto write = [&](const char* name, const std::string& text) {
    begun.add_file(kept.folder / name);
    baseline::keep_file(kept.folder / name, text);
  };
  write("inventory.json", stack::to_json(begin.before));
  const stack::Lock lock = stack::make_lock(begin.before, kept.record.created);
  if (!lock.fields.empty()) write("stack.lock", stack::to_json(lock));
  if (begin.plan) write("plan.json", report::to_json(*begin.plan));
  write("way-back.txt", way_back_text(kept.record, begin.before, begin.request));
  if (const std::string pins = stack::pip_constraints(begin.before); !pins.empty())
    write("constraints.txt", pins);
  // Last: a folder without it is no upgrade.
  save(kept);
  begun.keep();
}

}  // namespace

bool too_old_for_build(const stack::PlanRequest& asked, const std::string& minimum_driver) {
  const auto driver = asked.versions.find("driver");
  const auto oldest = stack::Version::parse(minimum_driver);
  return driver != asked.versions.end() && oldest && driver->second < oldest->first(driver->second.size());
}

KeptUpgrade record_upgrade(const std::filesystem::path& state_directory, const UpgradeBegin& begin,
                           const HostHere& here, const std::vector<Target>& devices) {
  KeptUpgrade kept;
  kept.record = begin.asked;
  kept.record.name = new_name(state_directory);
  kept.record.created = result::utc_now();
  kept.record.who = baseline::current_user();
  kept.record.host = here.name;
  kept.record.machine = here.machine;
  kept.record.python = begin.before.value("python.path");
  for (const Target& device : devices) kept.record.devices.push_back({device.selection, device.label});
  kept.folder = upgrade_folder(state_directory, kept.record.name);
  write_folder(kept, begin);
  return kept;
}

std::vector<stack::Advice> advice_before(const KeptUpgrade& kept, const stack::Inventory& before,
                                         const stack::PlanRequest& request) {
  std::vector<stack::Advice> out = stack::advice_before(before, request, kept.record.name);
  if (result::is_there(kept.folder / "constraints.txt"))
    out.push_back({"Keep pip to the wheels that are there while the plan does not name them.",
                   "pip replaces NVIDIA's wheels when another package asks for other ones.",
                   {fmt::format("export PIP_CONSTRAINT={}", (kept.folder / "constraints.txt").string())}});
  return out;
}

std::string measure_old_sides(const KeptUpgrade& kept, const MeasureOptions& options,
                              const std::vector<Chosen>& chosen, const stack::GpuReport& gpus,
                              const std::function<void()>& device_done) {
  for (const UpgradeDevice& device : kept.record.devices) {
    const auto found = std::find_if(chosen.begin(), chosen.end(), [&](const Chosen& one) {
      return one.target.selection == device.selection;
    });
    if (found == chosen.end())
      throw result::UsageError(
          fmt::format("{} is not there any more; close the upgrade and begin anew", device.label));
    std::string stopped = measure_old(kept, device, options, found->target, found->choice, gpus);
    device_done();
    if (!stopped.empty()) return stopped;
  }
  return "";
}

}  // namespace gpugauge::conductor
