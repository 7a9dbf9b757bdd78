// The collectors that fill an inventory: one subject per file. Each looks only below the context's root, runs
// nothing of the inspected tree, and takes milliseconds. docs/inventory.md lists the keys.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/environment.hpp"
#include "stack/inventory/inventory.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

/// What to inspect. On the live machine ("/") system calls and NVIDIA's libraries may answer too. Below any
/// other root only files are read.
struct Context {
  Tree tree{"/"};           ///< root of everything that is read
  Environment environment;  ///< environment of the stack's user; current_environment() on the live machine
  /// An interpreter, or the folder of a virtual or conda environment; "" searches for one.
  std::string python;
  std::optional<int> pid;          ///< a running process whose loaded libraries to read
  bool import_frameworks = false;  ///< also import them in a child of that interpreter, which runs their code
  double timeout_seconds = 20;     ///< per child process; the driver gets start_limit() of it
  /// Command of the child that asks the driver; empty: `probe inventory` of this executable.
  std::vector<std::string> driver_command;
  double import_seconds = 120;  ///< per imported framework: from a cold share of files it takes minutes
};

void collect_driver(const Context& context, Inventory& inventory);    ///< driver.*, fabric_manager.*, ...
void collect_packages(const Context& context, Inventory& inventory);  ///< package.*, driver.history.*
void collect_gpus(const Context& context, Inventory& inventory);      ///< gpu.*, cuda.init.*, nvml.*
void collect_driver_branch(Inventory& inventory);  ///< driver_branch.*: from what was collected before
void collect_vgpu(Inventory& inventory);  ///< vgpu.version, vgpu.host_version: from what was collected before
void collect_kernel_log(const Context& context, Inventory& inventory);  ///< kernel_log.*
void collect_machine(const Context& context, Inventory& inventory);     ///< host.*, kernel.*, env.*, ...
void collect_container(const Context& context, Inventory& inventory);   ///< container.*
void collect_toolkits(const Context& context, Inventory& inventory);    ///< toolkit.*, forward_compat.*
void collect_libraries(const Context& context, Inventory& inventory);   ///< library.*
void collect_process(const Context& context, Inventory& inventory);     ///< process.* (with --pid)
void collect_frameworks(const Context& context, Inventory& inventory);  ///< python.*, framework.*, wheel.*

/// Calls all collectors in reading order and adds collected.seconds.
Inventory collect(const Context& context);

}  // namespace gpugauge::stack
