#include <gmock/gmock.h>

#include "servers.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Inventory container_of(const FakeTree& tree, const Environment& environment = {}) {
  Inventory inventory;
  collect_container(context_of(tree, environment), inventory);
  return inventory;
}

TEST(Container, AHostWithTheToolkit) {
  FakeTree tree;
  tree.file("/var/lib/dpkg/status", dpkg_stanza("nvidia-container-toolkit", "1.17.8-1"));
  tree.file("/etc/docker/daemon.json",
            "{\"runtimes\": {\"nvidia\": {\"path\": \"nvidia-container-runtime\"}}}\n");
  tree.file("/etc/containerd/config.toml", "# nvidia is only mentioned here\nversion = 2\n");
  tree.file("/etc/crio/crio.conf.d/99-nvidia.conf", "[crio.runtime]\ndefault_runtime = \"nvidia\"\n");
  tree.file("/proc/self/mountinfo",
            "2 1 8:1 /x /usr/lib/x86_64-linux-gnu/libcuda.so.1 ro - ext4 /dev/sda1 rw\n");
  const Inventory found = container_of(tree);
  EXPECT_EQ(found.value("container.kind"), "none");
  EXPECT_EQ(found.value("container.toolkit_version"), "1.17.8");
  EXPECT_EQ(found.value("container.runtime_config"), "docker cri-o");
  EXPECT_EQ(found.find("container.runtime_config")->source,
            "/etc/docker/daemon.json /etc/crio/crio.conf.d/99-nvidia.conf");
  EXPECT_THAT(found.children("container.mounted"), IsEmpty());
  EXPECT_EQ(found.find("container.image_cuda")->presence, Presence::absent);
}

TEST(Container, ARuntimeOfNvidiasIsMoreThanAMention) {
  const auto configured = [](const std::string& file, const std::string& text) {
    FakeTree tree;
    tree.file(file, text);
    return container_of(tree).value("container.runtime_config");
  };
  const std::string docker = "/etc/docker/daemon.json";
  EXPECT_EQ(configured(docker, "{\"default-runtime\": \"nvidia\"}"), "docker");
  EXPECT_EQ(
      configured(docker, "{\"runtimes\": {\"gpu\": {\"path\": \"/usr/bin/nvidia-container-runtime\"}}}"),
      "docker");
  EXPECT_EQ(
      configured(docker, "{\"registry-mirrors\": [\"https://nvidia.example\"], \"runtimes\": {\"runc\": 1}}"),
      "");
  EXPECT_EQ(configured(docker, "{\"runtimes\": {\"nvidia\""), "") << "cut short";
  EXPECT_EQ(configured(docker, std::string(100000, '[')), "");
  const std::string containerd = "/etc/containerd/config.toml";
  EXPECT_EQ(configured(containerd, "[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.nvidia]\n"),
            "containerd");
  EXPECT_EQ(configured(containerd, "  BinaryName = \"/usr/bin/nvidia-container-runtime\"\n"), "containerd");
  EXPECT_EQ(configured("/etc/containerd/conf.d/99-nvidia.toml", "default_runtime_name = \"nvidia\"\n"),
            "containerd");
  EXPECT_EQ(configured(containerd, "endpoint = [\"https://nvidia.example\"]\n#[runtimes.nvidia]\n"), "");
}

TEST(Container, WithoutPackagesTheLibraryTellsTheVersion) {
  FakeTree tree;
  tree.file("/usr/lib64/libnvidia-container.so.1.16.2", "");
  tree.link("/usr/lib64/libnvidia-container.so.1", "libnvidia-container.so.1.16.2");
  EXPECT_EQ(container_of(tree).value("container.toolkit_version"), "1.16.2");
}

TEST(Container, InsideWhatTheHostMountedInIsTold) {
  FakeTree tree;
  tree.file("/proc/1/cgroup", "0::/kubepods.slice/x\n");
  tree.file("/proc/self/mountinfo",
            "1 0 0:1 / / rw - overlay overlay rw\n"
            "2 1 8:1 /x /usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06 ro,nosuid - ext4 /dev/sda1 rw\n"
            "3 1 8:1 /x /usr/bin/nvidia-smi ro - ext4 /dev/sda1 rw\n"
            "4 1 8:1 /x /data/libcudnn.so.9 ro - ext4 /dev/sda1 rw\n"
            "5 1 0:5 /nvidia0 /dev/nvidia0 ro - devtmpfs udev rw\nshort line\n");
  const Inventory found = container_of(tree, {{"NVIDIA_DRIVER_CAPABILITIES", "compute,utility"},
                                              {"NVIDIA_VISIBLE_DEVICES", "all"},
                                              {"NVIDIA_REQUIRE_CUDA", "cuda>=12.8 brand=tesla,driver>=535"},
                                              {"CUDA_VERSION", "12.8.1"}});
  EXPECT_EQ(found.value("container.kind"), "kubernetes");
  EXPECT_THAT(found.children("container.mounted"), ElementsAre("0", "1", "2"));
  EXPECT_EQ(found.value("container.mounted.0"), "/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06");
  EXPECT_EQ(found.value("container.mounted.1"), "/usr/bin/nvidia-smi");
  EXPECT_EQ(found.value("container.mounted.2"), "/dev/nvidia0");
  EXPECT_EQ(found.value("container.driver_capabilities"), "compute,utility");
  EXPECT_EQ(found.value("container.visible_devices"), "all");
  EXPECT_EQ(found.value("container.require"), "cuda>=12.8 brand=tesla,driver>=535");
  EXPECT_EQ(found.value("container.image_cuda"), "12.8.1");
}

TEST(Container, AnEmptyMachineAndAnUnreadableOne) {
  const Inventory none = container_of(FakeTree());
  EXPECT_EQ(none.value("container.kind"), "none");
  EXPECT_EQ(none.find("container.toolkit_version")->presence, Presence::absent);
  EXPECT_EQ(none.find("container.runtime_config")->presence, Presence::absent);
  FakeTree tree;
  tree.link("/etc/docker/daemon.json", "daemon.json");
  ASSERT_TRUE(container_of(tree).unreadable("container.runtime_config"));
  EXPECT_EQ(container_of(tree).find("container.runtime_config")->source, "/etc/docker/daemon.json");
}

TEST(Container, HostileMountsAreCounted) {
  FakeTree tree;
  tree.file("/.dockerenv", "");
  std::string mounts;
  for (int i = 0; i < 1000; ++i) mounts += fmt::format("1 1 1:1 / /usr/bin/nvidia-{} ro\n", i);
  tree.file("/proc/self/mountinfo", mounts + std::string(100000, '\0') + std::string(100000, ' '));
  EXPECT_EQ(container_of(tree).children("container.mounted").size(), 100U);
}

}  // namespace
}  // namespace gpugauge::stack
