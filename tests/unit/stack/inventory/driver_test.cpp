#include "stack/inventory/driver.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "servers.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Inventory driver_of(const FakeTree& tree, const Environment& environment = {}) {
  Inventory inventory;
  collect_driver(context_of(tree, environment), inventory);
  return inventory;
}

Presence driver_presence(const Inventory& inventory, const std::string& key) {
  const Item* const item = inventory.find(key);
  if (item == nullptr) throw std::runtime_error(key + " was not looked for");
  return item->presence;
}

TEST(Driver, AHealthyServer) {
  FakeTree tree;
  make_server(tree);
  const Inventory found = driver_of(tree);
  const std::vector<std::pair<std::string, std::string>> expected{
      {"driver.version", "580.65.06"},
      {"driver.kernel_module_version", "580.65.06"},
      {"driver.kernel_module_kind", "open"},
      {"driver.libcuda_path", "/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06"},
      {"driver.libcuda_version", "580.65.06"},
      {"driver.libcuda_kind", "driver"},
      {"driver.libcuda.0.path", "/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06"},
      {"driver.libnvml_path", "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.65.06"},
      {"driver.libnvml_version", "580.65.06"},
      {"driver.gsp", "580.65.06"},
      {"driver.dkms", "yes"},
      {"driver.module_for_running_kernel", "yes"},
      {"driver.module_for_newest_kernel", "yes"},
      {"driver.newest_kernel", "6.8.0-60-generic"},
      {"driver.module_signed", "yes"},
      {"driver.nouveau", "blacklisted"},
      {"driver.uvm", "loaded"},
      {"driver.peermem", "loaded nvidia_peermem"},
      {"driver.device_nodes",
       "/dev/nvidiactl /dev/nvidia-uvm /dev/nvidia0 /dev/nvidia1 /dev/nvidia2 /dev/nvidia3 /dev/nvidia4 "
       "/dev/nvidia5 /dev/nvidia6 /dev/nvidia7"},
      {"driver.secure_boot", "on"},
      {"driver.persistenced", "running"},
      {"driver.source", "nvidia repository"},
      {"driver.kernel_aslr", "on"},
      {"fabric_manager.state", "running"},
      {"fabric_manager.version", "580.65.06"},
      {"topology.nvswitch", "yes"},
      {"vgpu.guest", "no"}};
  for (const auto& [key, value] : expected) EXPECT_EQ(found.value(key), value) << key;
  EXPECT_EQ(found.find("driver.version")->how, "file name");
  EXPECT_EQ(driver_presence(found, "driver.gdrcopy"), Presence::absent);
  EXPECT_THAT(found.children("driver.libcuda"), ElementsAre("0"));
  EXPECT_THAT(found.children("driver.module_parameters"), IsEmpty());
}

TEST(Driver, AnEmptyMachineHasNone) {
  const Inventory found = driver_of(FakeTree());
  for (const char* const key : {"driver.version",
                                "driver.kernel_module_version",
                                "driver.kernel_module_kind",
                                "driver.libcuda_path",
                                "driver.libcuda_version",
                                "driver.libcuda_kind",
                                "driver.libnvml_path",
                                "driver.libnvml_version",
                                "driver.gsp",
                                "driver.dkms",
                                "driver.module_for_running_kernel",
                                "driver.module_for_newest_kernel",
                                "driver.newest_kernel",
                                "driver.module_signed",
                                "driver.nouveau",
                                "driver.uvm",
                                "driver.peermem",
                                "driver.gdrcopy",
                                "driver.device_nodes",
                                "driver.secure_boot",
                                "driver.persistenced",
                                "driver.source",
                                "driver.kernel_aslr",
                                "fabric_manager.state",
                                "fabric_manager.version",
                                "vgpu.guest"})
    EXPECT_EQ(driver_presence(found, key), Presence::absent) << key;
  EXPECT_EQ(found.value("topology.nvswitch"), "no");
}

TEST(Driver, TheNewestKernelMayLackAModule) {
  FakeTree tree;
  make_server(tree);
  tree.file("/boot/vmlinuz-6.8.0-100-generic", "");
  tree.file("/boot/vmlinuz-6.11.0-1-lowlatency", "");
  tree.file("/boot/vmlinuz-0-rescue-abc", "");
  tree.kernel_modules("6.8.0-100-generic", "kernel/fs/ext4/ext4.ko:\n");
  const Inventory found = driver_of(tree);
  EXPECT_EQ(found.value("driver.newest_kernel"), "6.8.0-100-generic")
      << "100 is more than 60; of one flavour";
  EXPECT_EQ(found.value("driver.module_for_newest_kernel"), "no");
  EXPECT_EQ(found.value("driver.module_for_running_kernel"), "yes");
}

TEST(Driver, AnErratumIsNewerThanTheReleaseItMends) {
  const auto newest = [](const std::vector<std::string>& names) {
    FakeTree tree;
    tree.kernel("4.18.0-553.el8_10.x86_64");
    for (const std::string& name : names) tree.file("/boot/vmlinuz-" + name, "");
    return driver_of(tree).value("driver.newest_kernel");
  };
  EXPECT_EQ(
      newest({"4.18.0-553.el8_10.x86_64", "4.18.0-553.16.1.el8_10.x86_64", "4.18.0-553.5.1.el8_10.x86_64"}),
      "4.18.0-553.16.1.el8_10.x86_64");
  EXPECT_EQ(newest({"5.14.0-427.el9.x86_64", "5.14.0-70.13.1.el9.x86_64"}), "5.14.0-427.el9.x86_64");
  EXPECT_EQ(newest({"6.1.0-012-amd64", "6.1.0-9-amd64"}), "6.1.0-012-amd64");
  EXPECT_EQ(newest({"6.1.0", "6.1.0-1"}), "6.1.0-1");
}

TEST(Driver, ANameWithoutAReleaseIsNoKernel) {
  FakeTree tree;
  tree.kernel("6.15.2-arch1-1");
  tree.file("/boot/vmlinuz-linux", "");
  tree.file("/boot/vmlinuz-linux-lts", "");
  tree.kernel_modules("6.15.2-arch1-1", "updates/dkms/nvidia.ko.zst:\n");
  const Inventory found = driver_of(tree);
  EXPECT_EQ(found.value("driver.newest_kernel"), "6.15.2-arch1-1");
  EXPECT_EQ(found.value("driver.module_for_newest_kernel"), "yes");
}

TEST(Driver, WithoutBootTheModuleFoldersNameTheKernels) {
  FakeTree tree;
  tree.kernel("5.14.0-427.13.1.el9_4.x86_64");
  tree.kernel_modules("5.14.0-427.13.1.el9_4.x86_64", "extra/nvidia.ko.xz:\n");
  tree.kernel_modules("5.14.0-570.12.1.el9_6.x86_64", "");
  tree.file("/lib/modules/5.14.0-999.x86_64/left_over", "");
  const Inventory found = driver_of(tree);
  EXPECT_EQ(found.value("driver.newest_kernel"), "5.14.0-570.12.1.el9_6.x86_64");
  EXPECT_EQ(found.value("driver.module_for_newest_kernel"), "no");
  EXPECT_EQ(found.value("driver.dkms"), "precompiled");
  ASSERT_TRUE(found.unreadable("driver.module_signed"));
  EXPECT_EQ(found.find("driver.module_signed")->needs,
            "the command `modinfo /lib/modules/5.14.0-427.13.1.el9_4.x86_64/extra/nvidia.ko.xz`: the file is "
            "compressed");
}

TEST(Driver, WhoBuiltTheModule) {
  const auto built = [](const std::string& list, bool installer, const std::string& dkms = "") {
    FakeTree tree;
    tree.kernel("6.1.0");
    tree.kernel_modules("6.1.0", list);
    if (!dkms.empty()) tree.file("/var/lib/dkms/" + dkms + "/source/dkms.conf", "");
    if (installer) tree.file("/usr/bin/nvidia-uninstall", "");
    return driver_of(tree).value("driver.dkms");
  };
  EXPECT_EQ(built("updates/dkms/nvidia.ko:\n", false), "yes");
  EXPECT_EQ(built("kernel/nvidia-580/nvidia.ko:\n", false), "precompiled");
  EXPECT_EQ(built("kernel/drivers/video/nvidia.ko:\n", true), "installer");
  EXPECT_EQ(built("kernel/drivers/video/nvidia.ko:\n", false), "unknown");
  EXPECT_EQ(built("kernel/nvidia-580-server/nvidia.ko:\n", false, "nvidia-fs/2.22.3"), "precompiled");
  EXPECT_EQ(built("extra/nvidia.ko:\n", false, "nvidia-fs/2.22.3"), "precompiled");
  EXPECT_EQ(built("extra/nvidia.ko:\n", false, "nvidia-peermem/1.3"), "precompiled");
  EXPECT_EQ(built("extra/nvidia.ko:\n", false, "nvidia/580.65.06"), "yes") << "DKMS installs there, too";
  EXPECT_EQ(built("kernel/nvidia-580/nvidia.ko:\n", false, "nvidia/570.86.15"), "precompiled") << "left over";
  EXPECT_EQ(built("", false, "nvidia-fs/2.22.3"), "");
}

TEST(Driver, AnOlderKernelsModuleTellsHowModulesComeHere) {
  FakeTree tree;
  tree.kernel("6.8.0-90-generic");
  tree.kernel_modules("6.8.0-60-generic", "kernel/nvidia-580-open/nvidia.ko:\n");
  tree.kernel_modules("6.8.0-90-generic", "");
  EXPECT_EQ(driver_of(tree).value("driver.dkms"), "precompiled");
}

TEST(Driver, AModuleWithoutASignature) {
  FakeTree tree;
  make_server(tree);
  tree.file("/lib/modules/6.8.0-60-generic/updates/dkms/nvidia.ko", "code without");
  EXPECT_EQ(driver_of(tree).value("driver.module_signed"), "no");
  tree.kernel_modules("6.8.0-60-generic", "updates/dkms/nvidia.ko.zst:\n");
  EXPECT_TRUE(driver_of(tree).unreadable("driver.module_signed"));
  tree.file("/sys/module/nvidia/taint", "OE\n");
  EXPECT_EQ(driver_of(tree).value("driver.module_signed"), "no");
}

TEST(Driver, OptionsOfTheModuleThatAreNotTheUsual) {
  FakeTree tree;
  tree.file("/proc/driver/nvidia/params",
            "ResmanDebugLevel: 4294967295\nRmLogonRC: 1\nModifyDeviceFiles: 1\nDeviceFileUID: "
            "0\nDeviceFileGID: 44\n"
            "DeviceFileMode: 438\nEnableMSI: 1\nEnableStreamMemOPs: 1\nRmProfilingAdminOnly: 0\n"
            "PreserveVideoMemoryAllocations: 1\nEnableGpuFirmware: 18\nSomethingNew: 0\nSomethingElse: 7\n"
            "RegistryDwords: \"PerfLevelSrc=0x2222\"\nRmMsg: \"\"\nbad key: 1\nno colon\n");
  const Inventory found = driver_of(tree);
  EXPECT_THAT(found.children("driver.module_parameters"),
              ElementsAre("DeviceFileGID", "EnableStreamMemOPs", "RmProfilingAdminOnly", "SomethingElse",
                          "RegistryDwords"));
  EXPECT_EQ(found.value("driver.module_parameters.RegistryDwords"), "\"PerfLevelSrc=0x2222\"");
}

TEST(Driver, EveryCopyOfLibcudaThePickedFirst) {
  FakeTree tree;
  make_server(tree);
  tree.file("/usr/local/cuda-13.0/compat/libcuda.so.580.82.07", "");
  tree.link("/usr/local/cuda-13.0/compat/libcuda.so.1", "libcuda.so.580.82.07");
  tree.link("/usr/local/cuda", "/usr/local/cuda-13.0");
  tree.file("/usr/local/cuda-13.0/lib64/stubs/libcuda.so", "stub");
  tree.link("/opt/stub/libcuda.so.1", "/usr/local/cuda-13.0/lib64/stubs/libcuda.so");
  const Inventory plain = driver_of(tree);
  EXPECT_EQ(plain.value("driver.libcuda_kind"), "driver");
  EXPECT_THAT(plain.children("driver.libcuda"), ElementsAre("0", "1")) << "not twice through the link cuda";
  EXPECT_EQ(plain.value("driver.libcuda.1.path"), "/usr/local/cuda-13.0/compat/libcuda.so.580.82.07");
  EXPECT_EQ(plain.value("driver.libcuda.1.kind"), "compat");

  const Inventory compat = driver_of(tree, {{"LD_LIBRARY_PATH", "/usr/local/cuda/compat"}});
  EXPECT_EQ(compat.value("driver.libcuda_kind"), "compat");
  EXPECT_EQ(compat.value("driver.libcuda_version"), "580.82.07");
  EXPECT_EQ(compat.value("driver.version"), "580.65.06") << "NVML's: the installed driver";

  const Inventory stub = driver_of(tree, {{"LD_LIBRARY_PATH", "/opt/stub"}});
  EXPECT_EQ(stub.value("driver.libcuda_kind"), "stub");
  EXPECT_EQ(driver_presence(stub, "driver.libcuda_version"), Presence::absent);
}

TEST(Driver, LibrariesOfADriverInAContainerAreFound) {
  const std::string google =
      "/home"
      "/kubernetes/bin/nvidia/lib64";  // no user's home
  for (const char* const folder :
       {"/run/nvidia/driver/usr/lib/x86_64-linux-gnu", "/run/nvidia/driver/usr/lib/aarch64-linux-gnu",
        "/run/nvidia/driver/usr/lib64", google.c_str(), "/var/lib/nvidia/lib64", "/run/opengl-driver/lib"}) {
    FakeTree tree;
    tree.file(std::string(folder) + "/libcuda.so.580.65.06", "");
    tree.link(std::string(folder) + "/libcuda.so.1", "libcuda.so.580.65.06");
    const Inventory found = driver_of(tree);
    EXPECT_EQ(driver_presence(found, "driver.libcuda_path"), Presence::absent) << "the loader does not";
    EXPECT_EQ(found.value("driver.libcuda.0.path"), std::string(folder) + "/libcuda.so.580.65.06");
    EXPECT_EQ(found.value("driver.libcuda.0.kind"), "driver");
    EXPECT_EQ(is_for_containers(found.value("driver.libcuda.0.path")),
              !std::string(folder).starts_with("/run/opengl"));
  }
  EXPECT_FALSE(is_for_containers("/run/nvidia/driver-of-mine/libcuda.so.1"));
}

TEST(Driver, KindsOfLibcuda) {
  EXPECT_EQ(libcuda_kind("/usr/lib/libcuda.so.580.65.06", 90, false), "driver");
  EXPECT_EQ(libcuda_kind("/usr/lib/wsl/lib/libcuda.so.1.1", 0.2, false), "wsl");
  EXPECT_EQ(libcuda_kind("/usr/lib/wsl/drivers/nv/libcuda.so.1.1", 0.2, false), "wsl");
  EXPECT_EQ(libcuda_kind("/usr/local/cuda/lib64/stubs/libcuda.so", 0.1, false), "stub");
  EXPECT_EQ(libcuda_kind("/tmp/copied/libcuda.so.1", 0.1, false), "stub");
  EXPECT_EQ(libcuda_kind("/usr/lib/x86_64-linux-gnu/libcuda.so.1", 0.17, true), "wsl") << "in a container";
  EXPECT_EQ(libcuda_kind("/usr/local/cuda/lib64/stubs/libcuda.so", 0.1, true), "stub");
  EXPECT_EQ(libcuda_kind("/usr/lib/libcuda.so.580.65.06", 90, true), "driver");
  EXPECT_EQ(libcuda_kind("/tmp/libcuda.so.1", 0, false), "driver") << "its size is unknown";
  EXPECT_EQ(libcuda_kind("/usr/local/cuda-12.8/compat/libcuda.so.570.1", 30, false), "compat");
  EXPECT_EQ(driver_version_in("/usr/lib/libcuda.so.580.65.06"), "580.65.06");
  EXPECT_EQ(driver_version_in("/usr/lib/libcuda.so.1.1"), "");
  EXPECT_EQ(driver_version_in("/usr/lib/libcuda.so.1"), "");
  EXPECT_EQ(driver_version_in("/usr/lib/libcuda.so.999999999999.1"), "");
  EXPECT_EQ(driver_version_in("/usr/lib/libcuda.so.580.beta"), "");
}

TEST(Driver, InAContainerTheHostsProcessesAreHidden) {
  FakeTree tree;
  make_server(tree);
  tree.file("/.dockerenv", "");
  tree.file("/proc/811/comm", "bash\n");
  tree.file("/proc/812/comm", "python3\n");
  tree.file("/var/lib/dpkg/status", dpkg_stanza("libc6", "2.39-1"));
  tree.file("/proc/self/mountinfo",
            "1 0 0:1 / / rw - overlay overlay rw\n"
            "2 1 8:1 /x /usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06 ro - ext4 /dev/sda1 rw\n");
  const Inventory found = driver_of(tree);
  EXPECT_EQ(found.value("driver.source"), "container");
  ASSERT_TRUE(found.unreadable("fabric_manager.state"));
  EXPECT_EQ(found.find("fabric_manager.state")->needs,
            "a look from the host: a container sees its own processes");
  EXPECT_TRUE(found.unreadable("driver.persistenced"));
}

TEST(Driver, FabricManagerInstalledAndNotRunning) {
  FakeTree tree;
  make_server(tree);
  tree.file("/proc/811/comm", "bash\n");
  tree.file("/usr/bin/nv-fabricmanager", "");
  tree.file("/var/lib/dpkg/status", dpkg_stanza("nvidia-fabricmanager-dev-580", "1-1"));
  tree.file("/var/log/fabricmanager.log",
            "[Nov 19 2026 10:00:00] [INFO] Fabric Manager version is : 570.86.15\n"
            "[Nov 20 2026 10:00:00] [INFO] Fabric Manager version is : 580.65.06\n[x] stopped\n");
  const Inventory found = driver_of(tree);
  EXPECT_EQ(found.value("fabric_manager.state"), "installed");
  EXPECT_EQ(found.value("fabric_manager.version"), "580.65.06");
}

TEST(Driver, NouveauAndSecureBoot) {
  FakeTree tree;
  make_server(tree);
  tree.file("/sys/module/nouveau/refcnt", "1\n");
  tree.file("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
            std::string("\x06\0\0\0\0", 5));
  EXPECT_EQ(driver_of(tree).value("driver.nouveau"), "loaded");
  EXPECT_EQ(driver_of(tree).value("driver.secure_boot"), "off");
  FakeTree container;
  container.file("/sys/firmware/efi/runtime", "");
  container.file("/proc/cmdline", "quiet nouveau.blacklist=1 nokaslr");
  EXPECT_EQ(driver_of(container).find("driver.secure_boot")->needs,
            "efivarfs mounted at /sys/firmware/efi/efivars");
  EXPECT_EQ(driver_of(container).value("driver.nouveau"), "blacklisted");
  EXPECT_EQ(driver_of(container).value("driver.kernel_aslr"), "off");
}

TEST(Driver, AVirtualGpuIsKnownByItsModel) {
  EXPECT_TRUE(is_virtual_gpu("NVIDIA A40-48Q"));
  EXPECT_TRUE(is_virtual_gpu("GRID T4-16C"));
  EXPECT_FALSE(is_virtual_gpu("NVIDIA H100 80GB HBM3"));
  EXPECT_FALSE(is_virtual_gpu("Tesla V100-SXM2-16GB"));
  EXPECT_FALSE(is_virtual_gpu("NVIDIA A100-SXM4-40GB"));
  EXPECT_FALSE(is_virtual_gpu("NVIDIA A100-PCIE"));
  EXPECT_FALSE(is_virtual_gpu("-"));
  FakeTree tree;
  tree.file("/proc/driver/nvidia/gpus/0000:00:05.0/information",
            "Model: NVIDIA A40-48Q\nGPU Firmware: N/A\n");
  tree.file("/etc/nvidia/gridd.conf", "# ServerAddress=no\nServerAddress=\nFeatureType=1\n");
  const Inventory found = driver_of(tree);
  EXPECT_EQ(found.value("vgpu.guest"), "yes");
  EXPECT_EQ(found.value("vgpu.licence"), "unknown");
  EXPECT_EQ(found.find("vgpu.licence")->how, "no licence server is configured");
  EXPECT_EQ(found.value("driver.gsp"), "off");
}

TEST(Driver, WhatTheModuleSaysOfAGpu) {
  const ModuleGpu unused = parse_module_gpu("0000:C1:00.0",
                                            "Model: \t\t Unknown\nGPU UUID: \t GPU-?\?\?\?\?\?\?\?-\?\?\?\?\n"
                                            "Video BIOS: \t \?\?.\?\?.\?\?\nno colon\n");
  EXPECT_EQ(unused.address, "0000:c1:00.0");
  EXPECT_EQ(unused.name, "");
  EXPECT_EQ(unused.uuid, "");
  EXPECT_EQ(unused.vbios, "");
  EXPECT_EQ(unused.firmware, "");
}

TEST(Driver, TheInstallersDriverAndOneOfNobody) {
  FakeTree tree;
  tree.healthy(1);
  EXPECT_EQ(driver_of(tree).value("driver.source"), "unknown");
  tree.file("/usr/bin/nvidia-uninstall", "");
  EXPECT_EQ(driver_of(tree).value("driver.source"), "installer");
  tree.file("/var/lib/dpkg/status", dpkg_stanza("nvidia-driver-580", "1-1", "Ubuntu <u@ubuntu.com>"));
  EXPECT_EQ(driver_of(tree).value("driver.source"), "distribution");
}

TEST(Driver, HostileTreesCostNothing) {
  FakeTree tree;
  tree.link("/proc/driver/nvidia/version", "version");
  tree.file("/proc/driver/nvidia/params", std::string(50000, '\0') + ": \n" + std::string(50000, ':'));
  tree.file("/proc/driver/nvidia/gpus/x/information", std::string(10000, '\xff'));
  tree.link("/lib/modules/6.1.0", "../modules/6.1.0");
  tree.kernel("6.1.0");
  tree.file("/usr/lib/x86_64-linux-gnu/libcuda.so.1/folder", "");
  tree.link("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "/nowhere");
  ASSERT_EQ(::mkfifo(tree.at("/proc/cmdline").c_str(), 0600), 0);
  tree.file("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
            std::string(100000, 'x'));
  const Inventory found = driver_of(tree);
  EXPECT_EQ(driver_presence(found, "driver.libnvml_path"), Presence::absent);
  EXPECT_EQ(driver_presence(found, "driver.libcuda_path"), Presence::absent) << "a folder is no library";
  EXPECT_THAT(found.children("driver.libcuda"), IsEmpty());
  EXPECT_THAT(found.children("driver.module_parameters"), IsEmpty());
}

TEST(Driver, AFifoIsNoLibraryAndHidesNoOther) {
  FakeTree tree;
  make_server(tree);
  ASSERT_EQ(::mkfifo(tree.at("/usr/lib/libnvidia-ml.so.1").c_str(), 0600), 0);
  tree.file("/usr/local/cuda/compat/readme", "");
  ASSERT_EQ(::mkfifo(tree.at("/usr/local/cuda/compat/libcuda.so.1").c_str(), 0600), 0);
  const Inventory found = driver_of(tree);
  EXPECT_EQ(found.value("driver.libcuda_version"), "580.65.06");
  EXPECT_THAT(found.children("driver.libcuda"), testing::Not(testing::Contains("1")));
}

}  // namespace
}  // namespace gpugauge::stack
