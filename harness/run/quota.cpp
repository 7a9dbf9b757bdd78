// Makes and removes control groups with a processor quota.
#include "run/quota.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sstream>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/number.hpp"
#include "run/processes.hpp"
#include "stack/cgroup.hpp"

namespace gpugauge::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view quota_name = "gpugauge-selftest-";
constexpr std::string_view beside_name = "gpugauge-command-";
constexpr long period_microseconds = 100000;  // the kernel's own default
constexpr auto remove_most = std::chrono::seconds(2);

/// Returns 0 or the error.
int write_group_file(const fs::path& file, const std::string& text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return errno;
  const ssize_t written = ::write(descriptor, text.data(), text.size());
  const int error = written < 0 ? errno : 0;
  ::close(descriptor);
  return error;
}

void make_group(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0755) == 0) return;
  throw QuotaRefused(fmt::format("no control group can be made in {}: {}", folder.parent_path().string(),
                                 std::strerror(errno)));
}

/// Returns 0, or the error that remains after the time limit: processes in the group may still be ending.
int remove_group(const fs::path& folder) {
  const auto start = std::chrono::steady_clock::now();
  while (::rmdir(folder.c_str()) != 0) {
    if (errno == ENOENT) return 0;
    if (errno != EBUSY || std::chrono::steady_clock::now() - start > remove_most) return errno;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return 0;
}

bool has_word(const std::string& text, const std::string& word) {
  std::istringstream words(text);
  for (std::string one; words >> one;)
    if (one == word) return true;
  return false;
}

std::vector<pid_t> members(const fs::path& group) {
  std::istringstream lines(read_kernel_file(group / "cgroup.procs"));
  std::vector<pid_t> out;
  for (pid_t one = 0; lines >> one;) out.push_back(one);
  return out;
}

}  // namespace

Quota::Quota(double processors, const fs::path& root) {
  const std::vector<stack::CpuGroup> own = stack::own_cpu_groups(root);
  if (own.empty())
    throw QuotaRefused("no control group with the processor controller can be seen by this process");
  const stack::CpuGroup& group = own.front();
  const std::string name = fmt::format("{}{}", quota_name, ::getpid());
  const auto quota = static_cast<long>(processors * static_cast<double>(period_microseconds));
  if (group.version == 2) give_controller(group.directory);
  try {
    make_group(group.directory / name);
    folder_ = group.directory / name;
    int error = 0;
    if (group.version == 2) {
      error = write_group_file(folder_ / "cpu.max", fmt::format("{} {}", quota, period_microseconds));
    } else {
      error = write_group_file(folder_ / "cpu.cfs_period_us", fmt::format("{}", period_microseconds));
      if (error == 0) error = write_group_file(folder_ / "cpu.cfs_quota_us", fmt::format("{}", quota));
    }
    if (error != 0)
      throw QuotaRefused(
          fmt::format("the quota of {} cannot be set: {}", folder_.string(), std::strerror(error)));
  } catch (const QuotaRefused&) {
    remove();  // a constructor that throws does not run the destructor
    throw;
  }
}

Quota::~Quota() {
  remove();
}

void Quota::give_controller(const fs::path& above) {
  const fs::path control = above / "cgroup.subtree_control";
  if (has_word(read_kernel_file(control), "cpu")) return;
  int error = write_group_file(control, "+cpu");
  if (error == EBUSY) {
    step_aside(above);
    error = write_group_file(control, "+cpu");
  }
  if (error == 0) {
    above_ = above;
    return;
  }
  remove();
  throw QuotaRefused(
      fmt::format("{} gives its groups no processor controller: {}", above.string(), std::strerror(error)));
}

void Quota::step_aside(const fs::path& above) {
  const std::vector<pid_t> there = members(above);
  if (there != std::vector<pid_t>{::getpid()})
    throw QuotaRefused(fmt::format(
        "{} holds other processes, too, and limits no group below it then: start this command in a "
        "group of its own, `systemd-run --scope -p Delegate=yes gpugauge selftest --inject`",
        above.string()));
  make_group(above / fmt::format("{}{}", beside_name, ::getpid()));
  beside_ = above / fmt::format("{}{}", beside_name, ::getpid());
  if (const int error = write_group_file(beside_ / "cgroup.procs", fmt::format("{}", ::getpid()));
      error != 0) {
    remove();
    throw QuotaRefused(
        fmt::format("this process cannot enter {}: {}", beside_.string(), std::strerror(error)));
  }
}

std::string Quota::remove() {
  int error = 0;
  fs::path left;
  if (!folder_.empty()) {
    error = remove_group(folder_);
    if (error != 0) left = folder_;
    if (error == 0) folder_.clear();
  }
  if (!above_.empty()) {
    write_group_file(above_ / "cgroup.subtree_control", "-cpu");
    above_.clear();
  }
  if (!beside_.empty()) {
    write_group_file(beside_.parent_path() / "cgroup.procs", fmt::format("{}", ::getpid()));
    const int beside_error = remove_group(beside_);
    if (beside_error != 0 && error == 0) {
      error = beside_error;
      left = beside_;
    }
    beside_.clear();
  }
  return error == 0 ? ""
                    : fmt::format("the control group {} could not be removed: {}", left.string(),
                                  std::strerror(error));
}

int remove_abandoned_quotas(const fs::path& root) {
  int removed = 0;
  for (const stack::CpuGroup& group : stack::own_cpu_groups(root)) {
    std::error_code error;
    std::vector<fs::path> found;
    for (fs::directory_iterator entry(group.directory, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      for (const std::string_view ours : {quota_name, beside_name}) {
        if (!name.starts_with(ours)) continue;
        const pid_t owner = result::number_in<pid_t>(std::string_view(name).substr(ours.size())).value_or(0);
        if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) found.push_back(entry->path());
      }
    }
    for (const fs::path& folder : found) removed += ::rmdir(folder.c_str()) == 0 ? 1 : 0;
  }
  return removed;
}

}  // namespace gpugauge::run
