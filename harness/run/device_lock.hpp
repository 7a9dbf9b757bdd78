// One measurement at a time on a device, whoever started the others.
#pragma once

#include <functional>
#include <string>

namespace gpugauge::run {

/// Holds a device for as long as it lives. Other processes on this machine that want the same device wait, in
/// no order; one that ends, however it ends, lets go. Within a process it may be held several times over. Not
/// for several threads.
///
/// It is the name of a Unix socket that stands in no folder, so that users do not need a place that all of
/// them may write to. Containers with a network of their own have names of their own: what gives out their
/// GPUs must keep them apart.
/// GPUGAUGE_LOCK_SCOPE is part of that name: processes with different ones do not wait for each other.
class DeviceLock {
 public:
  /// `device` is "host" or a GPU's UUID. Calls `waiting` once with one sentence when another process holds
  /// it, then waits. Holds nothing where there are no such sockets: that must not keep anybody from
  /// measuring.
  DeviceLock(std::string device, const std::function<void(const std::string& sentence)>& waiting);
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

 private:
  std::string device_;
};

}  // namespace gpugauge::run
