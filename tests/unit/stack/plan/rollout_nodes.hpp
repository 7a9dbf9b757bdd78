// Nodes to upgrade, for tests.
#pragma once

#include <fmt/format.h>

#include "stack/plan/rollout.hpp"
#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {

/// A node that the doctor found well; PyTorch of CUDA 12.8 is there.
inline RolloutNode a_node(const std::string& name, const std::string& driver = "570.124.06",
                          const std::string& model = "NVIDIA H100 80GB HBM3",
                          const std::string& capability = "9.0") {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 1, model, capability, "700");
  set_all(inventory, {{"driver.version", driver},
                      {"driver.kernel_module_version", driver},
                      {"driver.libcuda_version", driver},
                      {"driver.libnvml_version", driver},
                      {"driver.cuda_max", "12.8"},
                      {"host.distribution_id", "ubuntu 24.04"},
                      {"library.nccl.0.path", "/usr/lib/libnccl.so.2"},
                      {"library.nccl.0.version", "2.25.1"},
                      {"framework.torch.cuda", "12.8"}});
  set(inventory, "gpu.0.uuid", "GPU-" + name);
  return {name, std::move(inventory), true};
}

/// n000, n001, ... alike.
inline std::vector<RolloutNode> fleet(int count) {
  std::vector<RolloutNode> nodes;
  nodes.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) nodes.push_back(a_node(fmt::format("n{:03}", i)));
  return nodes;
}

/// `to` as --to takes it.
inline Rollout plan_of(const std::vector<RolloutNode>& nodes, const char* to, double share = .25) {
  return roll_out(nodes, parse_plan(to), tables(), {Policy::development, "2026-01-01"}, share);
}

}  // namespace gpugauge::stack
