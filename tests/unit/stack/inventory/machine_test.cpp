#include "stack/inventory/machine.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "servers.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Inventory machine_of(const FakeTree& tree, const Environment& environment = {}) {
  Inventory inventory;
  collect_machine(context_of(tree, environment), inventory);
  return inventory;
}

Presence presence(const Inventory& inventory, const std::string& key) {
  const Item* const item = inventory.find(key);
  if (item == nullptr) throw std::runtime_error(key + " was not looked for");
  return item->presence;
}

void make_host(FakeTree& tree) {
  tree.kernel("6.8.0-60-generic");
  tree.file("/proc/cmdline", "root=/dev/sda1 ro iommu=pt\n");
  tree.file("/usr/lib/os-release",
            "PRETTY_NAME=\"Ubuntu 24.04.2 "
            "LTS\"\nNAME=\"Ubuntu\"\nVERSION_ID=\"24.04\"\nID=ubuntu\nID_LIKE=debian\n");
  tree.link("/etc/os-release", "../usr/lib/os-release");
  tree.file("/var/lib/dpkg/status", dpkg_stanza("libc6", "2.39-0ubuntu8.4"));
  tree.file("/proc/cpuinfo",
            "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Platinum 8480C\nflags\t\t: fpu vme\n");
  tree.file("/sys/devices/system/cpu/online", "0-223\n");
  tree.file("/sys/devices/system/node/online", "0-1\n");
  tree.file("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n");
  tree.file("/sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave\n");
  tree.file("/proc/meminfo", "MemTotal:       2113000000 kB\n");
  tree.file("/proc/self/cgroup", "0::/job\n");
  tree.file("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.file("/sys/fs/cgroup/job/memory.max", "2147483648\n");
}

TEST(Machine, ATypicalHost) {
  FakeTree tree;
  make_host(tree);
  tree.file("/sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  tree.file("/sys/class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n");
  tree.file("/sys/class/infiniband/mlx5_1/ports/1/state", "1: DOWN\n");
  tree.file("/etc/nccl.conf", "# remark\nNCCL_IB_DISABLE=1   # why\n\nNCCL_DEBUG=WARN\nno value\n");
  const Inventory found = machine_of(tree);
  const std::vector<std::pair<std::string, std::string>> expected{
      {"host.os", "linux"},
      {"host.distribution", "Ubuntu 24.04.2 LTS"},
      {"host.distribution_id", "ubuntu 24.04"},
      {"kernel.version", "6.8.0-60-generic"},
      {"kernel.command_line", "root=/dev/sda1 ro iommu=pt"},
      {"host.libc", "glibc 2.39"},
      {"host.virtualization", "none"},
      {"host.cpu_model", "Intel(R) Xeon(R) Platinum 8480C"},
      {"host.cpus", "224"},
      {"host.governor", "performance,powersave"},
      {"host.numa_nodes", "2"},
      {"host.memory_gib", "2015"},
      {"host.cgroup_cpu_limit", "none"},
      {"host.cgroup_memory_mib", "2048"},
      {"host.infiniband", "mlx5_0 mlx5_1"},
      {"host.infiniband.mlx5_0.state", "ACTIVE"},
      {"host.infiniband.mlx5_0.rate", "400 Gb/sec (4X NDR)"},
      {"host.infiniband.mlx5_1.state", "DOWN"},
      {"file.nccl_conf", "NCCL_IB_DISABLE=1 NCCL_DEBUG=WARN"}};
  for (const auto& [key, value] : expected) EXPECT_EQ(found.value(key), value) << key;
  EXPECT_EQ(found.find("host.infiniband.mlx5_1.rate"), nullptr);
  EXPECT_EQ(found.find("host.shm_mib"), nullptr) << "a mounted image has no size of /dev/shm";
}

TEST(Machine, WhatAnInfinibandDeviceIsFor) {
  FakeTree tree;
  const auto device = [&](const std::string& name, const std::string& driver, const std::string& vendor,
                          const std::string& layer) {
    std::string function = "/sys/devices/pci0000:00/" + name;
    tree.file(function + "/vendor", vendor + "\n");
    tree.link(function + "/driver", "../../../bus/pci/drivers/" + driver);
    tree.file(function + "/infiniband/" + name + "/ports/1/link_layer", layer + "\n");
    tree.link(function + "/infiniband/" + name + "/device", "../..");
    tree.link("/sys/class/infiniband/" + name, "../../devices/pci0000:00/" + name + "/infiniband/" + name);
    return function;
  };
  const std::string bridge = device("mlx5_0", "mlx5_core", "0x15b3", "InfiniBand");
  tree.file(bridge + "/vpd", std::string("\x82\x05\0CX-7\x90\x1e\0V9", 12) + "SMDL=SW_MNG" + '\0' + "x");
  const std::string card = device("mlx5_1", "mlx5_core", "0x15b3", "Ethernet");
  tree.file(card + "/vpd", std::string("\x82\x05\0CX-7\x90", 8));
  device("mlx5_2", "mlx5_core", "0x15b3", "InfiniBand");  // only root may read what it is for
  const std::string amazon = device("rdmap16s27", "efa", "0x1d0f", "Unspecified");
  tree.file(amazon + "/vpd", "SW_MNG");
  const Inventory found = machine_of(tree);
  const std::vector<std::pair<std::string, std::string>> expected{
      {"host.infiniband", "mlx5_0 mlx5_1 mlx5_2 rdmap16s27"},
      {"host.infiniband.mlx5_0.driver", "mlx5_core"},
      {"host.infiniband.mlx5_0.link_layer", "InfiniBand"},
      {"host.infiniband.mlx5_0.role", "switch management"},
      {"host.infiniband.mlx5_1.link_layer", "Ethernet"},
      {"host.infiniband.mlx5_1.role", "network"},
      {"host.infiniband.rdmap16s27.driver", "efa"}};
  for (const auto& [key, value] : expected) EXPECT_EQ(found.value(key), value) << key;
  EXPECT_EQ(found.find("host.infiniband.mlx5_2.role"), nullptr);
  EXPECT_EQ(found.find("host.infiniband.rdmap16s27.role"), nullptr) << "another maker's data is not read";
}

TEST(Machine, AnEmptyTree) {
  const Inventory found = machine_of(FakeTree());
  for (const char* const key :
       {"host.distribution", "host.distribution_id", "kernel.version", "kernel.command_line", "host.libc",
        "host.virtualization", "host.cpu_model", "host.cpus", "host.governor", "host.numa_nodes",
        "host.memory_gib", "host.iommu", "host.acs", "host.infiniband", "file.nccl_conf"})
    EXPECT_EQ(presence(found, key), Presence::absent) << key;
}

TEST(Machine, TheLiveOne) {
  Inventory found;
  collect_machine({}, found);
  EXPECT_THAT(found.value("host.libc"), StartsWith("glibc "));
  for (const char* const key :
       {"host.shm_mib", "host.memlock_kib", "kernel.version", "host.os", "host.iommu"})
    EXPECT_NE(found.find(key), nullptr) << key;
  EXPECT_TRUE(found.has("host.memlock_kib"));
}

TEST(Machine, VariablesThatMatterAreTold) {
  const Inventory found = machine_of(FakeTree(), {{"CUDA_VISIBLE_DEVICES", ""},
                                                  {"TORCH_CUDA_ARCH_LIST", "9.0"},
                                                  {"TF_FORCE_GPU_ALLOW_GROWTH", "true"},
                                                  {"NVIDIA_API_KEY", "nvapi-secret"},
                                                  {"CUDA_HOME", "/usr/local/cuda"},
                                                  {"LD_PRELOAD", "/x.so"},
                                                  {"HOME", "/nobody"},
                                                  {"AWS_SECRET", "no"}});
  EXPECT_THAT(found.children("env"),
              ElementsAre("CUDA_HOME", "CUDA_VISIBLE_DEVICES", "LD_PRELOAD", "NVIDIA_API_KEY",
                          "TF_FORCE_GPU_ALLOW_GROWTH", "TORCH_CUDA_ARCH_LIST"));
  EXPECT_TRUE(found.has("env.CUDA_VISIBLE_DEVICES"));
  EXPECT_EQ(found.value("env.CUDA_VISIBLE_DEVICES"), "");
  EXPECT_EQ(found.value("env.NVIDIA_API_KEY"), "set, value withheld");
}

struct Iommu {
  std::string name;
  std::vector<std::string> types;  ///< of the groups of GPUs
  std::string command_line;
  std::string state;
};
std::ostream& operator<<(std::ostream& out, const Iommu& one) {
  return out << one.name;
}
class IommuMode : public testing::TestWithParam<Iommu> {};

TEST_P(IommuMode, IsTheGpusGroupsType) {
  FakeTree tree;
  tree.file("/proc/cmdline", GetParam().command_line);
  tree.file("/sys/kernel/iommu_groups/0/type", "DMA\n");  // of something else
  int number = 1;
  for (const std::string& type : GetParam().types) {
    const std::string address = fmt::format("0000:{:02x}:00.0", number);
    tree.pci(address, "nvidia");
    const std::string group = fmt::format("/sys/kernel/iommu_groups/{}", number++);
    tree.file(group + "/reserved_regions", "");
    if (!type.empty()) tree.file(group + "/type", type + "\n");
    tree.link("/sys/bus/pci/devices/" + address + "/iommu_group", "../../../../.." + group);
  }
  EXPECT_EQ(machine_of(tree).value("host.iommu"), GetParam().state);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, IommuMode,
    testing::Values(Iommu{"identity", {"identity", "identity"}, "", "passthrough"},
                    Iommu{"one_is_translated", {"identity", "DMA-FQ"}, "iommu=pt", "translated"},
                    Iommu{"old_kernel_told_to_pass", {""}, "quiet iommu=pt", "passthrough"},
                    Iommu{"old_kernel", {""}, "quiet", "unknown"},
                    Iommu{"without_gpu", {}, "", "translated"}),
    [](const testing::TestParamInfo<Iommu>& of) { return of.param.name; });

TEST(Machine, AVirtualFunctionIsNoGpuOfItsOwn) {
  FakeTree tree;
  tree.pci("0000:41:00.0", "nvidia");
  tree.pci("0000:41:00.4", "nvidia");
  tree.link("/sys/bus/pci/devices/0000:41:00.4/physfn", "../0000:41:00.0");
  EXPECT_THAT(gpu_addresses(Tree(tree.root())), testing::ElementsAre("0000:41:00.0"));
}

TEST(Machine, WithoutGroupsTheIommuIsOff) {
  FakeTree tree;
  tree.file("/sys/kernel/mm/x", "");
  EXPECT_EQ(machine_of(tree).value("host.iommu"), "off");
}

/// A bridge's configuration space with a capability before Access Control Services.
std::string configuration(unsigned control, std::size_t size = 4096) {
  std::string bytes(4096, '\0');
  const auto put = [&](std::size_t offset, std::uint32_t word) {
    for (int i = 0; i < 4; ++i) bytes[offset + i] = static_cast<char>(word >> (8 * i) & 0xffU);
  };
  put(0x100, 0x1481'0001U);  // error reporting, next at 0x148
  put(0x148, 0x0001'000dU);  // Access Control Services, the last
  put(0x14c, control << 16U | 0x00ffU);
  bytes.resize(size);
  return bytes;
}

TEST(Acs, ReadsTheControlRegister) {
  EXPECT_EQ(acs_of(configuration(0x0004)), Acs::redirects);
  EXPECT_EQ(acs_of(configuration(0x0008)), Acs::redirects);
  EXPECT_EQ(acs_of(configuration(0x001d)), Acs::redirects);
  EXPECT_EQ(acs_of(configuration(0x0013)), Acs::passes)
      << "validation, blocking and forwarding redirect nothing";
  EXPECT_EQ(acs_of(configuration(0)), Acs::passes);
  EXPECT_EQ(acs_of(configuration(0x0004, 64)), Acs::hidden);
  EXPECT_EQ(acs_of(configuration(0x0004, 256)), Acs::passes) << "a bridge of conventional PCI";
  EXPECT_EQ(acs_of(configuration(0x0004, 0x14a)), Acs::passes) << "cut inside the capability";
  EXPECT_EQ(acs_of(""), Acs::damaged);
  EXPECT_EQ(acs_of(std::string(4096, '\xff')), Acs::passes) << "a device that is gone";
  std::string endless(4096, '\0');
  endless[0x100] = 0x01;
  endless[0x102] = 0x01;
  endless[0x103] = 0x10;  // next at 0x100: itself
  EXPECT_EQ(acs_of(endless), Acs::passes);
}

/// A GPU behind two bridges, as sysfs shows it.
void make_bridges(FakeTree& tree, const std::string& upper, const std::string& lower) {
  const std::string top = "/sys/devices/pci0000:00/0000:00:01.0";
  const std::string gpu = top + "/0000:01:00.0/0000:02:00.0";
  tree.file(gpu + "/vendor", "0x10de\n");
  tree.file(gpu + "/class", "0x030200\n");
  tree.file(top + "/config", upper);
  tree.file(top + "/0000:01:00.0/config", lower);
  tree.link("/sys/bus/pci/devices/0000:00:01.0", "../../../devices/pci0000:00/0000:00:01.0");
  tree.link("/sys/bus/pci/devices/0000:01:00.0", "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0");
  tree.link("/sys/bus/pci/devices/0000:02:00.0",
            "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0");
}

TEST(Acs, LooksAtTheBridgesAboveAGpu) {
  FakeTree off;
  make_bridges(off, configuration(0x10), configuration(0));
  EXPECT_EQ(machine_of(off).value("host.acs"), "off");
  EXPECT_EQ(machine_of(off).find("host.acs")->how, "2 bridges");
  FakeTree on;
  make_bridges(on, configuration(0), configuration(0x1d));
  EXPECT_EQ(machine_of(on).value("host.acs"), "on");
  EXPECT_EQ(machine_of(on).find("host.acs")->how, "redirects: 0000:01:00.0");
  FakeTree hidden;
  make_bridges(hidden, configuration(0, 64), configuration(0));
  ASSERT_TRUE(machine_of(hidden).unreadable("host.acs"));
  EXPECT_EQ(machine_of(hidden).find("host.acs")->needs, "root");
}

TEST(Machine, HostileTreesCostNothing) {
  FakeTree tree;
  tree.file("/etc/os-release",
            std::string(100000, '=') + "\nID=\"\nVERSION_ID='\n" + std::string("\0\xff", 2));
  tree.file("/etc/nccl.conf/folder", "");
  ASSERT_EQ(::mkfifo(tree.at("/cmdline").c_str(), 0600), 0);
  tree.link("/proc/cmdline", "/cmdline");
  tree.link("/proc/self/mountinfo", "/cmdline");
  tree.link("/proc/self/status", "/cmdline");
  tree.link("/sys/devices/system/cpu/cpufreq/policy0", "policy0");
  tree.link("/sys/class/infiniband", "/sys/class/infiniband");
  tree.pci("0000:01:00.0", "nvidia");
  tree.link("/sys/bus/pci/devices/0000:01:00.0/iommu_group", "iommu_group");
  const Inventory found = machine_of(tree);
  EXPECT_TRUE(found.unreadable("file.nccl_conf"));
  EXPECT_EQ(presence(found, "host.infiniband"), Presence::absent);
  EXPECT_EQ(found.value("kernel.command_line"), "");
}

TEST(Machine, WhetherTheDriversCacheCanBeWritten) {
  FakeTree user;  // the folders of a user, seen from the live machine
  const auto cache = [](Environment environment) {
    Inventory inventory;
    collect_jit_cache({Tree("/"), std::move(environment), "", {}, false, 20, {}}, inventory);
    const Item* const item = inventory.find("cuda.jit_cache");
    return item == nullptr || item->presence != Presence::present ? "" : item->value + " " + item->how;
  };
  const std::string home = user.root();
  EXPECT_EQ(cache({{"HOME", home}}), "writable in HOME") << "the driver makes it";
  EXPECT_FALSE(std::filesystem::exists(user.at("/.nv"))) << "and we do not";
  user.file("/.nv/ComputeCache/index", "x");
  EXPECT_EQ(cache({{"HOME", home}}), "writable in HOME");
  user.file("/taken", "a file, below which no folder can be made");
  EXPECT_EQ(cache({{"HOME", home}, {"CUDA_CACHE_PATH", home + "/taken/cache"}}), "read_only CUDA_CACHE_PATH");
  EXPECT_EQ(cache({{"HOME", home + "/taken"}}), "read_only in HOME");
  EXPECT_EQ(cache({{"CUDA_CACHE_PATH", "cache"}}), "") << "wherever a program is started";
  EXPECT_EQ(cache({}), "");
  EXPECT_EQ(machine_of(user, {{"HOME", home}}).find("cuda.jit_cache"), nullptr) << "another root";
  if (::geteuid() == 0) return;  // root writes where it likes
  ::chmod(user.at("/.nv/ComputeCache").c_str(), 0555);
  EXPECT_EQ(cache({{"HOME", home}}), "read_only in HOME");
}

}  // namespace
}  // namespace gpugauge::stack
