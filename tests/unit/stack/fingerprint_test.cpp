#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fake_tree.hpp"
#include "stack/gpu_report.hpp"
#include "stack/host.hpp"
#include "stack/inventory/from_run.hpp"
#include "stack/inventory/node.hpp"
#include "stack/inventory/overview.hpp"
#include "stack/own_folders.hpp"
#include "unit/stack/plan/fake_binary.hpp"

namespace gpugauge::stack {
namespace {

void add_host(FakeTree& tree, const std::string& flags) {
  tree.file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 9554 64-Core Processor\nflags\t\t: " +
                                 flags + "\n\nprocessor\t: 1\n");
  tree.file("/proc/meminfo", "MemTotal:       131923020 kB\nMemFree:        1 kB\n");
  tree.file("/sys/devices/system/cpu/online", "0-2,4\n");
  for (const auto& [cpu, package] : {std::pair{"0", "0"}, {"1", "0"}, {"2", "1"}, {"10", "1"}}) {
    tree.file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/physical_package_id", cpu),
              std::string(package) + "\n");
  }
  tree.file("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n");
  tree.file("/sys/devices/system/cpu/smt/active", "1\n");
  tree.file("/sys/devices/system/node/online", "0-1\n");
  tree.file("/proc/self/cgroup", "0::/\n");
  const auto cache = [&](int index, const std::string& level, const std::string& type,
                         const std::string& size) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}", index);
    tree.file(folder + "/level", level + "\n");
    tree.file(folder + "/type", type + "\n");
    tree.file(folder + "/size", size + "\n");
  };
  cache(0, "1", "Data", "32K");
  cache(1, "1", "Instruction", "64K");
  cache(2, "2", "Unified", "1024K");
  cache(3, "3", "Unified", "32768K");
  tree.file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  tree.file("/etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  tree.file("/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-2\n");
  tree.kernel("6.1.0-25-amd64");
}

TEST(Host, IsDescribed) {
  FakeTree tree;
  add_host(tree, "fpu vme");
  const Tree seen(tree.root());
  EXPECT_EQ(device_of_host(seen), (result::Facts{{"host.cpu_model", "AMD EPYC 9554 64-Core Processor"},
                                                 {"host.cpus", "4"},
                                                 {"host.sockets", "2"},
                                                 {"host.memory_gib", "126"}}));
  EXPECT_EQ(stack_of_host(seen), (result::Facts{{"kernel.version", "6.1.0-25-amd64"},
                                                {"host.os", "linux"},
                                                {"host.distribution", "Debian GNU/Linux 12 (bookworm)"},
                                                {"host.libc", "unknown"}}));
  EXPECT_EQ(topology_of_host(seen), (result::Facts{{"host.numa_nodes", "2"},
                                                   {"host.smt", "on"},
                                                   {"host.l1d", "32K"},
                                                   {"host.l2", "1024K"},
                                                   {"host.l3", "32768K"}}));
  EXPECT_EQ(settings_of_machine(seen, {{"PATH", "/bin"}}),
            (result::Facts{{"host.governor", "powersave"},
                           {"host.cgroup_cpu_limit", "none"},
                           {"host.cpus_allowed", "0-2"},
                           {"host.transparent_hugepage", "madvise"},
                           {"host.virtualization", "none"},
                           {"host.container", "none"}}));
}

TEST(Host, WhatIsNotThereIsSaidToBeAbsent) {
  FakeTree tree;
  const Tree seen(tree.root());
  for (const auto& facts : {device_of_host(seen), topology_of_host(seen)}) {
    for (const auto& [name, value] : facts) EXPECT_EQ(value, "absent") << name;
  }
  const result::Facts settings = settings_of_machine(seen, {});
  EXPECT_EQ(settings.at("host.governor"), "absent");
  EXPECT_EQ(settings.at("host.cpus_allowed"), "absent");
  EXPECT_EQ(settings.at("host.transparent_hugepage"), "absent");
}

TEST(Host, AListOfMoreThanAKernelHasIsNone) {
  for (const std::string list :
       {"0-2147483647", "-2147483648-2147483647", "0-4000000000", "0-8192", "8192", "3-1", "x"}) {
    FakeTree tree;
    tree.file("/sys/devices/system/cpu/online", list + "\n");
    tree.file("/sys/devices/system/node/online", list + "\n");
    EXPECT_EQ(device_of_host(Tree(tree.root())).at("host.cpus"), "0") << list;
    EXPECT_EQ(topology_of_host(Tree(tree.root())).at("host.numa_nodes"), "0") << list;
  }
}

TEST(Host, AnArmProcessorHasItsPartNumber) {
  FakeTree tree;
  tree.file("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n");
  EXPECT_EQ(device_of_host(Tree(tree.root())).at("host.cpu_model"), "implementer 0x41 part 0xd4f");
}

TEST(Virtualization, IsToldByTheProcessorAndNamedByTheFirmware) {
  const auto told = [](const std::string& flags, const std::string& vendor, const std::string& product) {
    FakeTree tree;
    add_host(tree, flags);
    if (!vendor.empty()) tree.file("/sys/class/dmi/id/sys_vendor", vendor + "\n");
    if (!product.empty()) tree.file("/sys/class/dmi/id/product_name", product + "\n");
    return virtualization(Tree(tree.root()));
  };
  EXPECT_EQ(told("fpu hypervisor lahf_lm", "", ""), "hypervisor");
  EXPECT_EQ(told("fpu hypervisor", "QEMU", "Standard PC (Q35 + ICH9, 2009)"), "kvm");
  EXPECT_EQ(told("fpu hypervisor", "VMware, Inc.", "VMware7,1"), "vmware");
  EXPECT_EQ(told("fpu hypervisor", "Microsoft Corporation", "Virtual Machine"), "hyper-v");
  EXPECT_EQ(told("fpu hypervisor", "Amazon EC2", "p5.48xlarge"), "amazon");
  EXPECT_EQ(told("fpu vme", "Amazon EC2", "g4dn.metal"), "none") << "a cloud's bare-metal machine";
  EXPECT_EQ(told("fpu vme", "Supermicro", "SYS-821GE"), "none");
}

TEST(Virtualization, AnArmMachineOfQemuIsVirtual) {
  FakeTree tree;
  tree.file("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\n");
  tree.file("/sys/class/dmi/id/sys_vendor", "QEMU\n");
  EXPECT_EQ(virtualization(Tree(tree.root())), "kvm");
}

TEST(Environment, KeepsWhatChangesBehaviourAndHidesSecrets) {
  const result::Facts facts = environment_facts({{"CUDA_LAUNCH_BLOCKING", "1"},
                                                 {"CUDA_HOME", "/usr/local/cuda"},
                                                 {"NVIDIA_TF32_OVERRIDE", "0"},
                                                 {"NVIDIA_API_KEY", "nvapi-1"},
                                                 {"NCCL_DEBUG", ""},
                                                 {"OMP_NUM_THREADS", "4"},
                                                 {"LD_PRELOAD", "libx.so"},
                                                 {"LD_DEBUG_OUTPUT", "x"},
                                                 {"HOME", "/home/u"}});
  EXPECT_EQ(facts, (result::Facts{{"env.CUDA_LAUNCH_BLOCKING", "1"},
                                  {"env.NVIDIA_TF32_OVERRIDE", "0"},
                                  {"env.NVIDIA_API_KEY", "set, value withheld"},
                                  {"env.NCCL_DEBUG", ""},
                                  {"env.OMP_NUM_THREADS", "4"},
                                  {"env.LD_PRELOAD", "libx.so"}}));
}

GpuReport two_gpus() {
  GpuReport report;
  report.state = GpuState::usable;
  report.gpus = {{0, "GPU-1", "NVIDIA H200", "0000:01:00.0", "9.0", {{"ecc", "on"}}, {}},
                 {1, "GPU-2", "NVIDIA H200", "", "9.0", {}, {}}};
  report.driver_version = report.kernel_module_version = report.libcuda_version = "580.65.06";
  report.driver_cuda_version = "13.0";
  report.kernel_module_kind = "open";
  report.libcuda_path = "/usr/lib/libcuda.so.580.65.06";
  report.nvidia_hardware = true;
  return report;
}

TEST(Fingerprint, HoldsEachGpuWithItsPlace) {
  FakeTree tree;
  add_host(tree, "fpu");
  tree.pci("0000:01:00.0", "nvidia");
  const result::Fingerprint found = fingerprint(two_gpus(), tree.root());
  EXPECT_EQ(found.device.at("gpu.count"), "2");
  EXPECT_EQ(found.device.at("gpu.0.name"), "NVIDIA H200");
  EXPECT_EQ(found.device.at("gpu.1.uuid"), "GPU-2");
  EXPECT_EQ(found.stack.at("driver.version"), "580.65.06");
  EXPECT_EQ(found.stack.at("driver.open_module"), "yes");
  EXPECT_EQ(found.stack.at("driver.cuda_max"), "13.0");
  EXPECT_EQ(found.stack.at("cublas.version"), "absent");
  EXPECT_EQ(found.stack.at("cublas.path"), "absent");
  EXPECT_EQ(found.settings.at("gpu.0.ecc"), "on");
  EXPECT_EQ(found.topology.at("gpu.0.numa_node"), "1");
  EXPECT_EQ(found.topology.at("gpu.0.pcie_max_speed"), "32.0 GT/s PCIe");
  EXPECT_EQ(found.topology.at("gpu.1.pci"), "unknown");
}

TEST(Fingerprint, NamesTheLibraryThatTheLoaderWouldPick) {
  FakeTree tree;
  tree.file("/usr/lib64/libnccl.so.2.28.3", "");
  tree.link("/usr/lib64/libnccl.so.2", "libnccl.so.2.28.3");
  tree.file("/usr/lib64/libcudnn.so.9", "");
  const result::Fingerprint found = fingerprint({}, tree.root());
  EXPECT_EQ(found.stack.at("nccl.version"), "2.28.3");
  EXPECT_EQ(found.stack.at("nccl.path"), "/usr/lib64/libnccl.so.2");
  EXPECT_EQ(found.stack.at("cudnn.version"), "9") << "no more than the name tells";
  EXPECT_EQ(found.stack.at("cufft.version"), "absent");
  for (const char* soname : {"libcufft.so.11", "libcufft.so.12"}) {
    const std::string whole = std::string(soname) + ".0.61";
    tree.file("/usr/lib64/" + whole, "");
    tree.link("/usr/lib64/" + std::string(soname), whole);
  }
  const std::string cufft = fingerprint({}, tree.root()).stack.at("cufft.version");
  EXPECT_TRUE(cufft == "11.0.61" || cufft == "12.0.61") << cufft;
}

TEST(OwnFolders, HasTheProgramsOwnAndNoUnknownToken) {
  EXPECT_EQ(own_folders("$ORIGIN/../lib:/x:${ORIGIN}:$LIB/y:", "/a/b"),
            (std::vector<std::string>{"/a/b/../lib", "/x", "/a/b"}));
  EXPECT_EQ(own_folders(Tree("/"), "/no/such/program"), OwnFolders{});
  EXPECT_EQ(own_folders(Tree("/"), "/etc/passwd"), OwnFolders{});
  EXPECT_EQ(own_folders(ElfDynamic{{}, "", "$ORIGIN", ""}, "/a"), (OwnFolders{{"/a"}, {}}));
  EXPECT_EQ(own_folders(ElfDynamic{{}, "", "$ORIGIN", "/x"}, "/a"), (OwnFolders{{}, {"/x"}}));
}

TEST(Fingerprint, NamesTheLibraryThatTheProgramsOwnPathLeadsTo) {
  FakeTree tree;
  for (const char* const folder : {"/usr/lib64", "/opt/gauge/lib"}) {
    const std::string whole = std::string("libnccl.so.2.") + (folder[1] == 'u' ? "27.1" : "28.3");
    tree.file(fmt::format("{}/{}", folder, whole), "");
    tree.link(fmt::format("{}/libnccl.so.2", folder), whole);
  }
  FakeElf program;
  program.dynamic({{DT_RUNPATH, "$ORIGIN/../lib"}});
  tree.file("/opt/gauge/libexec/gpugauge-bench-nccl", program.bytes());
  const auto version = [&](const std::map<std::string, std::string>& programs) {
    return fingerprint({}, tree.root(), programs).stack.at("nccl.version");
  };
  EXPECT_EQ(version({}), "2.27.1");
  EXPECT_EQ(version({{"nccl", "/opt/gauge/libexec/gpugauge-bench-nccl"}}), "2.28.3");
  EXPECT_EQ(version({{"cublas", "/opt/gauge/libexec/gpugauge-bench-nccl"}}), "2.27.1");
  EXPECT_EQ(version({{"nccl", "/no/such/program"}}), "2.27.1");
}

TEST(Fingerprint, APathOfTheOldKindComesBeforeLdLibraryPath) {
  FakeTree tree;
  for (const char* const at : {"/path/libnccl.so.2.27.1", "/opt/gauge/lib/libnccl.so.2.28.3"}) {
    const std::filesystem::path library(at);
    tree.file(at, "");
    tree.link((library.parent_path() / "libnccl.so.2").string(), library.filename().string());
  }
  const char* const path = "/opt/gauge/libexec/gpugauge-bench-nccl";
  const char* const was = std::getenv("LD_LIBRARY_PATH");
  const std::string before = was == nullptr ? "" : was;
  ::setenv("LD_LIBRARY_PATH", "/path", 1);
  for (const auto& [tag, expected] : {std::pair(DT_RPATH, "2.28.3"), std::pair(DT_RUNPATH, "2.27.1")}) {
    FakeElf program;
    program.dynamic({{tag, "$ORIGIN/../lib"}});
    tree.file(path, program.bytes());
    EXPECT_EQ(fingerprint({}, tree.root(), {{"nccl", path}}).stack.at("nccl.version"), expected);
  }
  if (before.empty())
    ::unsetenv("LD_LIBRARY_PATH");
  else
    ::setenv("LD_LIBRARY_PATH", before.c_str(), 1);
}

TEST(Fingerprint, IsTheSameTwiceOnTheSameMachine) {
  EXPECT_EQ(fingerprint({}), fingerprint({}));
}

std::vector<std::string> names_of(const std::vector<Layer>& layers) {
  std::vector<std::string> names;
  names.reserve(layers.size());
  for (const Layer& layer : layers) names.push_back(layer.name);
  return names;
}

const Layer& layer(const std::vector<Layer>& layers, const std::string& name) {
  return *std::find_if(layers.begin(), layers.end(), [&](const Layer& one) { return one.name == name; });
}

TEST(Layers, AreTheDoctorsWithTheCudaOfThisBuild) {
  FakeTree tree;
  add_host(tree, "fpu");
  tree.file("/usr/lib64/libnccl.so.2.28.3", "");
  tree.link("/usr/lib64/libnccl.so.2", "libnccl.so.2.28.3");
  Context context;
  context.tree = Tree(tree.root());
  const Inventory node = with_report(files_of_node(context), two_gpus());
  const std::vector<Layer> found = layers(node);
  EXPECT_EQ(names_of(found), (std::vector<std::string>{"GPU", "kernel driver", "user-mode driver", "NVML",
                                                       "CUDA of this build", "CUDA toolkit", "CUDA runtime",
                                                       "cuBLAS", "cuDNN", "NCCL", "system", "kernel",
                                                       "machine", "processor limit", "container"}));
  EXPECT_EQ(found[0].version, "2 x NVIDIA H200");
  EXPECT_EQ(layer(found, "kernel driver").version, "580.65.06");
  EXPECT_EQ(layer(found, "kernel driver").detail.substr(0, 11), "open module");
  EXPECT_EQ(layer(found, "user-mode driver").detail,
            fmt::format("up to CUDA 13.0, {}, end of life {}, /usr/lib/libcuda.so.580.65.06",
                        node.value("driver_branch.kind"), node.value("driver_branch.end_of_life")));
  EXPECT_EQ(layer(found, "NCCL").version, "2.28.3");
  for (const Layer& one : overview(node)) {
    const Layer& same = one.name == "CUDA of this build" ? one : layer(found, one.name);
    EXPECT_EQ(same.version, one.version) << one.name;
    EXPECT_EQ(same.detail, one.detail) << one.name;
  }
}

TEST(WithReport, WhatNvmlToldOfEachGpuAndOfTheNodeIsInTheInventory) {
  FakeTree tree;
  Context context;
  context.tree = Tree(tree.root());
  GpuReport report = two_gpus();
  report.gpus[1].told = {{"brand", "NVIDIA"}, {"fabric_state", "in_progress"}};
  report.gpus[1].settings = {{"confidential_computing", "on"}, {"vgpu_licence", "unlicensed"}};
  const Inventory node = with_report(files_of_node(context), report);
  EXPECT_EQ(node.value("gpu.1.brand"), "NVIDIA");
  EXPECT_EQ(node.value("gpu.1.fabric_state"), "in_progress");
  EXPECT_EQ(node.value("driver.confidential_computing"), "on");
  EXPECT_EQ(node.value("vgpu.licence"), "unlicensed");
  EXPECT_FALSE(node.has("gpu.0.brand"));
}

TEST(Layers, SayAbsentWhereThereIsNoDriver) {
  FakeTree tree;
  Context context;
  context.tree = Tree(tree.root());
  const std::vector<Layer> found = layers(with_report(files_of_node(context), {}));
  for (const char* const name : {"GPU", "kernel driver", "user-mode driver", "cuBLAS", "cuDNN", "NCCL"})
    EXPECT_EQ(layer(found, name).version, "absent") << name;
  for (const Layer& one : found) EXPECT_NE(one.version, "") << one.name;
}

TEST(Layers, AndTheFingerprintTellOneMachineAlike) {
  FakeTree tree;
  add_host(tree, "fpu");
  tree.pci("0000:01:00.0", "nvidia");
  tree.file("/usr/lib64/libnccl.so.2.28.3", "");
  tree.link("/usr/lib64/libnccl.so.2", "libnccl.so.2.28.3");
  tree.file("/usr/lib64/libcudnn.so.9.12.0", "");
  tree.link("/usr/lib64/libcudnn.so.9", "libcudnn.so.9.12.0");
  Context context;
  context.tree = Tree(tree.root());
  const Inventory node = with_report(files_of_node(context), two_gpus());
  result::Run run;
  run.fingerprint = fingerprint(two_gpus(), tree.root());
  const Inventory told = inventory_of_run(run, "run.json");
  std::size_t compared = 0;
  for (const Item& item : told.items()) {
    const Item* const here = node.find(item.key);
    // An environment is of the process, a loader's pick has its links followed in the one and not in the
    // other.
    if (here == nullptr || item.key.starts_with("env.") || item.key.ends_with(".picked")) continue;
    ++compared;
    EXPECT_EQ(here->presence, item.presence) << item.key;
    EXPECT_EQ(here->value, item.value) << item.key;
  }
  EXPECT_GE(compared, 20U);
}

}  // namespace
}  // namespace gpugauge::stack
