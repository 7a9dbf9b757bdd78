// Messages between ranks: a type, a length, a list of texts; on a TCP socket, with a deadline for everything.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpugauge::bench::ranks {

/// What a message carries; any bytes.
using Texts = std::vector<std::string>;

/// Every text with its length before it (4 bytes, most significant first).
std::string encode(const Texts& texts);
/// nullopt for bytes that encode() did not make.
std::optional<Texts> decode(const std::string& bytes);

/// What a message is.
enum class Kind : unsigned char {
  hello = 'H',    ///< a rank introduces itself to rank 0
  welcome = 'W',  ///< rank 0: all ranks are there
  give = 'G',     ///< a rank's part of an exchange
  all = 'A',      ///< rank 0: everybody's part
  fault = 'F',    ///< one sentence why it is over
};

/// One message, as it is sent and received.
struct Message {
  /// Its type.
  Kind kind = Kind::fault;
  /// Its content, by type.
  Texts texts;
};

/// What became of a socket.
enum class Line { open, ended, late };

/// One connected socket. Owns it. Deadlines are steady_seconds().
class Wire {
 public:
  /// None: closed.
  Wire() = default;
  /// Takes a connected socket.
  explicit Wire(int socket);
  /// The other one is closed afterwards.
  Wire(Wire&& other) noexcept;
  /// The same; what was open here is closed.
  Wire& operator=(Wire&& other) noexcept;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  /// Closes it.
  ~Wire();

  /// Holds from a connected socket to close().
  bool is_open() const { return socket_ >= 0; }
  /// Its descriptor, -1 when closed; stays owned.
  int socket() const { return socket_; }
  /// Harmless when it is closed.
  void close();
  /// false when the other side has ended or the deadline has passed.
  bool send(const Message& message, double deadline);
  /// Waits for one message. ended: the other side is gone, or what came was no message.
  Line receive(Message& message, double deadline);
  /// Without waiting: ended when the other side is gone; open otherwise. `kind` is that of a message that
  /// waits to be received, if one does.
  Line peek(std::optional<Kind>& kind) const;
  /// Without waiting: open when a whole message of at most `most` bytes waits to be received, late as long as
  /// it may still become one, ended when it will not.
  Line whole(std::size_t most) const;

 private:
  Line wait(short events, double deadline) const;
  Line receive_bytes(char* to, std::size_t count, double deadline);
  int socket_ = -1;
};

}  // namespace gpugauge::bench::ranks
