// Only one gpugauge at a time measures a device: two at once would disturb each other's figures.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gpugauge::run {

/// Holds devices for this process until it is destroyed. Each lock is a name in the kernel's table of
/// abstract Unix sockets. The kernel drops it when its owner ends, so there is no stale lock. It needs no
/// world-writable folder, and processes with a private /tmp see it too. Network name spaces separate the
/// locks: containers with a network of their own do not exclude each other.
///
/// GPUGAUGE_DEVICE_LOCK, where set, is part of the name. Commands with different values do not see each
/// other.
class DeviceLocks {
 public:
  /// Locks all of `devices` ("host", UUIDs) or none. Retries every 0.25 s until `wait_seconds` are over, and
  /// calls `waiting` with the seconds left and the owner of one busy device. Throws only what `waiting`
  /// throws.
  DeviceLocks(const std::vector<std::string>& devices, double wait_seconds,
              const std::function<void(double left, const std::string& owner)>& waiting);
  ~DeviceLocks();
  DeviceLocks(const DeviceLocks&) = delete;
  DeviceLocks& operator=(const DeviceLocks&) = delete;

  /// "" when the devices are held, else who holds the first busy one, and how long was waited: "host is being
  /// measured by process 812 (gpugauge check, user 1000, started 2026-11-22T01:02:03Z)".
  const std::string& refusal() const { return refusal_; }
  /// "" or why a device cannot be locked here at all; it is then measured without a lock.
  const std::string& remark() const { return remark_; }

 private:
  bool take(const std::vector<std::string>& devices);
  /// Who holds the device. Searches again only when the last known owner has gone.
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
