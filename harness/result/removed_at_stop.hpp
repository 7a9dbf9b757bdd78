// Files that must not outlive this process, however a signal ends it.
#pragma once

#include <string>

namespace gpugauge::result {

/// While it lives, remove_at_stop() removes the file of this name. Only 32 at once are served; further ones
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

/// Removes all registered files, for a process that ends at once. Safe in a signal handler.
void remove_at_stop() noexcept;

}  // namespace gpugauge::result
