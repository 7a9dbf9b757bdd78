#include "conductor/together.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "result/stopwatch.hpp"
#include "run/child.hpp"
#include "run/processes.hpp"
#include "run/stop_signals.hpp"

namespace gpugauge::conductor {
namespace {

/// Time for a command to end its family, which has its own grace time, and to write its run file.
constexpr double grace_seconds = 15;

}  // namespace

std::vector<DeviceEnd> run_together(const std::vector<DeviceCommand>& commands, double expected_seconds,
                                    const std::function<void(const report::ProgressState&)>& progress) {
  const result::Stopwatch since_start;
  std::vector<DeviceEnd> ends(commands.size());
  run::Loop loop;
  std::vector<std::unique_ptr<run::Child>> children;
  int stopped_by = 0;
  run::StopSignals watch(loop, [&](int signal) {
    if (stopped_by == 0) stopped_by = signal;
    for (const auto& child : children) child->stop();
  });
  for (std::size_t i = 0; i < commands.size(); ++i) {
    ends[i].device = commands[i].device;
    run::ChildOptions options;
    options.limit_seconds = std::numeric_limits<double>::infinity();
    options.grace_seconds = grace_seconds;
    options.end_descendants = false;  // processes of its neighbours would look like its own descendants
    options.on_output = [&end = ends[i]](std::string_view text) { end.output += text; };
    children.push_back(std::make_unique<run::Child>(
        loop, run::Command{"/proc/self/exe", commands[i].arguments, {}}, std::move(options)));
  }
  const auto ended = [&] {
    return std::count_if(children.begin(), children.end(),
                         [](const std::unique_ptr<run::Child>& child) { return child->ended(); });
  };
  const auto report = [&] {
    if (!progress) return;
    progress({fmt::format("{} devices together", commands.size()), static_cast<int>(ended()),
              static_cast<int>(commands.size()), "devices done", since_start.seconds(),
              expected_seconds < 0 ? -1 : std::max(0.0, expected_seconds - since_start.seconds())});
  };
  run::Timer tick(loop);
  tick.every(1, report);
  report();
  loop.run_until([&] { return ended() == static_cast<std::ptrdiff_t>(children.size()); });
  tick.stop();
  watch.end();
  for (std::size_t i = 0; i < children.size(); ++i) {
    const run::ChildEnd& end = children[i]->end();
    if (stopped_by != 0) ends[i].stopped_by = run::signal_name(stopped_by);
    if (end.exit_code) ends[i].exit_code = *end.exit_code;
    if (!end.exit_code)
      ends[i].fault = fmt::format("the command for {} {}", ends[i].device, end.fault);
    else if (*end.exit_code != 0)
      ends[i].fault = end.output;
  }
  return ends;
}

}  // namespace gpugauge::conductor
