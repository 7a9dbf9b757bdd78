#include "run/lineage.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <mutex>

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpugauge::run {
namespace {

std::string value_in(const std::string& environment, const std::string& variable) {
  const std::string start = variable + "=";
  for (std::size_t at = 0; at < environment.size();) {
    const std::string word = environment.substr(at, environment.find('\0', at) - at);
    if (word.starts_with(start)) return word.substr(start.size());
    at += word.size() + 1;
  }
  return {};
}

std::optional<ProcessStat> stat_of(pid_t process) {
  return parse_process_stat(read_kernel_file(fmt::format("/proc/{}/stat", process)));
}

/// Asks the kernel at one moment. A listing of /proc is read process by process, in the order of their
/// numbers. After a wrap-around a child may come before its parent, and be read before the parent's end moves
/// it here.
bool has_any_child() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;  // else ECHILD
}

}  // namespace

namespace {

/// Children that a Child started; they leave no orphans except their own.
struct Started {
  std::mutex change;
  std::multiset<pid_t> children;
};

Started& started() {
  static Started all;
  return all;
}

}  // namespace

Lineage::~Lineage() {
  if (child_ == 0) return;
  Started& all = started();
  const std::lock_guard lock(all.change);
  if (const auto own = all.children.find(child_); own != all.children.end()) all.children.erase(own);
}

Lineage::Lineage() {
  static std::atomic<unsigned> made{0};
  const auto own = stat_of(::getpid());
  // A process number returns, also in another container, but not at the same start time within one boot.
  mark_ = fmt::format("{}-{:.0f}-{};", ::getpid(), own ? own->start_ticks.value_or(0) : 0, ++made);
  const char* const before = std::getenv(variable);
  value_ = (before == nullptr ? "" : std::string(before)) + mark_;
}

void Lineage::begin(pid_t child, const std::set<pid_t>& before) {
  child_ = child;
  Started& all = started();
  {
    const std::lock_guard lock(all.change);
    // A child that has ended leaves no more orphans.
    const auto is_other = [&](pid_t one) {
      const auto stat = all.children.count(one) == 0 ? stat_of(one) : std::nullopt;
      return stat && stat->state != 'Z';
    };
    others_ =
        ::getpid() == 1 || Subreaper::was_one_before() || std::any_of(before.begin(), before.end(), is_other);
    all.children.insert(child);
  }
  const auto stat = stat_of(child);
  began_ = stat ? stat->start_ticks : std::nullopt;
}

bool Lineage::may_hold(pid_t process) const {
  const auto stat = stat_of(process);
  if (!stat) return false;
  if (began_ && stat->start_ticks.value_or(*began_) < *began_) return false;
  if (!others_ || stat->session == child_ || stat->state == 'Z')
    return true;  // nothing more can be read about an ended process
  // Empty while the process executes a new program.
  const std::string environment = read_kernel_file(fmt::format("/proc/{}/environ", process));
  return environment.empty() || value_in(environment, variable).find(mark_) != std::string::npos;
}

int kill_adopted(const std::set<pid_t>& spared, const Lineage& lineage) {
  // Collecting a process moves its children here, after this pass read its list. Only a pass that finds
  // nobody is complete.
  constexpr int passes_most = 100;
  for (int pass = 0; pass < passes_most; ++pass) {
    int found = 0;
    int left = 0;
    bool others = !spared.empty();
    for (const pid_t child : children_of_this_process()) {
      if (spared.count(child) != 0) continue;
      if (!lineage.may_hold(child)) {
        others = true;
        continue;
      }
      ++found;
      kill(child, SIGKILL);
      if (waitpid(child, nullptr, WNOHANG) != child) ++left;
    }
    if (left > 0) return left;
    if (found == 0) return !others && has_any_child() ? 1 : 0;
  }
  return 1;
}

int count_adopted(const std::set<pid_t>& spared, const Lineage& lineage) {
  int count = 0;
  for (const pid_t child : children_of_this_process(false))
    count += spared.count(child) == 0 && lineage.may_hold(child) ? 1 : 0;
  return count;
}

}  // namespace gpugauge::run
