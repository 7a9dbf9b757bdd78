// Files that must not outlive this process, however a signal ends it.
#pragma once

#include <string>

namespace gpugauge::result {

/// As long as it lives, remove_at_stop() removes the file of this name. Of more than 32 at once the last ones
/// stay.
class RemovedAtStop {
 public:
  explicit RemovedAtStop(std::string file);  ///< A file's name; it need not be there yet.
  RemovedAtStop(const RemovedAtStop&) = delete;
  RemovedAtStop& operator=(const RemovedAtStop&) = delete;
  ~RemovedAtStop();

  const std::string& file() const { return file_; }  ///< Its name.

 private:
  std::string file_;
  int slot_ = -1;
};

/// Removes them all, for a process that ends at once. May be called by a signal handler.
void remove_at_stop() noexcept;

}  // namespace gpugauge::result
