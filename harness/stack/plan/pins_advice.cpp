// Commands to type before an upgrade, after it, and to go back.
#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/shell_word.hpp"
#include "stack/plan/pins.hpp"

namespace gpugauge::stack {
namespace {

using Packages = std::vector<StackPackage>;

constexpr std::string_view apt_units = "apt-daily.timer apt-daily-upgrade.timer unattended-upgrades.service";
constexpr std::string_view dnf_units = "dnf-automatic.timer dnf-automatic-install.timer dnf5-automatic.timer";

/// True if dnf-automatic's timers run upgrades unasked (one is enabled); otherwise apt's units do.
bool by_dnf(const Inventory& inventory) {
  const Item* const item = inventory.find("packages.unattended_upgrades");
  return item != nullptr && item->how.find("dnf-automatic") != std::string::npos;
}

std::vector<std::string> names_of(const Packages& packages) {
  std::vector<std::string> out;
  for (const StackPackage& package : packages) out.push_back(package.name);
  return out;
}

std::string names(const Packages& packages) {
  return fmt::format("{}", fmt::join(names_of(packages), " "));
}

std::string pinned(const Packages& packages, const char* between) {
  std::vector<std::string> out;
  for (const StackPackage& package : packages) out.push_back(package.name + between + package.version);
  return fmt::format("{}", fmt::join(out, " "));
}

bool is_plain(const std::string& word) {
  return !word.empty() && word.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789._-") == std::string::npos;
}

/// The folder for the earlier packages. Its name holds the upgrade's name: an upgrade of cuDNN keeps the
/// driver, and files of two upgrades would mix.
std::string kept_folder(const Inventory& before, const std::string& upgrade) {
  std::string folder = "~/old-gpu-stack";
  for (const std::string& part : {before.value("driver.version"), upgrade})
    if (is_plain(part)) folder = fmt::format("{}-{}", folder, part);
  return folder;
}

std::vector<std::string> keep(PackageManager manager, const Packages& packages, const std::string& folder) {
  switch (manager) {
    case PackageManager::apt:
      return {"mkdir -p " + folder,
              fmt::format("(cd {} && apt-get download {})", folder, pinned(packages, "="))};
    case PackageManager::dnf:
      return {fmt::format("dnf download --destdir {} {}", folder, pinned(packages, "-"))};
    case PackageManager::zypper:
      return {fmt::format("sudo zypper --pkg-cache-dir {} install --download-only --force {}", folder,
                          pinned(packages, "="))};
    default:
      return {};
  }
}

/// Arguments for the manager: the files in that folder ("" for none), then packages with their versions.
std::string to_install(PackageManager manager, const std::string& folder, const Packages& packages) {
  std::vector<std::string> out;
  if (!folder.empty() && manager == PackageManager::apt) out.push_back(folder + "/*.deb");
  if (!folder.empty() && manager == PackageManager::dnf) out.push_back(folder + "/*.rpm");
  // zypper keeps one folder per repository.
  if (!folder.empty() && manager == PackageManager::zypper)
    out.push_back(fmt::format("$(find {} -name '*.rpm')", folder));
  if (!packages.empty()) out.push_back(pinned(packages, manager == PackageManager::dnf ? "-" : "="));
  return fmt::format("{}", fmt::join(out, " "));
}

/// Commands that install the folder's packages and `back` at their recorded versions, and remove `gone`: one
/// transaction if the manager can. `stream`: the stream of dnf's module, which hides packages of all others;
/// "" for none.
std::vector<std::string> go_back(PackageManager manager, const std::string& folder, const Packages& back,
                                 const Packages& gone, const std::string& stream) {
  std::vector<std::string> out;
  const std::string wanted = to_install(manager, folder, back);
  switch (manager) {
    case PackageManager::apt: {
      std::string command = "sudo apt-get install --allow-downgrades --allow-change-held-packages";
      if (!wanted.empty()) command += " " + wanted;
      for (const StackPackage& package : gone) command += " " + package.name + "-";
      out.push_back(command);
      break;
    }
    case PackageManager::dnf:
      if (!gone.empty()) out.push_back("sudo dnf remove " + names(gone));
      if (is_plain(stream)) {
        out.emplace_back("sudo dnf module reset nvidia-driver");
        out.push_back("sudo dnf module enable nvidia-driver:" + stream);
      }
      if (!wanted.empty()) out.push_back("sudo dnf install --allowerasing " + wanted);
      break;
    case PackageManager::zypper:
      if (!gone.empty()) out.push_back("sudo zypper remove " + names(gone));
      if (!wanted.empty()) out.push_back("sudo zypper install --oldpackage " + wanted);
      break;
    case PackageManager::pip:
    case PackageManager::none:
      break;
  }
  return out;
}

std::string python_of(const Inventory& inventory) {
  const std::string path = inventory.value("python.path");
  // The path becomes part of a command.
  const bool plain = !path.empty() && path.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789/._-+") == std::string::npos;
  return plain ? path : "python3";
}

bool touched(const StackPackage& package, const PlanRequest& request) {
  return request.versions.count(package.layer) > 0 ||
         // It must always match the driver's version exactly.
         (package.layer == "driver" && request.versions.count("driver") > 0);
}

/// Version of a driver put in place by NVIDIA's installer; "" for any other driver.
std::string installed_version(const Inventory& inventory) {
  const std::string version = inventory.value("driver.version");
  const bool word = !version.empty() && version.find_first_not_of("0123456789.") == std::string::npos;
  const bool installer =
      inventory.value("driver.source") == "installer" || inventory.value("driver.dkms") == "installer";
  return word && installer ? version : "";
}

/// Undoes the masking of advice_before(). Units that are not masked are only started.
void add_unattended_again(const Inventory& before, const char* why, std::vector<Advice>& out) {
  if (before.value("packages.unattended_upgrades") != "on") return;
  if (by_dnf(before)) {
    out.push_back({"Let unattended upgrades run again from the next boot, if they were stopped.",
                   why,
                   {fmt::format("sudo systemctl unmask {}", dnf_units)}});
  } else {
    out.push_back({"Let unattended upgrades run again, if they were stopped.",
                   why,
                   {fmt::format("sudo systemctl unmask {}", apt_units),
                    fmt::format("sudo systemctl start {}", apt_units)}});
  }
}

/// Packages that `then` has and `now` lacks or has in another version.
Packages differing(const Packages& then, const Packages& now) {
  Packages out;
  for (const StackPackage& package : then) {
    const auto found = std::find_if(now.begin(), now.end(),
                                    [&](const StackPackage& other) { return other.name == package.name; });
    if (found == now.end() || found->version != package.version) out.push_back(package);
  }
  return out;
}

Packages appeared(const Packages& then, const Packages& now) {
  Packages out;
  for (const StackPackage& package : now)
    if (std::none_of(then.begin(), then.end(),
                     [&](const StackPackage& other) { return other.name == package.name; }))
      out.push_back(package);
  return out;
}

Packages of_layers(const Packages& packages, const PlanRequest& request, bool inside) {
  Packages out;
  for (const StackPackage& package : packages)
    if (touched(package, request) == inside) out.push_back(package);
  return out;
}

/// The old versions of the changed layers as a plan; its order is the way back.
std::vector<PlanStep> steps_back(const Inventory& before, const Inventory& now, const PlanRequest& request) {
  PlanRequest back;
  for (const std::string& layer : plan_keys()) {
    const auto old = Version::parse(layer_version(before, layer));
    if (!old) continue;
    const auto wanted = request.versions.find(layer);
    const bool to_come =
        wanted != request.versions.end() && old->first(wanted->second.size()) != wanted->second;
    if (to_come || layer_version(now, layer) != layer_version(before, layer)) back.versions[layer] = *old;
  }
  Inventory from = now;
  // A planned change counts as already made.
  if (const auto driver = request.versions.find("driver");
      driver != request.versions.end() && layer_version(now, "driver") == layer_version(before, "driver"))
    from.present("driver.version", driver_text(driver->second), "plan");
  std::vector<PlanStep> steps = plan_steps(back, from);
  return steps;
}

bool is_framework(const std::string& layer) {
  const auto& keys = plan_keys();
  return layer != "tensorrt" &&
         std::find(std::find(keys.begin(), keys.end(), "python"), keys.end(), layer) != keys.end();
}

/// The steps back, grouped by the tool that carries them out; the driver's without the restart.
struct BackSteps {
  std::vector<PlanStep> wheels;
  std::vector<PlanStep> system;
  std::vector<PlanStep> driver;
  /// The driver goes back to an older version, and so after everything that needs the newer one.
  bool driver_is_older = false;
};

BackSteps sorted(std::vector<PlanStep> steps) {
  BackSteps out;
  for (PlanStep& step : steps) {
    if (step.layer == restart_layer) continue;
    const auto from = Version::parse(step.from);
    const auto to = Version::parse(step.to);
    const bool driver = step.layer == "driver";
    out.driver_is_older = out.driver_is_older || (driver && from && to && *to < *from);
    auto& list = driver || step.layer == "fabric_manager" ? out.driver
                 : is_framework(step.layer)               ? out.wheels
                                                          : out.system;
    list.push_back(std::move(step));
  }
  return out;
}

/// All system packages in one transaction, so that nothing is left half done.
Advice packages_back(const BackSteps& steps, std::vector<std::string> commands) {
  std::vector<std::string> what;
  for (const auto* list : {&steps.system, &steps.driver})
    for (const PlanStep& step : *list) what.push_back(step.what);
  what.emplace_back("Put the packages back to the recorded versions.");
  if (std::any_of(steps.driver.begin(), steps.driver.end(),
                  [](const PlanStep& step) { return step.layer == "fabric_manager"; }))
    commands.insert(commands.begin(), "sudo systemctl stop nvidia-fabricmanager");
  return {fmt::format("{}", fmt::join(what, " ")),
          "These are the exact versions that were measured as the old stack.", std::move(commands)};
}

/// Installs from the folder in which advice_before() kept the replaced packages; also gives the commands
/// without it.
void add_packages_back(const Inventory& before, const Packages& back, const Packages& gone,
                       const PlanRequest& request, const std::string& folder, const BackSteps& steps,
                       std::vector<Advice>& out) {
  const PackageManager manager = system_manager(before);
  const std::string stream = before.value("packages.driver_stream");
  const Packages kept = of_layers(back, request, true);
  if (!kept.empty())
    out.push_back(
        packages_back(steps, go_back(manager, folder, of_layers(back, request, false), gone, stream)));
  Advice by_version = packages_back(steps, go_back(manager, "", back, gone, stream));
  if (!kept.empty())
    by_version = {
        "Only where that folder is missing or incomplete: install them from the repository by their "
        "versions.",
        "A repository may have dropped them meanwhile.", std::move(by_version.commands)};
  out.push_back(std::move(by_version));
}

/// The steps for the environment's wheels, with a single command for all.
std::vector<Advice> wheels_back(const Inventory& before, const Inventory& now, const PlanRequest& request,
                                const std::vector<PlanStep>& steps) {
  const Packages then = python_packages(before);
  Packages back = differing(then, python_packages(now));
  // Before the change: a framework will bring its own library wheels, still unknown.
  if (back.empty() && before == now &&
      std::any_of(request.versions.begin(), request.versions.end(),
                  [](const auto& wanted) { return is_framework(wanted.first); }))
    back = then;
  std::vector<Advice> out;
  if (back.empty()) {
    for (const PlanStep& step : steps) out.push_back({step.what, step.why, {}});
    return out;
  }
  std::string what;
  for (const PlanStep& step : steps) what += step.what + " ";
  out.push_back({what + "Put the wheels of the Python environment back.",
                 "Frameworks load the libraries that came as wheels, not the system's.",
                 {fmt::format("{} -m pip install --no-deps {}", python_of(before), pinned(back, "=="))}});
  return out;
}

bool any_of_layer(const Packages& packages, std::string_view layer) {
  return std::any_of(packages.begin(), packages.end(),
                     [&](const StackPackage& package) { return package.layer == layer; });
}

}  // namespace

std::vector<Advice> advice_before(const Inventory& inventory, const PlanRequest& request,
                                  const std::string& upgrade) {
  std::vector<Advice> out;
  const PackageManager manager = system_manager(inventory);
  const Packages packages = system_packages(inventory);
  const Packages changing = of_layers(packages, request, true);
  Packages staying = of_layers(packages, request, false);
  std::erase_if(staying, [](const StackPackage& package) { return package.held; });
  Packages locked = changing;
  std::erase_if(locked, [](const StackPackage& package) { return !package.held; });
  std::map<std::string, Packages> pinned_in;
  for (const StackPackage& package : locked)
    if (!package.pinned_in.empty()) pinned_in[package.pinned_in].push_back(package);
  std::erase_if(locked, [](const StackPackage& package) { return !package.pinned_in.empty(); });
  if (const std::string version = installed_version(inventory); !version.empty())
    out.push_back({fmt::format("Keep the installer of the driver that is there, {}.", version),
                   "No package owns this driver, so that no package manager brings it back.",
                   {fmt::format("ls NVIDIA-Linux-*-{}.run", version)}});
  if (manager != PackageManager::none && !changing.empty())
    out.push_back({"Keep the packages that will be replaced.",
                   "A repository may drop old versions; from their files the way back needs no network.",
                   keep(manager, changing, kept_folder(inventory, upgrade))});
  if (!request.versions.empty() && !staying.empty())
    out.push_back({"Hold the packages that the plan does not touch.",
                   "What the package manager brings along unasked would be judged together with the plan.",
                   {hold_command(manager, names_of(staying))}});
  if (!locked.empty())
    out.push_back({"Let go of the packages that are held and will be replaced.",
                   "A held package stays, and the upgrade stops or is done by halves.",
                   {hold_command(manager, names_of(locked), false)}});
  for (const auto& [file, there] : pinned_in)
    out.push_back({fmt::format("Take {} out of {}, which keeps {} there.", fmt::join(names_of(there), ", "),
                               file, there.size() == 1 ? "it" : "them"),
                   "No command of the package manager lets go of what stands in that file.",
                   {"sudoedit " + result::shell_word(file)}});
  if (inventory.value("packages.unattended_upgrades") == "on")
    out.push_back({"Stop unattended upgrades until the new stack is judged, over the restart too.",
                   inventory.value("packages.unattended_covers_driver") == "yes"
                       ? "They are on, and may replace the driver between the two measurements."
                       : "They are on, and may replace the kernel between the two measurements.",
                   // A unit that is only stopped would run again after the restart that a driver needs.
                   {fmt::format("sudo systemctl mask --now {}", by_dnf(inventory) ? dnf_units : apt_units)}});
  return out;
}

std::vector<Advice> advice_after_pass(const Inventory& before, const Inventory& now) {
  std::vector<Advice> out;
  const PackageManager manager = system_manager(now);
  Packages packages = system_packages(now);
  std::erase_if(packages, [](const StackPackage& package) { return package.held; });
  if (manager != PackageManager::none && !packages.empty())
    out.push_back({"Hold the stack that was judged.",
                   "It changes again only when somebody decides so.",
                   {hold_command(manager, names_of(packages))}});
  add_unattended_again(before, "Held packages stay as they are.", out);
  return out;
}

std::vector<Advice> way_back(const Inventory& before, const Inventory& now, const PlanRequest& request,
                             const std::string& upgrade) {
  const PackageManager manager = system_manager(before);
  const Packages then = system_packages(before);
  const Packages here = system_packages(now);
  Packages back = differing(then, here);
  // Before the change: everything that the plan may replace.
  if (back.empty() && before == now) back = of_layers(then, request, true);
  const Packages gone = manager == PackageManager::none ? Packages{} : appeared(then, here);
  if (manager == PackageManager::none) back.clear();

  const BackSteps steps = sorted(steps_back(before, now, request));
  std::vector<Advice> system;
  if (!back.empty() || !gone.empty()) {
    add_packages_back(before, back, gone, request, kept_folder(before, upgrade), steps, system);
  } else {
    for (const auto* list : {&steps.system, &steps.driver})
      for (const PlanStep& step : *list) system.push_back({step.what, step.why, {}});
  }
  const std::string installer = installed_version(before);
  if (!steps.driver.empty() && !installer.empty())
    system.push_back({fmt::format("Install the driver of before, {}, by its installer.", installer),
                      "No package owns that driver, so that no package manager brings it back.",
                      {fmt::format("sudo sh NVIDIA-Linux-*-{}.run", result::shell_word(installer))}});
  if (!steps.driver.empty() || any_of_layer(back, "driver") || any_of_layer(gone, "driver"))
    system.push_back({"Restart the machine.", "The module of the old driver is loaded then.", {}});
  const std::vector<Advice> wheels = wheels_back(before, now, request, steps.wheels);
  // Whatever needs the newer driver is removed before that driver.
  std::vector<Advice> out = steps.driver_is_older ? wheels : system;
  const std::vector<Advice>& rest = steps.driver_is_older ? system : wheels;
  out.insert(out.end(), rest.begin(), rest.end());
  if (!out.empty())
    add_unattended_again(before, "Last: hold the packages first, or the way back is undone over night.", out);
  return out;
}

}  // namespace gpugauge::stack
