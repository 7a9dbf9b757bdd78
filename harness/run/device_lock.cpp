#include "run/device_lock.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "result/error.hpp"
#include "run/processes.hpp"

namespace gpugauge::run {
namespace {

using Clock = std::chrono::steady_clock;

struct Address {
  sockaddr_un name{};
  socklen_t length = 0;
};

/// "\0gpugauge/DOMAIN/DEVICE". A name that is too long is cut, which only excludes more.
Address address_of(const std::string& device) {
  const char* domain = std::getenv("GPUGAUGE_DEVICE_LOCK");
  const std::string text =
      fmt::format("gpugauge/{}/{}", std::string(domain != nullptr ? domain : "").substr(0, 40), device);
  Address address;
  address.name.sun_family = AF_UNIX;
  const std::size_t length = std::min(text.size(), sizeof address.name.sun_path - 1);
  std::memcpy(address.name.sun_path + 1, text.data(), length);
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return address;
}

/// True if the socket belongs to a process of this machine that has gone. Between fork and exec, a child of a
/// killed process still holds its parent's sockets, for a moment.
bool has_gone(int asking) {
  ucred owner{};
  socklen_t size = sizeof owner;
  return asking >= 0 && ::getsockopt(asking, SOL_SOCKET, SO_PEERCRED, &owner, &size) == 0 && owner.pid > 0 &&
         ::kill(owner.pid, 0) != 0 && errno == ESRCH;
}

int open_socket() {
  return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/// When a process began, in UTC; "" if the kernel does not say.
std::string start_of(pid_t process) {
  return process_start(read_kernel_file(fmt::format("/proc/{}/stat", process)),
                       read_kernel_file("/proc/stat"), static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

/// "process 812 (gpugauge check, user 1000, started ...)", from the kernel's data on the socket's owner.
/// `asking` is a new socket that stays connected: each connection uses one of the owner's 64 places, closed
/// or not.
std::string owner_of(const Address& address, int asking) {
  ucred owner{};
  socklen_t size = sizeof owner;
  const bool known =
      asking >= 0 &&
      ::connect(asking, reinterpret_cast<const sockaddr*>(&address.name), address.length) == 0 &&
      ::getsockopt(asking, SOL_SOCKET, SO_PEERCRED, &owner, &size) == 0;
  if (!known) return "another process that cannot be asked";
  std::string command = read_kernel_file(fmt::format("/proc/{}/cmdline", owner.pid)).substr(0, 200);
  while (!command.empty() && command.back() == '\0') command.pop_back();
  std::replace(command.begin(), command.end(), '\0', ' ');
  const std::string since = start_of(owner.pid);
  return fmt::format("process {} ({}, user {}{})", owner.pid,
                     command.empty() ? "of which nothing can be seen here" : result::one_line(command),
                     owner.uid, since.empty() ? "" : ", started " + since);
}

}  // namespace

DeviceLocks::DeviceLocks(const std::vector<std::string>& devices, double wait_seconds,
                         const std::function<void(double left, const std::string& owner)>& waiting) {
  constexpr double interval = .25;
  constexpr double until_children_let_go = 1;
  const auto start = Clock::now();
  while (!take(devices)) {
    const double waited = std::chrono::duration<double>(Clock::now() - start).count();
    if (has_gone(asking_) && waited < until_children_let_go) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      continue;
    }
    const double left = wait_seconds - waited;
    if (!(left > 0)) {
      if (wait_seconds > 0) refusal_ += fmt::format("; waited {:.3g} s", wait_seconds);
      return;
    }
    if (waiting) waiting(left, refusal_);
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, interval)));
  }
}

DeviceLocks::~DeviceLocks() {
  release();
  if (asking_ >= 0) ::close(asking_);
}

const std::string& DeviceLocks::owner(const std::string& device) {
  char nothing = 0;
  const bool same = asking_ >= 0 && device == asked_ &&
                    ::recv(asking_, &nothing, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
                    (errno == EAGAIN || errno == EWOULDBLOCK);  // not hung up
  if (same) return owner_;
  if (asking_ >= 0) ::close(asking_);
  asking_ = open_socket();
  asked_ = device;
  owner_ = owner_of(address_of(device), asking_);
  return owner_;
}

void DeviceLocks::release() {
  for (const int socket : sockets_) ::close(socket);
  sockets_.clear();
}

bool DeviceLocks::take(const std::vector<std::string>& devices) {
  refusal_.clear();
  for (const std::string& device : devices) {
    const Address address = address_of(device);
    const int socket = open_socket();
    const bool bound =
        socket >= 0 && ::bind(socket, reinterpret_cast<const sockaddr*>(&address.name), address.length) == 0;
    const int error = errno;
    if (bound && ::listen(socket, 64) == 0) {
      sockets_.push_back(socket);
      continue;
    }
    if (socket >= 0) ::close(socket);
    if (socket >= 0 && !bound && error == EADDRINUSE) {
      refusal_ = fmt::format("{} is being measured by {}", device, owner(device));
      release();  // all or none: two processes that wait for each other would wait forever
      return false;
    }
    remark_ =
        fmt::format("{} is measured unguarded: whether another gpugauge measures it cannot be seen ({})",
                    device, std::strerror(error));
  }
  return true;
}

}  // namespace gpugauge::run
