// All ranks of a job on one line: they meet, exchange texts step by step, and hear of it when one of them
// ends. Nothing here waits for ever, and every rank hears the same sentence.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/ranks/launch.hpp"
#include "support/ranks/wire.hpp"

namespace gpugauge::bench::ranks {

/// The ranks do not come together, or have come apart. what() is one sentence for the user.
class Parted : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A rank, for sentences.
struct Peer {
  /// The name of its machine.
  std::string host;
  /// Its process there, as a number.
  std::string pid;
};

/// A star: rank 0 listens, the others hold one connection to it. Not for several threads at a time.
class Channel {
 public:
  /// Meets the others within launch.patience_seconds. Throws Parted: it names the ranks that did not come.
  explicit Channel(const Launch& launch);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  /// The others hear that this rank ended, should they wait for it: after the last step nobody does.
  ~Channel() = default;

  /// This one, from 0 to size() - 1.
  int rank() const { return launch_.rank; }
  /// All of them, 2 or more.
  int size() const { return launch_.size; }
  /// "rank 3 (node7, process 1234)".
  std::string name_of(int rank) const;
  /// The machines that the ranks are on, sorted, each once.
  std::vector<std::string> hosts() const;

  /// Gives `text` and returns everybody's, by rank. All ranks must call with the same `step`: who is
  /// elsewhere is named. Throws Parted when a rank has ended, or has not come to this step within `seconds`.
  Texts exchange(const std::string& step, const std::string& text, double seconds);
  /// Called at rank 0.
  using MadeOf = std::function<std::string(const Texts& by_rank)>;
  /// Gives `text` and returns what rank 0 makes of everybody's: where texts are long, that all of them go to
  /// each rank would be a square of the ranks. As exchange() otherwise; what `made_of` throws at rank 0 is
  /// what the others part with.
  std::string exchange(const std::string& step, const std::string& text, const MadeOf& made_of,
                       double seconds);
  /// Throws Parted when a rank has ended or given up; returns at once.
  void check();
  /// Tells the others why this rank gives up; they throw Parted with that sentence. Later calls throw the
  /// same.
  void fail(const std::string& sentence);

  /// The last thing a rank does, its files written: waits up to 10 s until all have come so far, and a second
  /// where they have parted. mpirun ends all ranks when the first one ends with an error, mid-sentence if
  /// need be.
  void end_together();

 private:
  void gather(double deadline);
  void join(double deadline);
  /// Who came and has not said hello yet.
  struct Newcomer {
    Wire wire;
    double until = 0;
  };
  void hear(std::deque<Newcomer>& door);
  void introduce(Wire wire);
  Texts collect(const std::string& step, const std::string& text, double seconds);
  void send_all(const std::string& step, const Texts& texts);
  /// The answer has `answers` texts.
  Texts hand_in(const std::string& step, const std::string& text, std::size_t answers, double seconds);
  [[noreturn]] void part(const std::string& sentence);
  Wire& wire_of(int rank) { return wires_[static_cast<std::size_t>(rank)]; }

  Launch launch_;
  std::vector<Wire> wires_;  ///< rank 0: one a rank, its own closed; else one, to rank 0
  std::vector<Peer> peers_;
  std::optional<std::string> over_;
};

}  // namespace gpugauge::bench::ranks
