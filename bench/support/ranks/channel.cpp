// Exchanges texts step by step among the ranks of a job, which meet.cpp has brought together.
#include "support/ranks/channel.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <poll.h>

#include "support/timer.hpp"

namespace gpugauge::bench::ranks {

Channel::Channel(const Launch& launch, Speech speech)
    : launch_(launch), speech_(std::move(speech)), peers_(static_cast<std::size_t>(launch.size)) {
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
