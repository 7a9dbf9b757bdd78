#include "support/ranks/place.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/ranks/channel.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::ranks {

namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Addresses addresses_of(const std::string& host, int port, std::string& fault) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (code != 0) fault = gai_strerror(code);
  return Addresses(code == 0 ? list : nullptr);
}

/// On a port that the kernel gives away, a connection to nobody may meet itself. It would keep rank 0 from
/// listening there.
bool meets_itself(int socket) {
  sockaddr_storage own{};
  sockaddr_storage other{};
  socklen_t own_size = sizeof own;
  socklen_t other_size = sizeof other;
  return getsockname(socket, reinterpret_cast<sockaddr*>(&own), &own_size) == 0 &&
         getpeername(socket, reinterpret_cast<sockaddr*>(&other), &other_size) == 0 &&
         own_size == other_size && std::memcmp(&own, &other, own_size) == 0;
}

/// 0 once the socket is connected; otherwise errno.
int connect_within(int socket, const addrinfo& address, double seconds) {
  int code = connect(socket, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  if (code == EINPROGRESS) {
    pollfd entry{socket, POLLOUT, 0};
    socklen_t size = sizeof code;
    if (poll(&entry, 1, static_cast<int>(seconds * 1e3) + 1) <= 0)
      code = ETIMEDOUT;
    else
      getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size);
  }
  if (code != 0 || !meets_itself(socket)) return code;
  const linger none{1, 0};  // closed without a trace: the kernel would hold the port for a minute
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  return ECONNREFUSED;
}

}  // namespace

void allow_connections(int count) {
  constexpr rlim_t beside = 256;  // libraries, logs, strangers at the door
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = static_cast<rlim_t>(count) + beside;
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

Wire listening(const Launch& launch) {
  std::string fault;
  const bool local = launch.host == "127.0.0.1" || launch.host == "localhost" || launch.host == "::1";
  int family = local && launch.host != "::1" ? AF_INET : AF_INET6;
  int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0 && family == AF_INET6 && errno == EAFNOSUPPORT) {  // a kernel without IPv6
    family = AF_INET;
    socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  }
  const int yes = 1;
  const int no = 0;
  int code = socket < 0 ? -1 : setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const auto port = htons(static_cast<std::uint16_t>(launch.port));
  if (code == 0 && family == AF_INET) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = port;
    address.sin_addr.s_addr = htonl(local ? INADDR_LOOPBACK : INADDR_ANY);
    code = bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } else if (code == 0) {
    setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = port;
    address.sin6_addr = local ? in6addr_loopback : in6addr_any;
    code = bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  if (code == 0) code = listen(socket, 1024);
  if (code != 0) {
    fault = std::strerror(errno);
    if (socket >= 0) ::close(socket);
    throw Parted(
        fmt::format("rank 0 cannot listen on port {}: {}. Set GPUGAUGE_RENDEZVOUS=HOST:PORT for all ranks, "
                    "with a free port.",
                    launch.port, fault));
  }
  return Wire(socket);
}

Wire connected(const Launch& launch, double deadline, std::string& fault) {
  constexpr double longest_seconds = 5;
  std::string why = "nobody listens there";
  const Addresses list = addresses_of(launch.host, launch.port, why);
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    const int socket = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) continue;
    Wire wire(socket);
    const double left = std::clamp(deadline - steady_seconds(), 0.0, longest_seconds);
    const int code = connect_within(socket, *one, left);
    if (code == 0) return wire;
    why = std::strerror(code);
  }
  fault = fmt::format("could not reach rank 0 at {}:{} within {:g} s ({})", launch.host, launch.port,
                      launch.patience_seconds, why);
  return {};
}

}  // namespace gpugauge::bench::ranks
