// Who fills an inventory. One file a subject; each looks only below the context's root, runs nothing of the
// inspected tree, and takes milliseconds. The keys are those of docs/inventory.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/environment.hpp"
#include "stack/inventory/inventory.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

/// What is inspected. On the live machine ("/") also system calls and NVIDIA's libraries may answer; below
/// any other root only files are read.
struct Context {
  Tree tree{"/"};           ///< everything is looked for below it
  Environment environment;  ///< of the user whose stack it is; current_environment() on the live machine
  std::string python;      ///< an interpreter, or a virtual environment's or conda's folder; "" looks for one
  std::optional<int> pid;  ///< a running process whose loaded libraries are read
  bool import_frameworks = false;  ///< also import them in a child of that interpreter (runs its code)
  double timeout_seconds = 20;     ///< for each child process
  /// Command of the child that asks the driver; empty: this executable's `probe inventory`.
  std::vector<std::string> driver_command;
};

void collect_driver(const Context& context, Inventory& inventory);    ///< driver.*, fabric_manager.*, ...
void collect_packages(const Context& context, Inventory& inventory);  ///< package.*, driver.history.*
void collect_gpus(const Context& context, Inventory& inventory);      ///< gpu.*, cuda.init.*, nvml.*
void collect_driver_branch(Inventory& inventory);  ///< driver_branch.*: from what was collected before
void collect_vgpu(Inventory& inventory);  ///< vgpu.version, vgpu.host_version: from what was collected before
void collect_kernel_log(const Context& context, Inventory& inventory);  ///< kernel_log.*
void collect_machine(const Context& context, Inventory& inventory);     ///< host.*, kernel.*, env.*
void collect_container(const Context& context, Inventory& inventory);   ///< container.*
void collect_toolkits(const Context& context, Inventory& inventory);    ///< toolkit.*, forward_compat.*
void collect_libraries(const Context& context, Inventory& inventory);   ///< library.*
void collect_process(const Context& context, Inventory& inventory);     ///< process.* (with --pid)
void collect_frameworks(const Context& context, Inventory& inventory);  ///< python.*, framework.*, wheel.*

/// All of them in reading order, and collected.seconds.
Inventory collect(const Context& context);

}  // namespace gpugauge::stack
