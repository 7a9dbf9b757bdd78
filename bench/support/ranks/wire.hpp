// Messages between ranks: a type, a length, a list of texts; on a TCP socket, with a deadline for everything.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpugauge::bench::ranks {

using Texts = std::vector<std::string>;

/// Every text with its length before it (4 bytes, most significant first).
std::string encode(const Texts& texts);
/// nullopt for bytes that encode() did not make.
std::optional<Texts> decode(const std::string& bytes);

enum class Kind : unsigned char {
  hello = 'H',    ///< a rank introduces itself to rank 0
  welcome = 'W',  ///< rank 0: all ranks are there
  give = 'G',     ///< a rank's part of an exchange
  all = 'A',      ///< rank 0: everybody's part
  fault = 'F',    ///< one sentence why it is over
};

struct Message {
  Kind kind = Kind::fault;
  Texts texts;
};

/// What became of a socket.
enum class Line { open, ended, late };

/// One connected socket. Owns it. Deadlines are steady_seconds().
class Wire {
 public:
  Wire() = default;
  explicit Wire(int socket);
  Wire(Wire&& other) noexcept;
  Wire& operator=(Wire&& other) noexcept;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  ~Wire();

  bool is_open() const { return socket_ >= 0; }
  int socket() const { return socket_; }
  void close();
  /// false when the other side has ended or the deadline has passed.
  bool send(const Message& message, double deadline);
  /// Waits for one message. ended: the other side is gone, or what came was no message.
  Line receive(Message& message, double deadline);
  /// Without waiting: ended when the other side is gone; open otherwise. `kind` is that of a message that
  /// waits to be received, if one does.
  Line peek(std::optional<Kind>& kind) const;

 private:
  Line wait(short events, double deadline) const;
  Line receive_bytes(char* to, std::size_t count, double deadline);
  int socket_ = -1;
};

}  // namespace gpugauge::bench::ranks
