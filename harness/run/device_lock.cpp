#include "run/device_lock.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <map>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "result/launcher.hpp"

namespace gpugauge::run {
namespace {

struct Held {
  int socket = -1;  ///< -1 where there are no sockets to hold it by
  int times = 0;
};

std::map<std::string, Held>& held() {
  static std::map<std::string, Held> devices;
  return devices;
}

struct Name {
  sockaddr_un address{};
  socklen_t length = 0;
};

/// The name begins with a zero byte: it stands in no folder.
Name name_of(const std::string& device) {
  Name name;
  name.address.sun_family = AF_UNIX;
  const std::string scope = result::from_environment("GPUGAUGE_LOCK_SCOPE").value_or("");
  const std::string text =
      fmt::format("gpugauge {} {}", device, scope).substr(0, sizeof name.address.sun_path - 1);
  std::copy(text.begin(), text.end(), name.address.sun_path + 1);
  name.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return name;
}

int new_socket() {
  return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/// The process that holds the name; 0 when it cannot be told.
pid_t holder(const Name& name) {
  const int socket = new_socket();
  if (socket < 0) return 0;
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known = ::connect(socket, reinterpret_cast<const sockaddr*>(&name.address), name.length) == 0 &&
                     ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  ::close(socket);
  return known ? peer.pid : 0;
}

/// The socket that holds the name; -1 when another process does, or (errno is not EADDRINUSE) when none can.
int take(const Name& name) {
  const int socket = new_socket();
  if (socket < 0) return -1;
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&name.address), name.length) == 0) {
    ::listen(socket, 64);  // only so that others can ask who holds it
    return socket;
  }
  const int why = errno;
  ::close(socket);
  errno = why;
  return -1;
}

}  // namespace

DeviceLock::DeviceLock(std::string device, const std::function<void(const std::string&)>& waiting)
    : device_(std::move(device)) {
  Held& mine = held()[device_];
  if (mine.times++ > 0) return;
  const Name name = name_of(device_);
  bool said = false;
  while ((mine.socket = take(name)) < 0 && errno == EADDRINUSE) {
    if (!std::exchange(said, true)) {
      const pid_t other = holder(name);
      waiting(fmt::format("another gpugauge{} measures {}; waiting until it ends",
                          other > 0 ? fmt::format(" (process {})", other) : "",
                          device_ == "host" ? "this host" : device_));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

DeviceLock::~DeviceLock() {
  const auto found = held().find(device_);
  if (--found->second.times > 0) return;
  if (found->second.socket >= 0) ::close(found->second.socket);
  held().erase(found);
}

}  // namespace gpugauge::run
