// Limits what an SQLite file from somebody else can do: length of values, duration of statements, trust in
// its schema.
#pragma once

#include <ctime>

#include <soci/soci.h>

namespace gpugauge::store {

/// Call before the first statement of an SQLite session. Limits a value to 16 MiB, far more than a run needs,
/// and distrusts code in the file's schema.
void confine(soci::session& sqlite);

/// While it lives, a statement of the session ends with SQLITE_INTERRUPT after this thread has used `seconds`
/// of processor time. Waiting for another process or a disk does not count. One at a time; `sqlite` must
/// outlive it.
class TimeLimit {
 public:
  /// `seconds` of processor time, counted from now.
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
