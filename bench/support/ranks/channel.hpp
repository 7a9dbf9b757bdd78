// Communication among all ranks of a job. They meet, exchange texts step by step, and learn when one of them
// ends. Nothing here waits for ever, and every rank gets the same sentence.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/ranks/introduction.hpp"
#include "support/ranks/launch.hpp"
#include "support/ranks/wire.hpp"

namespace gpugauge::bench::ranks {

/// The ranks did not meet, or have lost each other. what() is one sentence for the user.
class Parted : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A rank as sentences name it.
struct Peer {
  /// The name of its machine.
  std::string host;
  /// Its process id there, as text.
  std::string pid;
};

/// A star: rank 0 listens, and each other rank holds one connection to it. For one thread at a time.
class Channel {
 public:
  /// Meets the others within launch.patience_seconds. Throws Parted, which names the ranks that did not come, or
  /// what each side speaks where one speaks another format. `speech` is another than own_speech() in tests alone.
  explicit Channel(const Launch& launch, Speech speech = own_speech());
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  /// Ranks that wait for this one learn that it ended. After the last step no rank waits.
  ~Channel() = default;

  /// This rank, from 0 to size() - 1.
  int rank() const { return launch_.rank; }
  /// Number of ranks, 2 or more.
  int size() const { return launch_.size; }
  /// "rank 3 (node7, process 1234)".
  std::string name_of(int rank) const;
  /// This rank among those of its machine, from 0, by rank.
  int local_rank() const;
  /// The machines of the ranks, sorted, without repeats.
  std::vector<std::string> hosts() const;

  /// Sends `text` and returns the texts of all ranks, by rank. All ranks must call with the same `step`: a
  /// rank at another step is named. Throws Parted when a rank has ended, or has not reached this step within
  /// `seconds`.
  Texts exchange(const std::string& step, const std::string& text, double seconds);
  /// Called at rank 0.
  using MadeOf = std::function<std::string(const Texts& by_rank)>;
  /// Sends `text` and returns what rank 0 makes of all texts. Use it for long texts: sending all of them to
  /// each rank would grow with the square of the ranks. Otherwise as exchange(). What `made_of` throws at
  /// rank 0 makes the others throw Parted.
  std::string exchange(const std::string& step, const std::string& text, const MadeOf& made_of,
                       double seconds);
  /// Throws Parted when a rank has ended or given up; returns at once.
  void check();
  /// Tells the others why this rank gives up; they throw Parted with that sentence. Later calls here throw it
  /// too.
  void fail(const std::string& sentence);

  /// The last call of a rank, after its files are written. Waits up to 10 s until all ranks have come this
  /// far, or 1 s after they have parted. mpirun ends all ranks when the first one exits with an error, even
  /// while another prints.
  void end_together();

 private:
  /// A rank that met rank 0 waits a little longer than rank 0 does for the others, so that it learns who is missing.
  static constexpr double grace_seconds = 10;
  static constexpr double farewell_seconds = 2;

  void gather(double deadline);
  void join(double deadline);
  /// Connects to rank 0 and introduces this rank, once. Sets `fault` where that does not succeed, and `dropped` where
  /// the other side ended without a word.
  bool introduced(double deadline, std::string& fault, bool& dropped);
  /// Asks once for a rank 0 of this silent format. Throws Parted where there is one, after all were told.
  void knock(int format, double deadline);
  /// Throws the sentence, without telling others.
  [[noreturn]] void stay_out(const std::string& sentence);
  /// A connection that has not sent its hello yet.
  struct Newcomer {
    Wire wire;
    double until = 0;
  };
  static int open_door(const Wire& door, std::deque<Newcomer>& newcomers, double seconds);
  static void keep_the_door(std::deque<Newcomer>& door);
  void take_in_all(const Wire& door, std::deque<Newcomer>& newcomers, double deadline);
  static void turn_away(Wire door, std::deque<Newcomer> newcomers, const std::string& job,
                        const std::string& sentence);
  void hear(std::deque<Newcomer>& door);
  void introduce(Wire wire);
  Texts collect(const std::string& step, const std::string& text, double seconds);
  void send_all(const std::string& step, const Texts& texts);
  /// The answer must have `answers` texts.
  Texts hand_in(const std::string& step, const std::string& text, std::size_t answers, double seconds);
  [[noreturn]] void part(const std::string& sentence);
  Wire& wire_of(int rank) { return wires_[static_cast<std::size_t>(rank)]; }

  Launch launch_;
  Speech speech_;
  std::vector<Wire> wires_;  ///< rank 0: one per rank, its own closed; others: one, to rank 0
  std::vector<Peer> peers_;
  std::optional<std::string> over_;
};

/// The last call of a rank that did not meet the others, after its files are written: waits 1 s, as
/// Channel::end_together() does for ranks that have parted.
void end_apart();

}  // namespace gpugauge::bench::ranks
