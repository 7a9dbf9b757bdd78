// Connects all ranks of a job in a star around rank 0, and exchanges texts step by step.
#include "support/ranks/channel.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "result/number.hpp"
#include "support/ranks/agreement.hpp"
#include "support/ranks/place.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::ranks {

namespace {

// A hello of any version begins with the protocol and the job.
constexpr const char* any_protocol = "gpugauge.ranks/";
constexpr const char* protocol = "gpugauge.ranks/2";
// A rank that met rank 0 waits a little longer than rank 0 does for the others, so that it learns who is
// missing.
constexpr double grace_seconds = 10;
constexpr double farewell_seconds = 2;
// A stranger that connects and sends nothing must not use up the ranks' time or descriptors. All connections
// wait at once, and a rank sends its hello as soon as it is accepted.
constexpr double hello_seconds = 2;
constexpr std::size_t hello_bytes = std::size_t{1} << 16;
constexpr std::size_t most_at_the_door = 256;

std::string host_name() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) return "unknown host";
  return name;
}

std::optional<int> rank_in(const std::string& text, int size) {
  const auto value = result::number_in<int>(text);
  return value && *value >= 1 && *value < size ? value : std::nullopt;
}

}  // namespace

Channel::Channel(const Launch& launch) : launch_(launch), peers_(static_cast<std::size_t>(launch.size)) {
  const double deadline = steady_seconds() + launch_.patience_seconds;
  if (launch_.rank == 0)
    gather(deadline);
  else
    join(deadline);
}

std::string Channel::name_of(int rank) const {
  const Peer& peer = peers_[static_cast<std::size_t>(rank)];
  if (peer.host.empty()) return fmt::format("rank {}", rank);
  return fmt::format("rank {} ({}, process {})", rank, peer.host, peer.pid);
}

int Channel::local_rank() const {
  const auto own = peers_.begin() + launch_.rank;
  return static_cast<int>(
      std::count_if(peers_.begin(), own, [&](const Peer& peer) { return peer.host == own->host; }));
}

std::vector<std::string> Channel::hosts() const {
  std::set<std::string> names;
  for (const Peer& peer : peers_) names.insert(peer.host);
  return {names.begin(), names.end()};
}

// Sends the sentence to all, then throws it.
void Channel::part(const std::string& sentence) {
  if (!over_) {
    over_ = sentence;
    const double deadline = steady_seconds() + farewell_seconds;
    for (Wire& wire : wires_)
      if (wire.is_open()) wire.send({Kind::fault, {sentence}}, deadline);
  }
  throw Parted(*over_);
}

void Channel::hear(std::deque<Newcomer>& door) {
  const double now = steady_seconds();
  for (Newcomer& one : door) {
    const Line line = one.wire.whole(hello_bytes);
    if (line == Line::open)
      introduce(std::move(one.wire));
    else if (line == Line::ended || now >= one.until)
      one.wire.close();
  }
  std::erase_if(door, [](const Newcomer& one) { return !one.wire.is_open(); });
  // Drops the newest: an older one may be a rank whose hello is in transit, or will time out soon.
  while (door.size() > most_at_the_door) door.pop_back();
}

void Channel::introduce(Wire wire) {
  Message hello;
  const double limit = steady_seconds() + hello_seconds;
  // Not one of ours: another program, or another job on the same port.
  if (wire.receive(hello, limit) != Line::open || hello.kind != Kind::hello || hello.texts.size() < 2 ||
      !hello.texts[0].starts_with(any_protocol) || hello.texts[1] != launch_.job)
    return;
  if (hello.texts[0] != protocol || hello.texts.size() != 6) {
    const std::string sentence = fmt::format(
        "a process{} is of another build of GPUGauge than rank 0 on {}: start the same build everywhere",
        hello.texts.size() > 4 ? " on " + hello.texts[4] : "", peers_[0].host);
    wire.send({Kind::fault, {sentence}}, limit);
    part(sentence);
  }
  const auto rank = rank_in(hello.texts[3], launch_.size);
  if (hello.texts[2] != std::to_string(launch_.size) || !rank || wire_of(*rank).is_open()) {
    const std::string sentence =
        fmt::format("a process on {} says that it is rank {} of {}, but {}", hello.texts[4], hello.texts[3],
                    hello.texts[2],
                    rank && hello.texts[2] == std::to_string(launch_.size)
                        ? "that rank is there already"
                        : fmt::format("this job has the ranks 0 to {}", launch_.size - 1));
    wire.send({Kind::fault, {sentence}}, limit);
    part(sentence);
  }
  // Until this answer a rank takes the end of its connection for that of a stranger, and comes again.
  if (!wire.send({Kind::hello, {}}, limit)) return;
  peers_[static_cast<std::size_t>(*rank)] = {hello.texts[4], hello.texts[5]};
  wire_of(*rank) = std::move(wire);
}

void Channel::gather(double deadline) {
  wires_.resize(static_cast<std::size_t>(launch_.size));
  peers_[0] = {host_name(), std::to_string(getpid())};
  allow_connections(launch_.size);
  const Wire door = listening(launch_);
  const auto missing = [&] {
    std::vector<int> ranks;
    for (int rank = 1; rank < launch_.size; ++rank)
      if (!wire_of(rank).is_open()) ranks.push_back(rank);
    return ranks;
  };
  std::deque<Newcomer> newcomers;
  for (std::vector<int> absent = missing(); !absent.empty(); absent = missing()) {
    check();  // finds a rank that ended while others were awaited
    const double left = deadline - steady_seconds();
    if (left <= 0)
      part(fmt::format(
          "rank{} {} of {} did not come within {:g} s. Were all started, and can they reach {}:{}?",
          absent.size() == 1 ? "" : "s", list_of(absent), launch_.size, launch_.patience_seconds,
          launch_.host, launch_.port));
    pollfd entry{door.socket(), POLLIN, 0};
    const double slice = newcomers.empty() ? 0.2 : 0.01;
    if (poll(&entry, 1, static_cast<int>(std::min(left, slice) * 1e3) + 1) > 0) {
      const int socket = accept4(door.socket(), nullptr, nullptr, SOCK_CLOEXEC);
      if (socket >= 0)
        newcomers.push_back({Wire(socket), steady_seconds() + hello_seconds});
      else if (errno == EMFILE || errno == ENFILE)
        part(
            fmt::format("rank 0 cannot take a connection of each of {} ranks: {}. Raise its limit of open "
                        "files (ulimit -n).",
                        launch_.size, std::strerror(errno)));
    }
    hear(newcomers);
  }
  Texts all;
  for (const Peer& peer : peers_) {
    all.push_back(peer.host);
    all.push_back(peer.pid);
  }
  for (int rank = 1; rank < launch_.size; ++rank)
    if (!wire_of(rank).send({Kind::welcome, all}, steady_seconds() + grace_seconds))
      part(fmt::format("{} ended before all ranks had come", name_of(rank)));
}

void Channel::stay_out(const std::string& sentence) {
  over_ = sentence;
  throw Parted(*over_);
}

bool Channel::introduced(double deadline, std::string& fault) {
  Wire wire = connected(launch_, deadline, fault);
  if (!wire.is_open()) return false;
  Message answer;
  const double limit = deadline + grace_seconds;
  const bool sent = wire.send({Kind::hello,
                               {protocol, launch_.job, std::to_string(launch_.size),
                                std::to_string(launch_.rank), host_name(), std::to_string(getpid())}},
                              limit);
  const Line line = sent ? wire.receive(answer, limit) : Line::ended;
  if (line == Line::open && answer.kind == Kind::fault && answer.texts.size() == 1) stay_out(answer.texts[0]);
  if (line == Line::open && answer.kind == Kind::hello && answer.texts.empty()) {
    wires_[0] = std::move(wire);
    return true;
  }
  fault = fmt::format("was not let in by what listens at {}:{}: {}", launch_.host, launch_.port,
                      line == Line::late ? "it did not answer" : "it ended, or belongs to another job");
  return false;
}

// A connection that ends before rank 0 has answered may have met a stranger in rank 0's place, or one that
// only forwards it and found nobody yet.
void Channel::join(double deadline) {
  wires_.resize(1);
  std::string fault;
  while (!introduced(deadline, fault)) {
    if (steady_seconds() >= deadline)
      stay_out(fmt::format("rank {} of {} {}", launch_.rank, launch_.size, fault));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  Message answer;
  const Line line = wires_[0].receive(answer, deadline + grace_seconds);
  if (line == Line::open && answer.kind == Kind::fault && answer.texts.size() == 1) stay_out(answer.texts[0]);
  if (line != Line::open || answer.kind != Kind::welcome || answer.texts.size() != 2 * peers_.size())
    stay_out(fmt::format("rank 0 at {}:{} {} before all {} ranks had come", launch_.host, launch_.port,
                         line == Line::late ? "fell silent" : "ended", launch_.size));
  for (std::size_t rank = 0; rank < peers_.size(); ++rank)
    peers_[rank] = {answer.texts[2 * rank], answer.texts[2 * rank + 1]};
}

Texts Channel::exchange(const std::string& step, const std::string& text, double seconds) {
  if (over_) throw Parted(*over_);
  if (launch_.rank != 0) return hand_in(step, text, peers_.size(), seconds);
  Texts all = collect(step, text, seconds);
  send_all(step, all);
  return all;
}

std::string Channel::exchange(const std::string& step, const std::string& text, const MadeOf& made_of,
                              double seconds) {
  if (over_) throw Parted(*over_);
  if (launch_.rank != 0) return hand_in(step, text, 1, seconds).front();
  std::string made;
  try {
    made = made_of(collect(step, text, seconds));
  } catch (const Parted&) {
    throw;
  } catch (const std::exception& error) {
    part(error.what());
  }
  send_all(step, {made});
  return made;
}

Texts Channel::collect(const std::string& step, const std::string& text, double seconds) {
  const double deadline = steady_seconds() + seconds;
  Texts all(static_cast<std::size_t>(launch_.size));
  all[0] = text;
  for (int rank = 1; rank < launch_.size; ++rank) {
    Message message;
    Line line = Line::late;
    // Waits in slices, so that another rank's end is noticed meanwhile.
    do {
      pollfd entry{wire_of(rank).socket(), POLLIN, 0};
      constexpr int slice_ms = 200;
      if (poll(&entry, 1, slice_ms) > 0)
        line = wire_of(rank).receive(message, deadline);
      else
        check();
    } while (line == Line::late && steady_seconds() < deadline);
    if (line == Line::ended) part(fmt::format("{} ended in the step \"{}\"", name_of(rank), step));
    if (line == Line::late)
      part(fmt::format("{} did not come to the step \"{}\" within {:g} s", name_of(rank), step, seconds));
    if (message.kind == Kind::fault && message.texts.size() == 1)
      part(fmt::format("{} gave up: {}", name_of(rank), message.texts[0]));
    if (message.kind != Kind::give || message.texts.size() != 2)
      part(fmt::format("{} sent something else while rank 0 is in the step \"{}\"", name_of(rank), step));
    if (message.texts[0] != step)
      part(fmt::format("the ranks are at different steps: rank 0 at \"{}\", {} at \"{}\"", step,
                       name_of(rank), message.texts[0]));
    all[static_cast<std::size_t>(rank)] = std::move(message.texts[1]);
  }
  return all;
}

void Channel::send_all(const std::string& step, const Texts& texts) {
  for (int rank = 1; rank < launch_.size; ++rank)
    if (!wire_of(rank).send({Kind::all, texts}, steady_seconds() + grace_seconds))
      part(fmt::format("{} ended in the step \"{}\"", name_of(rank), step));
}

Texts Channel::hand_in(const std::string& step, const std::string& text, std::size_t answers,
                       double seconds) {
  Message message;
  const double deadline = steady_seconds() + seconds + grace_seconds;
  const Line line = wires_[0].send({Kind::give, {step, text}}, deadline)
                        ? wires_[0].receive(message, deadline)
                        : wires_[0].receive(message, steady_seconds() + farewell_seconds);
  if (line == Line::open && message.kind == Kind::all && message.texts.size() == answers)
    return message.texts;
  if (line == Line::open && message.kind == Kind::fault && message.texts.size() == 1)
    over_ = message.texts[0];
  else
    over_ = fmt::format("{} {} in the step \"{}\"", name_of(0),
                        line == Line::late ? "did not answer" : "ended", step);
  throw Parted(*over_);
}

void Channel::check() {
  if (over_) throw Parted(*over_);
  for (std::size_t i = 0; i < wires_.size(); ++i) {
    if (!wires_[i].is_open()) continue;
    const int other = launch_.rank == 0 ? static_cast<int>(i) : 0;
    std::optional<Kind> kind;
    const Line line = wires_[i].peek(kind);
    if (line == Line::ended) {
      wires_[i].close();
      part(fmt::format("{} ended", name_of(other)));
    }
    if (kind != Kind::fault) continue;
    Message message;
    const Line got = wires_[i].receive(message, steady_seconds() + farewell_seconds);
    const std::string why =
        got == Line::open && message.texts.size() == 1 ? message.texts[0] : "no reason given";
    // Rank 0 forwards a sentence unchanged: it already names the rank.
    part(launch_.rank == 0 ? fmt::format("{} gave up: {}", name_of(other), why) : why);
  }
}

void Channel::fail(const std::string& sentence) {
  if (over_) return;
  try {
    part(launch_.rank == 0 ? fmt::format("{} gave up: {}", name_of(0), sentence) : sentence);
  } catch (const Parted&) {
  }
}

void Channel::end_together() {
  constexpr double wait_seconds = 10;
  try {
    exchange("end", "", wait_seconds);
  } catch (const Parted&) {
    end_apart();
  }
}

void end_apart() {
  std::this_thread::sleep_for(std::chrono::seconds(1));
}

}  // namespace gpugauge::bench::ranks
