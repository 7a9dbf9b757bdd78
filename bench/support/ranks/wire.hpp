// Messages between ranks: a type, a length and a list of texts, on a TCP socket. Every operation has a
// deadline.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpugauge::bench::ranks {

/// The content of a message; any bytes.
using Texts = std::vector<std::string>;

/// Writes every text after its length (4 bytes, big-endian).
std::string encode(const Texts& texts);
/// Returns nullopt for bytes that encode() did not make.
std::optional<Texts> decode(const std::string& bytes);

/// The type of a message. The letters of hello and fault never change: introduction.hpp says why.
enum class Kind : unsigned char {
  hello = 'H',    ///< a rank introduces itself to rank 0, which answers with one of its own
  welcome = 'W',  ///< rank 0: all ranks are there
  give = 'G',     ///< a rank's part of an exchange
  all = 'A',      ///< rank 0: everybody's part
  fault = 'F',    ///< one sentence: why the exchange ends
};

/// One message as sent and received.
struct Message {
  /// Its type.
  Kind kind = Kind::fault;
  /// Its content, by type.
  Texts texts;
};

/// The state of a socket.
enum class Line { open, ended, late };

/// Owns one connected socket. Deadlines are steady_seconds(). What can be done at once is done after a
/// deadline, too: the last of many ranks is not left out because the others took the time.
class Wire {
 public:
  /// A closed socket.
  Wire() = default;
  /// Takes a connected socket.
  explicit Wire(int socket);
  /// Leaves `other` closed.
  Wire(Wire&& other) noexcept;
  /// Closes this socket first and leaves `other` closed.
  Wire& operator=(Wire&& other) noexcept;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  /// Closes the socket.
  ~Wire();

  /// True from construction with a socket until close().
  bool is_open() const { return socket_ >= 0; }
  /// Its descriptor, -1 when closed. The caller does not own it.
  int socket() const { return socket_; }
  /// Does nothing when already closed.
  void close();
  /// Returns false when the other side has ended or the deadline has passed.
  bool send(const Message& message, double deadline);
  /// Waits for one message. Returns ended when the other side is gone or the bytes were not a message.
  Line receive(Message& message, double deadline);
  /// Does not wait. Returns ended when the other side is gone; open otherwise. Sets `kind` to that of a
  /// waiting message, if there is one.
  Line peek(std::optional<Kind>& kind) const;
  /// Does not wait. Returns open when a whole message of at most `most` bytes is waiting, late while it may
  /// still become one, ended when it cannot.
  Line whole(std::size_t most) const;

 private:
  Line wait(short events, double deadline) const;
  Line receive_bytes(char* to, std::size_t count, double deadline);
  int socket_ = -1;
};

}  // namespace gpugauge::bench::ranks
