// What a file that somebody else made may have SQLite do: how long a value, how long a look, how much trust.
#pragma once

#include <ctime>

#include <soci/soci.h>

namespace gpugauge::store {

/// Before the first statement of a session with SQLite. A value has 16 MiB at most, far more than
/// a run brings, and what stands in the file's schema is not trusted.
void confine(soci::session& sqlite);

/// While it lives, a statement of the session ends with SQLITE_INTERRUPT once this thread has computed for so
/// long. Waiting for another process or for a disk does not count. One at a time; `sqlite` must live longer.
class TimeLimit {
 public:
  /// `seconds` of processor time from now on.
  explicit TimeLimit(soci::session& sqlite, double seconds = 10);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  bool reached() const;
  soci::session& sqlite_;
  double until_;  ///< seconds of this thread's processor time
};

}  // namespace gpugauge::store
