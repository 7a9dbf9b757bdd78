// What a device of ours is, and the words for it. Each kind has one row, here.
#pragma once

#include <array>
#include <string_view>

namespace gpugauge::result {

/// A unit of measurement: the host, one GPU, or the links between the node's GPUs, which need all GPUs at
/// once.
enum class DeviceKind { host, gpu, links };

/// The words of one kind.
struct DeviceWords {
  DeviceKind kind;         ///< whose words these are
  std::string_view word;   ///< as it stands in files and options; that of gpu names no device
  std::string_view words;  ///< for a sentence
};

/// All kinds, in the order of DeviceKind.
inline constexpr std::array device_words{DeviceWords{DeviceKind::host, "host", "the host"},
                                         DeviceWords{DeviceKind::gpu, "gpu", "a GPU"},
                                         DeviceWords{DeviceKind::links, "links", "the links between GPUs"}};

/// "host", "gpu" or "links".
constexpr std::string_view to_string(DeviceKind kind) {
  return device_words[static_cast<std::size_t>(kind)].word;
}
/// "the host", "a GPU" or "the links between GPUs".
constexpr std::string_view in_words(DeviceKind kind) {
  return device_words[static_cast<std::size_t>(kind)].words;
}

/// True for the device "host": a Run::device, a selection, or the history's name for one.
constexpr bool is_host(std::string_view device) {
  return device == to_string(DeviceKind::host);
}
/// True for the device "links".
constexpr bool is_links(std::string_view device) {
  return device == to_string(DeviceKind::links);
}
/// What kind such a name is of: whatever is neither "host" nor "links" is a GPU's UUID.
constexpr DeviceKind device_kind(std::string_view device) {
  if (is_host(device)) return DeviceKind::host;
  return is_links(device) ? DeviceKind::links : DeviceKind::gpu;
}

}  // namespace gpugauge::result
