#include "conductor/targets.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "judge/standing.hpp"
#include "result/device_kind.hpp"
#include "result/error.hpp"
#include "result/number.hpp"
#include "result/text.hpp"

namespace gpugauge::conductor {
namespace {

std::vector<std::string> words(const std::string& list) {
  std::vector<std::string> out = result::split(list, ',');
  for (const std::string& word : out)
    if (word.empty()) throw result::UsageError(fmt::format("--device {}: an empty name in the list", list));
  if (out.empty()) throw result::UsageError("--device needs all, links, host, an index or a UUID");
  return out;
}

Target target_of(const stack::Gpu& gpu) {
  return {.kind = DeviceKind::gpu,
          .selection = gpu.uuid,
          .label = fmt::format("GPU {} {} ({})", gpu.index, gpu.name, gpu.uuid)};
}

Target links_of(const std::vector<stack::Gpu>& gpus) {
  std::string visible;
  for (const stack::Gpu& gpu : gpus) visible += (visible.empty() ? "" : ",") + gpu.uuid;
  return {
      .kind = DeviceKind::links,
      .selection = std::string(to_string(DeviceKind::links)),
      .label = gpus.size() == 1 ? "Links of the only GPU" : fmt::format("Links between {} GPUs", gpus.size()),
      .visible = visible};
}

const stack::Gpu& find(const std::string& word, const std::vector<stack::Gpu>& gpus) {
  std::vector<const stack::Gpu*> found;
  std::string known;
  for (const stack::Gpu& gpu : gpus) {
    const bool index = judge::is_index(word) && result::number_in<int>(word) == gpu.index;
    const bool uuid = word.size() >= judge::least_uuid_letters && gpu.uuid.rfind(word, 0) == 0;
    if (index || uuid) found.push_back(&gpu);
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", gpu.index, gpu.uuid);
  }
  if (found.size() == 1) return *found.front();
  if (found.size() > 1)
    throw result::UsageError(fmt::format("--device {}: more than one GPU begins so: {}", word, known));
  throw result::UsageError(
      fmt::format("--device {}: there is no such GPU; there are {}, all, links, host", word, known));
}

Target implied(Target target) {
  target.implied = true;
  return target;
}

}  // namespace

bool host_only(const std::string& device) {
  const std::vector<std::string> list = words(device);
  return std::all_of(list.begin(), list.end(), result::is_host);
}

Targets select_targets(const std::string& device, const stack::GpuReport& gpus,
                       const std::string& host_name) {
  Targets targets;
  const auto add = [&](Target target) {
    const bool there = std::any_of(targets.devices.begin(), targets.devices.end(),
                                   [&](const Target& known) { return known.selection == target.selection; });
    if (!there) targets.devices.push_back(std::move(target));
  };
  const bool usable = gpus.state == stack::GpuState::usable;
  for (const std::string& word : words(device)) {
    if (result::is_host(word)) {
      add({.selection = word, .label = fmt::format("Host {} (no GPU is judged here)", host_name)});
      continue;
    }
    const bool shape = word == "all" || result::is_links(word) || judge::is_index(word) ||
                       word.rfind("GPU-", 0) == 0 || word.rfind("MIG-", 0) == 0;
    if (!shape)
      throw result::UsageError(
          fmt::format("--device {}: give all, links, host, an index or a UUID (GPU-...)", word));
    targets.gpu_wanted = true;
    if (!usable) continue;
    if (word == "all") {
      for (const stack::Gpu& gpu : gpus.gpus) add(implied(target_of(gpu)));
      if (gpus.gpus.size() > 1) add(implied(links_of(gpus.gpus)));
    } else if (result::is_links(word)) {
      add(links_of(gpus.gpus));
    } else {
      add(target_of(find(word, gpus.gpus)));
    }
  }
  return targets;
}

}  // namespace gpugauge::conductor
