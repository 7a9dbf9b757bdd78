// gpugauge status: what the last check said, and whether that still holds. Measures nothing.
#include "report/status.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "conductor/host_identity.hpp"
#include "conductor/last_verdict.hpp"
#include "result/device_kind.hpp"
#include "result/error.hpp"
#include "result/number.hpp"
#include "result/text.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* status_footer =
    "Examples:\n"
    "  gpugauge status                             does the last check of every GPU still hold?\n"
    "  gpugauge status --max-age 26h --profile quick\n"
    "  gpugauge status --exit-style nagios         OK, WARNING, CRITICAL or UNKNOWN in the first line\n"
    "\n"
    "Exit codes: that of the last check where it still holds; 2 usage or tool error; 3 no check holds.";

struct StatusArguments {
  std::string device = "all";
  std::string most_age = "8d";
  std::string profile;
  std::string state_directory;
  std::string root = "/";
  bool json = false;
};

/// "26h", "90m", "7d", "30s" in seconds; nullopt for "any".
std::optional<double> seconds_of(const std::string& text) {
  if (text == "any") return std::nullopt;
  std::string_view unit = text;
  const double number = result::take_number<double>(unit).value_or(0);
  const double factor = unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : unit == "d" ? 86400 : 0;
  if (factor == 0 || number <= 0)
    throw result::UsageError(
        fmt::format("--max-age {}: write it as 90m, 26h or 7d, or as any for verdicts of any age", text));
  return number * factor;
}

std::vector<std::string> devices_of(const std::string& list) {
  std::vector<std::string> out = result::split(list, ',');
  for (const std::string& word : out) {
    const bool number = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    const bool name = word == "all" || result::is_links(word) || result::is_host(word);
    if (!name && !number && !word.starts_with("GPU-") && !word.starts_with("MIG-"))
      throw result::UsageError(
          fmt::format("--device {}: give all, links, host, an index or a UUID (GPU-...)", list));
  }
  if (out.empty()) throw result::UsageError("--device needs all, links, host, an index or a UUID");
  return out;
}

int status(const StatusArguments& arguments, const CLI::App& command) {
  judge::StatusRequest request;
  request.devices = devices_of(arguments.device);
  request.most_seconds = seconds_of(arguments.most_age);
  request.most_age = arguments.most_age;
  if (!arguments.profile.empty()) request.profile = run::profile(arguments.profile).name;
  request.deeper_profiles = run::profiles_deeper_than(request.profile);
  std::error_code error;
  if (!std::filesystem::is_directory(arguments.root, error))
    throw result::UsageError(fmt::format("--root {}: there is no such folder", arguments.root));
  const std::filesystem::path state = state_directory(arguments.state_directory);
  request.kept_in = state.string();
  judge::Status found = judge::judge_status(conductor::kept_verdicts(state, arguments.root),
                                            conductor::present_now(arguments.root), request);
  found.host = conductor::node_name(stack::Tree(arguments.root));
  return print_verdict(arguments.json ? report::to_json(found)
                                      : report::draw(found, exit_style_of(command), report::terminal(1)),
                       static_cast<int>(found.outcome.code));
}

}  // namespace

void add_status(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command =
      app.add_subcommand("status", "Say what the last check said of this node, and whether that still holds");
  command->footer(status_footer);
  auto arguments = std::make_shared<StatusArguments>();
  command
      ->add_option(
          "-d,--device", arguments->device,
          "all (every GPU, and their links where these were gauged), links, host, a GPU's index or UUID; several "
          "with commas. What the node failed counts beside any but host")
      ->capture_default_str();
  command
      ->add_option(
          "--max-age", arguments->most_age,
          "Verdicts that are older do not count, but for failures of this boot: 90m, 26h, 7d, or any")
      ->capture_default_str()
      ->type_name("DURATION");
  command
      ->add_option(
          "-p,--profile", arguments->profile,
          "Only a verdict of this whole profile counts, or a failure that a deeper one found (default: any, narrowed ones too)")
      ->type_name("NAME");
  command
      ->add_option(
          "--state-dir", arguments->state_directory,
          "Where runs and baselines are kept (default: $GPUGAUGE_STATE, then the XDG state directory)")
      ->type_name("DIR");
  command
      ->add_option("--root", arguments->root,
                   "The machine is below this folder: a host's root that a container has mounted")
      ->capture_default_str()
      ->type_name("DIR");
  add_exit_style_option(*command);
  command->add_flag("--json", arguments->json, "JSON on standard output instead of the lines");
  command->callback([command, arguments, &action] {
    action = [command, arguments] { return status(*arguments, *command); };
  });
}

}  // namespace gpugauge::cli
