#include "conductor/neighbour.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "result/stopwatch.hpp"

namespace gpugauge::conductor {
namespace {

constexpr double look_after_seconds = .05;
constexpr double begin_most_seconds = 30;
/// A process that ends sooner after its start produces no load.
constexpr double short_life_seconds = .5;
constexpr int short_lives_most = 3;

}  // namespace

struct NeighbourProcesses::Member {
  run::Command command;
  std::unique_ptr<run::Child> child;
  std::string output;
  int short_lives = 0;
};

NeighbourProcesses::NeighbourProcesses(run::Loop& loop, std::vector<run::Command> commands)
    : loop_(loop), tick_(loop) {
  for (run::Command& command : commands) {
    members_.push_back(std::make_unique<Member>());
    members_.back()->command = std::move(command);
    start(*members_.back());
  }
  tick_.every(look_after_seconds, [this] { look_after(); });
}

NeighbourProcesses::~NeighbourProcesses() {
  ending_ = true;
  tick_.stop();
  for (const auto& member : members_) member->child->kill_now();
  // Each process ends at once or is abandoned by its own timer, so this loop ends.
  loop_.run_until([&] {
    return std::all_of(members_.begin(), members_.end(),
                       [](const auto& member) { return member->child->ended(); });
  });
}

void NeighbourProcesses::start(Member& member) {
  run::ChildOptions options;
  options.limit_seconds = std::numeric_limits<double>::infinity();
  options.end_descendants = false;  // the measured processes beside it would look like its own descendants
  constexpr std::size_t heard_most = 4096;
  options.on_output = [&member](std::string_view text) {
    if (member.output.size() < heard_most) member.output += text;
  };
  member.output.clear();
  member.child = std::make_unique<run::Child>(loop_, member.command, std::move(options));
}

void NeighbourProcesses::look_after() {
  for (const auto& member : members_) {
    if (ending_ || !fault_.empty() || !member->child->ended()) continue;
    const run::ChildEnd& end = member->child->end();
    member->short_lives = end.wall_seconds < short_life_seconds ? member->short_lives + 1 : 0;
    if (!end.started || member->short_lives >= short_lives_most) {
      fault_ = fmt::format("{} {}{}", member->command.executable.filename().string(),
                           end.fault.empty() ? "ends as soon as it is started" : end.fault,
                           end.output.empty() ? "" : "; it said: " + end.output);
      continue;
    }
    start(*member);
  }
}

std::string NeighbourProcesses::wait_until_at_work(std::string_view mark, double settle_seconds,
                                                   const std::function<bool()>& stop) {
  const result::Stopwatch waiting;
  const auto all_at_work = [&] {
    if (mark.empty()) return waiting.seconds() >= settle_seconds;
    return std::all_of(members_.begin(), members_.end(),
                       [&](const auto& member) { return member->output.find(mark) != std::string::npos; });
  };
  loop_.run_for(begin_most_seconds, [&] { return all_at_work() || !fault_.empty() || stop(); });
  if (!fault_.empty() || all_at_work() || stop()) return fault_;
  return fmt::format("it was not at work after {:g} s", begin_most_seconds);
}

}  // namespace gpugauge::conductor
