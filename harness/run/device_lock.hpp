// One gpugauge at a time measures a device: two would measure each other.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gpugauge::run {

/// Holds devices for this process until it is destroyed. Each is a name in the kernel's table of abstract
/// Unix sockets: it is gone with its owner, however that ends, so that there is no stale lock; it needs no
/// folder that all users can write to, and is seen from private /tmp folders too. It is not seen across
/// network name spaces: containers with a network of their own do not exclude each other.
///
/// GPUGAUGE_DEVICE_LOCK, where set, is part of the name: commands with different values do not see each
/// other.
class DeviceLocks {
 public:
  /// All of `devices` ("host", UUIDs) or none. Asks again every quarter of a second until `wait_seconds` are
  /// over, and calls `waiting` with the seconds left and who holds one. Throws nothing of its own.
  DeviceLocks(const std::vector<std::string>& devices, double wait_seconds,
              const std::function<void(double left, const std::string& owner)>& waiting);
  ~DeviceLocks();
  DeviceLocks(const DeviceLocks&) = delete;
  DeviceLocks& operator=(const DeviceLocks&) = delete;

  /// "" when the devices are held, else who holds the first that is not free: "host is being measured by
  /// process 812 (gpugauge check, user 1000, started 2026-11-22T01:02:03Z)", and behind it how long was waited.
  const std::string& refusal() const { return refusal_; }
  /// "" or why a device cannot be held here at all; it is measured unguarded then.
  const std::string& remark() const { return remark_; }

 private:
  bool take(const std::vector<std::string>& devices);
  /// Who holds the device. Asked anew only when that one has gone.
  const std::string& owner(const std::string& device);
  void release();

  std::vector<int> sockets_;
  int asking_ = -1;
  std::string asked_;
  std::string owner_;
  std::string refusal_;
  std::string remark_;
};

}  // namespace gpugauge::run
