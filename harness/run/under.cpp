#include "run/under.hpp"

#include <cerrno>
#include <csignal>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "run/surroundings.hpp"

namespace gpugauge::run {
namespace {

[[noreturn]] void refuse_under(const std::string& sentence) {
  throw std::system_error(errno, std::generic_category(), sentence);
}

void write_kernel_file(const std::filesystem::path& file, const std::string& text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) refuse_under(fmt::format("{} cannot be opened", file.string()));
  const bool written = ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  ::close(descriptor);
  errno = error;
  if (!written) refuse_under(fmt::format("{} cannot be written", file.string()));
}

/// If this user may not mount, enters a user namespace in which this user may.
void leave_mount_namespace() {
  if (::unshare(CLONE_NEWNS) == 0) return;
  const uid_t user = ::getuid();
  const gid_t group = ::getgid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
    refuse_under("the kernel gives this user no mount namespace of its own");
  write_kernel_file("/proc/self/setgroups", "deny");
  write_kernel_file("/proc/self/uid_map", fmt::format("{0} {0} 1", user));
  write_kernel_file("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
}

/// Only this process and its children see the mount, which disappears with the last of them.
void see_small_shm(int mebibytes) {
  leave_mount_namespace();
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    refuse_under("the mounts of its own namespace cannot be made private");
  const std::string options = fmt::format("size={}m,mode=1777", mebibytes);
  if (::mount("gpugauge", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0)
    refuse_under("no /dev/shm of its own can be mounted in its namespace");
}

}  // namespace

void become(const Under& under, const std::vector<std::string>& words) {
  if (!under.group.empty()) write_kernel_file(under.group / "cgroup.procs", fmt::format("{}", ::getpid()));
  if (under.shm_mib > 0) see_small_shm(under.shm_mib);
  const Confined confined(under.processors);  // exec keeps the affinity: the destructor never runs
  // Last: the kernel drops this setting when the user's rights change.
  if (under.parent != 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    if (::getppid() != under.parent) ::_exit(under_refused);
  }
  std::vector<std::string> texts = words;
  std::vector<char*> arguments;
  arguments.reserve(texts.size() + 1);
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  ::execv(arguments.front(), arguments.data());
  refuse_under(fmt::format("{} cannot be started", words.front()));
}

}  // namespace gpugauge::run
