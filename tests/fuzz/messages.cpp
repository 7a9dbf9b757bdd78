// What other processes send: ranks over a socket that a stranger can reach, fresh processes through a pipe,
// families as output, launchers as variables (NAME=value, one a line).
#include <map>
#include <optional>

#include <sys/socket.h>
#include <unistd.h>

#include "fuzz/support/target.hpp"
#include "result/launcher.hpp"
#include "run/output_tail.hpp"
#include "stack/child.hpp"
#include "support/fresh_process.hpp"
#include "support/ranks/launch.hpp"
#include "support/ranks/wire.hpp"
#include "support/timer.hpp"

namespace gpugauge::fuzz {
namespace {

namespace ranks = bench::ranks;

void receive(std::string_view bytes) {
  int ends[2] = {-1, -1};
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "no pair of sockets");
  // No more than a socket holds unread.
  const std::string_view sent = bytes.substr(0, 65536);
  ranks::Wire wire(ends[0]);
  require(::send(ends[1], sent.data(), sent.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
              static_cast<ssize_t>(sent.size()),
          "a socket that takes no bytes");
  ::shutdown(ends[1], SHUT_WR);
  ranks::Message message;
  std::optional<ranks::Kind> kind;
  wire.peek(kind);
  const double deadline = bench::steady_seconds() + 2;
  while (wire.receive(message, deadline) == ranks::Line::open) {
    const std::string body = ranks::encode(message.texts);
    require(ranks::decode(body) == message.texts, "a message is not written as it is read");
  }
  ::close(ends[1]);
}

void look_up(std::string_view bytes) {
  std::map<std::string, std::string> variables;
  while (!bytes.empty()) {
    const std::string_view line = take_line(bytes);
    if (const auto equals = line.find('='); equals != std::string_view::npos)
      variables.insert_or_assign(std::string(line.substr(0, equals)), std::string(line.substr(equals + 1)));
  }
  const result::Lookup lookup = [&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  std::optional<ranks::Launch> launch;
  if (accepted([&] { launch = ranks::find_launch(lookup); }) && launch) {
    require(launch->rank >= 0 && launch->rank < launch->size && launch->size > 1, "a rank that is none");
    require(launch->port > 0 && launch->port < 65536 && !launch->host.empty() && !launch->job.empty(),
            "ranks that cannot meet");
  }
  std::optional<result::Rank> rank;
  if (!accepted([&] { rank = result::find_rank(lookup); }) || !rank) return;
  require(rank->rank >= 0 && rank->rank < rank->size, "a rank that is none");
  require(!result::with_rank("run.json", "node7", rank).empty(), "a file without a name");
}

void read(std::string_view bytes) {
  const std::string text(bytes);
  if (const auto texts = ranks::decode(text))
    require(ranks::encode(*texts) == text, "bytes come back as others");
  require(ranks::first_host(text).find(',') == std::string::npos, "two hosts for one");
  receive(bytes);
  look_up(bytes);
  try {
    const bench::Report report = bench::parse_report(text);
    require(bench::parse_report(bench::report_text(report)).size() == report.size(), "a report lost a name");
  } catch (const std::runtime_error&) {  // its documented refusal: the words are the other process's
  }
  run::OutputTail tail;
  tail.append(bytes.substr(0, bytes.size() / 2));
  tail.append(bytes.substr(bytes.size() / 2));
  require(tail.text().size() <= run::output_limit_bytes, "the end of an output is too long");
  require(run::to_valid_utf8(tail.text()) == tail.text(), "the end of an output is no UTF-8");
  require(run::last_line(text).size() <= 303, "a last line is too long");
  stack::last_line(text);
  const std::string word = result::host_word(text);
  require(!word.empty() && word.front() != '.' && word.find('/') == std::string::npos,
          "a host's name that leads elsewhere");
}

const Target target("messages", read);

}  // namespace
}  // namespace gpugauge::fuzz
