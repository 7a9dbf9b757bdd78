// An operation for which a library offers several algorithms. Users get the library's own first choice; the
// fastest offered one shows what the hardware can do. Both are measured.
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
    int launches_per_operation = 4;  ///< most kernels per operation
    /// The first `offered` candidates are the library's; 0: all. The rest are for best_beside().
    std::size_t offered = 0;
    /// Why the library may have more than these, a clause; "" where it has not. The best of a part depends on
    /// which part it is, and is not judged.
    std::string incomplete = {};
  };

  /// `candidates` in the library's order, at least one. `trial` must outlive this.
  Candidates(Trial& trial, std::vector<Candidate> candidates, Options options);
  /// Uses the default options.
  Candidates(Trial& trial, std::vector<Candidate> candidates)
      : Candidates(trial, std::move(candidates), Options{}) {}
  Candidates(const Candidates&) = delete;  // its timer refers to it
  Candidates& operator=(const Candidates&) = delete;

  /// Times every candidate briefly (only some where operations are long: plan_search()). Then times the first
  /// that runs for the trial's window; its metrics are the definition's.
  ///
  /// Then the first is timed again with those that the search cannot tell from the fastest, at most three (one
  /// where operations are long), batch by batch in turns, so that the clock cancels in the ratios of medians.
  /// The metric QUANTITY_best is the first one's value over the window times the ratio to the fastest of them,
  /// which best() names where it is faster by choice_margin there. It is not judged from fewer than fewest_to_judge
  /// batches, nor where only one candidate is offered, or only a part (Options::incomplete).
  ///
  /// The trial's work is declared from `work`. Notes: "candidates", "candidate_first", "candidate_best";
  /// "candidates_tried" where not all were tried. "candidates_refused" holds how many threw Refused, and the
  /// first refusal's message. Any other exception from a candidate is rethrown, because a program would get
  /// that failure and not the next candidate.
  void measure(const result::Work& work);

  /// Replaces measure(). Runs its search, then takes turns for the trial's window, batch by batch. The turns
  /// are among candidate `other`, which is not offered, and the offered ones that the search cannot tell from
  /// the fastest. All batches have the same number of operations, calibrated so that those of `other` last as
  /// the definition says. Returns the seconds of the fastest one, which best() then names, and those of
  /// `other`. Adds the notes of measure().
  Turns best_beside(std::size_t other);

  /// Index of the first candidate that runs: the library's own choice. Valid after measure() or
  /// best_beside().
  std::size_t first() const { return first_; }
  /// Index of the fastest candidate that was tried. After measure() it is first() unless another is faster by
  /// more than choice_margin, in turns too.
  std::size_t best() const { return best_; }
  /// What the notes on candidate `index` end with.
  std::string suffix(std::size_t index) const { return note_suffix(index, first_); }
  /// Enqueues one operation of candidate `index` on set `operation`.
  void run(std::size_t index, std::int64_t operation) { candidates_[index].run(stream(), operation); }
  /// The stream that all of them are enqueued on. The caller does not own it.
  cudaStream_t stream() const { return timer_.stream(); }
  /// Operations enqueued so far: which sets of a rotation hold results.
  std::int64_t operations() const { return timer_.operations(); }

 private:
  void search();
  double time_turn();                          ///< times the current candidate briefly
  double time_batch(std::int64_t operations);  ///< seconds per operation of the current candidate
  double time_batch_of(std::size_t index, std::int64_t operations);  ///< makes candidate `index` current
  /// Seconds of batches taken in turns: of the first candidate, then of each of `others`.
  std::vector<std::vector<double>> take_turns_with_first(const std::vector<std::size_t>& others);
  /// Sets best(), and returns how many times as fast as the first it is, 1 or more. `fewest` becomes the number
  /// of batches where that is smaller.
  double find_best(std::size_t& fewest);

  Trial& trial_;
  std::vector<Candidate> candidates_;
  std::size_t offered_;     ///< candidates offered by the library, at least one
  std::string incomplete_;  ///< Options::incomplete
  std::size_t current_ = 0;
  std::size_t first_ = 0;
  std::size_t best_ = 0;
  std::vector<std::int64_t> operations_per_batch_;  ///< for the search; 0 before a candidate's first turn
  std::vector<std::optional<double>> seconds_;      ///< results of the search
  GpuTimer timer_;
};

}  // namespace gpugauge::bench::cuda
