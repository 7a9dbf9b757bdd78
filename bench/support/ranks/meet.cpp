// How the ranks of a channel find each other: rank 0 at its door, and the others on their way to it.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "result/number.hpp"
#include "support/ranks/agreement.hpp"
#include "support/ranks/channel.hpp"
#include "support/ranks/introduction.hpp"
#include "support/ranks/place.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::ranks {

namespace {

// How long a rank 0 of format 1, which gives no answer, is taken to have let a rank in.
constexpr double silent_seconds = 1;
// How long rank 0 stays at the door after the ranks have parted.
constexpr double turning_seconds = 1;
// A stranger that connects and sends nothing must not use up the ranks' time or descriptors. All connections
// wait at once, and a rank sends its hello as soon as it is accepted.
constexpr double hello_seconds = 2;
constexpr std::size_t hello_bytes = std::size_t{1} << 16;
constexpr std::size_t most_at_the_door = 256;

std::optional<int> rank_in(const std::string& text, int size) {
  const auto value = result::number_in<int>(text);
  return value && *value >= 1 && *value < size ? value : std::nullopt;
}

}  // namespace

void Channel::hear(std::deque<Newcomer>& door) {
  const double now = steady_seconds();
  for (Newcomer& one : door) {
    const Line line = one.wire.whole(hello_bytes);
    if (line == Line::open)
      introduce(std::move(one.wire));
    else if (line == Line::ended || now >= one.until)
      one.wire.close();
  }
  keep_the_door(door);
}

// Forgets who is gone, and drops the newest of too many: an older one may be a rank whose hello is in transit, or will
// time out soon.
void Channel::keep_the_door(std::deque<Newcomer>& door) {
  std::erase_if(door, [](const Newcomer& one) { return !one.wire.is_open(); });
  while (door.size() > most_at_the_door) door.pop_back();
}

void Channel::introduce(Wire wire) {
  Message hello;
  const double limit = steady_seconds() + hello_seconds;
  const auto guest =
      wire.receive(hello, limit) == Line::open ? introduction_in(hello) : std::optional<Introduction>();
  // Not one of ours: another program, another job on the same port, or a newer rank that asks for an older rank 0.
  if (!guest || guest->job != launch_.job || is_knock(*guest)) return;
  // A hello that lacks texts has no rank of this build behind it, whatever format it names.
  if (guest->speech.format != speech_.format || guest->rank.empty() || guest->size.empty()) {
    const std::string sentence = fmt::format(
        "{}{} is of another build of GPUGauge than rank 0 on {}: it speaks {}, rank 0 {}. Start the same build "
        "everywhere.",
        guest->rank.empty() ? "a process" : "rank " + guest->rank,
        guest->host.empty() ? "" : " on " + guest->host, peers_[0].host, to_text(guest->speech),
        to_text(speech_));
    wire.send({Kind::fault, {sentence}}, limit);
    part(sentence);
  }
  const auto rank = rank_in(guest->rank, launch_.size);
  if (guest->size != std::to_string(launch_.size) || !rank || wire_of(*rank).is_open()) {
    const std::string sentence = fmt::format(
        "a process on {} says that it is rank {} of {}, but {}", guest->host, guest->rank, guest->size,
        rank && guest->size == std::to_string(launch_.size)
            ? "that rank is there already"
            : fmt::format("this job has the ranks 0 to {}", launch_.size - 1));
    wire.send({Kind::fault, {sentence}}, limit);
    part(sentence);
  }
  // Until this answer a rank takes the end of its connection for that of a stranger, and comes again.
  if (!wire.send(answer_of(speech_), limit)) return;
  peers_[static_cast<std::size_t>(*rank)] = {guest->host, guest->process};
  wire_of(*rank) = std::move(wire);
}

void Channel::gather(double deadline) {
  wires_.resize(static_cast<std::size_t>(launch_.size));
  peers_[0] = {this_host(), std::to_string(getpid())};
  allow_connections(launch_.size);
  Wire door = listening(launch_);
  std::deque<Newcomer> newcomers;
  try {
    take_in_all(door, newcomers, deadline);
  } catch (const Parted& parted) {
    try {
      std::thread(turn_away, std::move(door), std::move(newcomers), launch_.job, std::string(parted.what()))
          .detach();
    } catch (const std::system_error&) {
      // No thread is left. Late ranks are then not told; this one still says its own sentence.
    }
    throw;
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

// Returns the code of the fault, 0 where there is none, also where nobody came.
int Channel::open_door(const Wire& door, std::deque<Newcomer>& newcomers, double seconds) {
  pollfd entry{door.socket(), POLLIN, 0};
  const double slice = newcomers.empty() ? 0.2 : 0.01;
  if (poll(&entry, 1, static_cast<int>(std::min(seconds, slice) * 1e3) + 1) <= 0) return 0;
  const int socket = accept4(door.socket(), nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) return errno;
  newcomers.push_back({Wire(socket), steady_seconds() + hello_seconds});
  return 0;
}

void Channel::take_in_all(const Wire& door, std::deque<Newcomer>& newcomers, double deadline) {
  const auto missing = [&] {
    std::vector<int> ranks;
    for (int rank = 1; rank < launch_.size; ++rank)
      if (!wire_of(rank).is_open()) ranks.push_back(rank);
    return ranks;
  };
  for (std::vector<int> absent = missing(); !absent.empty(); absent = missing()) {
    check();  // finds a rank that ended while others were awaited
    const double left = deadline - steady_seconds();
    if (left <= 0)
      part(fmt::format(
          "rank{} {} of {} did not come within {:g} s. Were all started, and can they reach {}:{}?",
          absent.size() == 1 ? "" : "s", list_of(absent), launch_.size, launch_.patience_seconds,
          launch_.host, launch_.port));
    if (const int code = open_door(door, newcomers, left); code == EMFILE || code == ENFILE)
      part(
          fmt::format("rank 0 cannot take a connection of each of {} ranks: {}. Raise its limit of open "
                      "files (ulimit -n).",
                      launch_.size, std::strerror(code)));
    hear(newcomers);
  }
}

// The ranks have parted. Ranks that wait at the door, or that the launcher starts a little later, hear why, too. In a
// thread, because rank 0 must say it before mpirun ends all ranks with the first; the process lives as long
// (end_apart).
void Channel::turn_away(Wire door, std::deque<Newcomer> newcomers, const std::string& job,
                        const std::string& sentence) {
  const double until = steady_seconds() + turning_seconds;
  while (steady_seconds() < until) {
    // Who could not be taken in waits on at the door, and poll() returns at once.
    if (open_door(door, newcomers, std::max(0.0, until - steady_seconds())) != 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (Newcomer& one : newcomers) {
      const Line line = one.wire.whole(hello_bytes);
      if (line == Line::late) continue;
      Message hello;
      if (line == Line::open && one.wire.receive(hello, until) == Line::open)
        if (const auto guest = introduction_in(hello); guest && guest->job == job)
          one.wire.send({Kind::fault, {sentence}}, until);
      one.wire.close();
    }
    keep_the_door(newcomers);
  }
}

void Channel::stay_out(const std::string& sentence) {
  over_ = sentence;
  throw Parted(*over_);
}

bool Channel::introduced(double deadline, std::string& fault, bool& dropped) {
  std::string unreached;
  Wire wire = connected(launch_, deadline, unreached);
  if (!wire.is_open()) {
    if (!dropped) fault = unreached;  // who was dropped first says that
    return false;
  }
  Message answer;
  const double limit = deadline + grace_seconds;
  const Line line = wire.send(hello_of(launch_, speech_), limit) ? wire.receive(answer, limit) : Line::ended;
  if (line == Line::open && answer.kind == Kind::fault && answer.texts.size() == 1) stay_out(answer.texts[0]);
  if (const auto speech = line == Line::open ? speech_in(answer) : std::nullopt) {
    if (speech->format != speech_.format)
      stay_out(fmt::format("rank 0 speaks {}, rank {} {}. Start the same build everywhere.", to_text(*speech),
                           launch_.rank, to_text(speech_)));
    wires_[0] = std::move(wire);
    return true;
  }
  dropped = line == Line::ended;
  fault = fmt::format(
      "was not let in by what listens at {}:{}: {}", launch_.host, launch_.port,
      line == Line::late ? "it did not answer"
                         : fmt::format("it ended, belongs to another job, or is an older GPUGauge (this rank "
                                       "speaks {})",
                                       to_text(speech_)));
  return false;
}

// A rank 0 of an older format than last_silent_format + 1 lets nobody else in and says nothing. To such a one this
// rank introduces itself as one of its own, and then gives up, which that rank 0 tells everybody.
void Channel::knock(int format, double deadline) {
  std::string fault;
  Wire wire = connected(launch_, deadline, fault);
  if (!wire.is_open() || !wire.send(knock_of(launch_, speech_, format), steady_seconds() + silent_seconds))
    return;
  Message answer;
  Line line = wire.receive(answer, steady_seconds() + silent_seconds);
  const bool welcome = line == Line::open && (answer.kind == Kind::hello || answer.kind == Kind::welcome);
  if (!welcome && line != Line::late) return;
  const std::string sentence = fmt::format("it speaks {}, rank 0 {}. Start the same build everywhere.",
                                           to_text(speech_), to_text({format, ""}));
  if (!wire.send({Kind::fault, {sentence}}, steady_seconds() + farewell_seconds)) return;
  const double until = steady_seconds() + farewell_seconds;
  line = wire.receive(answer, until);
  // The welcome of the last rank is on its way before rank 0 reads why that one gives up.
  if (line == Line::open && answer.kind == Kind::welcome) line = wire.receive(answer, until);
  if (line == Line::open && answer.kind == Kind::fault && answer.texts.size() == 1) stay_out(answer.texts[0]);
  if (line == Line::open) return;  // no rank 0: it goes on
  // Let in by answer, so it is a rank 0, and it ended as it was told.
  if (welcome) stay_out(fmt::format("rank {} gave up: {}", launch_.rank, sentence));
}

// A connection that ends before rank 0 has answered may have met a stranger in rank 0's place, one that only forwards
// it and found nobody yet, or a rank 0 of another format.
void Channel::join(double deadline) {
  wires_.resize(1);
  std::string fault;
  bool dropped = false;
  for (int asked = last_silent_format; !introduced(deadline, fault, dropped);) {
    if (steady_seconds() >= deadline)
      stay_out(fmt::format("rank {} of {} {}", launch_.rank, launch_.size, fault));
    if (dropped) {
      knock(asked, deadline);
      asked = asked == 1 ? last_silent_format : asked - 1;
    }
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

}  // namespace gpugauge::bench::ranks
