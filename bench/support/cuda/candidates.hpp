// An operation for which a library offers several algorithms: its own first choice is what users get, the
// fastest of the offered ones is what the hardware can do. Both are measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/cuda/candidates_tried.hpp"
#include "support/cuda/gpu_timer.hpp"
#include "support/take_turns.hpp"

namespace gpugauge::bench::cuda {

/// One algorithm that the library offers.
struct Candidate {
  std::string description;  ///< "algorithm 66, tile 20, stages 36, workspace 0 bytes": kept in the notes
  GpuTimer::Operation run;  ///< enqueues operation number index; throws Refused where the library refuses
};

/// The offered algorithms of one operation, and their measurement. For one thread.
class Candidates {
 public:
  /// How they are measured.
  struct Options {
    int launches_per_operation = 4;  ///< kernels of one operation at most
    /// The first so many are the library's; 0: all. What follows serves best_beside().
    std::size_t offered = 0;
  };

  /// `candidates` in the library's order, at least one. `trial` must outlive this.
  Candidates(Trial& trial, std::vector<Candidate> candidates, Options options);
  /// The same with the default options.
  Candidates(Trial& trial, std::vector<Candidate> candidates)
      : Candidates(trial, std::move(candidates), Options{}) {}
  Candidates(const Candidates&) = delete;  // its timer refers to it
  Candidates& operator=(const Candidates&) = delete;

  /// Times every candidate for a moment (where operations are long, some: plan_search()), then the first one
  /// that runs for the trial's window: its metrics are the definition's. Where another seemed faster by more
  /// than choice_margin, the two are timed once more, batch by batch in turns, so that the ratio of their
  /// medians holds no clock: the metric QUANTITY_best is the first one's value of the trial's window times
  /// that ratio, and the first one's value where the other is not faster by that margin there, either. Not
  /// judged from fewer than fewest_to_judge batches. The trial's work must have been declared, and is given
  /// again. Notes: "candidates", "candidate_first", "candidate_best"; "candidates_tried" where not all were;
  /// "candidates_refused": how many threw Refused, and what the first of them said. Throws what a candidate
  /// throws that is not Refused: the next one is not what a program gets then, but what is left.
  void measure(const result::Work& work);

  /// Instead of measure(): its search, then those of the offered that it cannot tell from the fastest and
  /// candidate `other`, which is not offered, batch by batch in turns for the trial's window. All in batches
  /// of as many operations, by which those of `other` last as long as the definition says. Returns the
  /// fastest one's seconds, which is best() then, and those of `other`. The notes of measure().
  Turns best_beside(std::size_t other);

  /// Index of the first one that runs: the library's own choice. Known after measure(), or best_beside().
  std::size_t first() const { return first_; }
  /// Index of the fastest one that was tried. After measure() first(), where none is faster by more than
  /// choice_margin, in turns with it, too.
  std::size_t best() const { return best_; }
  /// Enqueues one operation of candidate `index` on set `operation`.
  void run(std::size_t index, std::int64_t operation) { candidates_[index].run(stream(), operation); }
  /// The stream that all of them are enqueued on; stays owned.
  cudaStream_t stream() const { return timer_.stream(); }
  /// Operations enqueued so far: which sets of a rotation hold results.
  std::int64_t operations() const { return timer_.operations(); }

 private:
  void search();
  double time_turn();                          ///< the current candidate's, for a moment
  double time_batch(std::int64_t operations);  ///< seconds per operation of the current candidate
  double time_batch_of(std::size_t index, std::int64_t operations);  ///< makes it the current one
  Turns first_and_best();

  Trial& trial_;
  std::vector<Candidate> candidates_;
  std::size_t offered_;  ///< by the library, at least one
  std::size_t current_ = 0;
  std::size_t first_ = 0;
  std::size_t best_ = 0;
  std::vector<std::int64_t> operations_per_batch_;  ///< in the search; 0 before a candidate's first turn
  std::vector<std::optional<double>> seconds_;      ///< as the search found them
  GpuTimer timer_;
};

}  // namespace gpugauge::bench::cuda
