// Sends and receives messages between ranks on a TCP socket, with a deadline for every operation.
#include "support/ranks/wire.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/timer.hpp"

namespace gpugauge::bench::ranks {

namespace {

constexpr std::size_t header_bytes = 5;
constexpr std::uint32_t most_bytes = 1U << 28;

void add_length(std::string& to, std::size_t length) {
  for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>((length >> shift) & 0xff);
}

std::uint32_t length_at(const char* from) {
  std::uint32_t length = 0;
  for (int i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(from[i]);
  return length;
}

bool is_kind(char byte) {
  constexpr std::array kinds{Kind::hello, Kind::welcome, Kind::give, Kind::all, Kind::fault};
  return std::find(kinds.begin(), kinds.end(), static_cast<Kind>(byte)) != kinds.end();
}

void set(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

std::string encode(const Texts& texts) {
  std::string bytes;
  for (const std::string& text : texts) {
    add_length(bytes, text.size());
    bytes += text;
  }
  return bytes;
}

std::optional<Texts> decode(const std::string& bytes) {
  Texts texts;
  for (std::size_t at = 0; at < bytes.size();) {
    if (bytes.size() - at < 4) return std::nullopt;
    const std::size_t length = length_at(bytes.data() + at);
    at += 4;
    if (bytes.size() - at < length) return std::nullopt;
    texts.push_back(bytes.substr(at, length));
    at += length;
  }
  return texts;
}

Wire::Wire(int socket) : socket_(socket) {
  // A node that loses power closes nothing. With keep-alive the kernel probes it and gives up after about 25
  // s.
  set(socket_, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket_, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(socket_, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(socket_, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(socket_, IPPROTO_TCP, TCP_NODELAY, 1);
}

Wire::Wire(Wire&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

Wire& Wire::operator=(Wire&& other) noexcept {
  if (this != &other) {
    close();
    socket_ = std::exchange(other.socket_, -1);
  }
  return *this;
}

Wire::~Wire() {
  close();
}

void Wire::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

Line Wire::wait(short events, double deadline) const {
  for (;;) {
    const double left = deadline - steady_seconds();
    pollfd entry{socket_, events, 0};
    const int count = poll(&entry, 1, static_cast<int>(std::ceil(std::clamp(left, 0.0, 1.0) * 1e3)));
    if (count > 0) return Line::open;
    if (count < 0 && errno != EINTR) return Line::ended;
    if (left <= 0) return Line::late;
  }
}

bool Wire::send(const Message& message, double deadline) {
  if (!is_open()) return false;
  const std::string body = encode(message.texts);
  std::string bytes(1, static_cast<char>(message.kind));
  add_length(bytes, body.size());
  bytes += body;
  for (std::size_t sent = 0; sent < bytes.size();) {
    if (wait(POLLOUT, deadline) != Line::open) return false;
    const ssize_t count =
        ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0)
      sent += static_cast<std::size_t>(count);
    else if (errno != EAGAIN && errno != EINTR)
      return false;
  }
  return true;
}

Line Wire::receive_bytes(char* to, std::size_t count, double deadline) {
  for (std::size_t got = 0; got < count;) {
    if (const Line line = wait(POLLIN, deadline); line != Line::open) return line;
    const ssize_t part = recv(socket_, to + got, count - got, MSG_DONTWAIT);
    if (part > 0)
      got += static_cast<std::size_t>(part);
    else if (part == 0 || (errno != EAGAIN && errno != EINTR))
      return Line::ended;
  }
  return Line::open;
}

Line Wire::receive(Message& message, double deadline) {
  if (!is_open()) return Line::ended;
  std::array<char, header_bytes> header{};
  if (const Line line = receive_bytes(header.data(), header.size(), deadline); line != Line::open)
    return line;
  const std::uint32_t length = length_at(header.data() + 1);
  if (!is_kind(header[0]) || length > most_bytes) return Line::ended;
  std::string body;
  while (body.size() < length) {  // allocates for received bytes, not for what a stranger announces
    constexpr std::size_t piece = std::size_t{1} << 20;
    const std::size_t before = body.size();
    body.resize(std::min<std::size_t>(length, before + piece));
    if (const Line line = receive_bytes(body.data() + before, body.size() - before, deadline);
        line != Line::open)
      return line;
  }
  auto texts = decode(body);
  if (!texts) return Line::ended;
  message = {static_cast<Kind>(header[0]), std::move(*texts)};
  return Line::open;
}

Line Wire::peek(std::optional<Kind>& kind) const {
  kind.reset();
  if (!is_open()) return Line::ended;
  char first = 0;
  const ssize_t count = recv(socket_, &first, 1, MSG_PEEK | MSG_DONTWAIT);
  if (count == 0) return Line::ended;
  if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? Line::open : Line::ended;
  if (!is_kind(first)) return Line::ended;
  kind = static_cast<Kind>(first);
  return Line::open;
}

Line Wire::whole(std::size_t most) const {
  std::optional<Kind> kind;
  if (const Line line = peek(kind); line != Line::open) return line;
  std::array<char, header_bytes> header{};
  const ssize_t count = recv(socket_, header.data(), header.size(), MSG_PEEK | MSG_DONTWAIT);
  if (count < static_cast<ssize_t>(header.size())) return Line::late;
  const std::size_t bytes = header_bytes + length_at(header.data() + 1);
  int waiting = 0;
  if (bytes > most || ioctl(socket_, FIONREAD, &waiting) != 0) return Line::ended;
  return static_cast<std::size_t>(waiting) < bytes ? Line::late : Line::open;
}

}  // namespace gpugauge::bench::ranks
