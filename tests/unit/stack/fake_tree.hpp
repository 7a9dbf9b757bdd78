// A temporary folder that looks like the /proc, /sys and /dev of some machine.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpugauge::stack {

class FakeTree {
 public:
  FakeTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpugauge-tree-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    root_ = pattern;
  }
  ~FakeTree() {
    std::error_code ignored;
    for (const std::string& folder : forbidden_) ::chmod(at(folder).c_str(), 0755);
    std::filesystem::remove_all(root_, ignored);
  }
  FakeTree(const FakeTree&) = delete;
  FakeTree& operator=(const FakeTree&) = delete;

  std::string root() const { return root_.string(); }
  std::filesystem::path at(const std::string& absolute) const { return root_ / absolute.substr(1); }

  void file(const std::string& absolute, const std::string& text) {
    std::filesystem::create_directories(at(absolute).parent_path());
    std::ofstream(at(absolute), std::ios::binary) << text;
  }
  void link(const std::string& absolute, const std::string& target) {
    std::filesystem::create_directories(at(absolute).parent_path());
    std::filesystem::create_symlink(target, at(absolute));
  }

  /// Takes every right on a folder or file away, until the end.
  void forbid(const std::string& absolute) {
    ::chmod(at(absolute).c_str(), 0);
    forbidden_.push_back(absolute);
  }

  /// A PCI function; the class of an H100 is a 3D controller.
  void pci(const std::string& address, const std::string& driver, const std::string& pci_class = "0x030200",
           const std::string& vendor = "0x10de") {
    const std::string folder = "/sys/bus/pci/devices/" + address;
    file(folder + "/vendor", vendor + "\n");
    file(folder + "/class", pci_class + "\n");
    file(folder + "/device", "0x2330\n");
    file(folder + "/numa_node", "1\n");
    file(folder + "/max_link_speed", "32.0 GT/s PCIe\n");
    file(folder + "/max_link_width", "16\n");
    if (!driver.empty()) link(folder + "/driver", "../../../bus/pci/drivers/" + driver);
  }
  void kernel(const std::string& release) { file("/proc/sys/kernel/osrelease", release + "\n"); }
  void kernel_modules(const std::string& release, const std::string& modules_dep) {
    file("/lib/modules/" + release + "/modules.dep", modules_dep);
  }
  void module(const std::string& version, bool open = true) {
    const char* const kind = open ? "Open Kernel Module for x86_64" : "x86_64 Kernel Module";
    file("/proc/driver/nvidia/version",
         fmt::format(
             "NVRM version: NVIDIA UNIX {}  {}  Release Build  (builder@host)  Tue Jul  8 18:22:27 UTC 2025\n"
             "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14) \n",
             kind, version));
    file("/sys/module/nvidia/version", version + "\n");
    file("/sys/module/nvidia_uvm/version", version + "\n");
  }
  void nodes(int gpus) {
    file("/dev/nvidiactl", "");
    file("/dev/nvidia-uvm", "");
    for (int i = 0; i < gpus; ++i) file("/dev/nvidia" + std::to_string(i), "");
  }
  /// Everything that a healthy machine shows.
  void healthy(int gpus = 1, const std::string& version = "580.65.06") {
    kernel("6.1.0-25-amd64");
    for (int i = 0; i < gpus; ++i) pci(fmt::format("0000:{:02x}:00.0", i + 1), "nvidia");
    module(version);
    nodes(gpus);
  }

 private:
  std::filesystem::path root_;
  std::vector<std::string> forbidden_;
};

/// Where the tests run as root: this process as the user nobody, for as long as this lives, so that rights
/// count.
class AsNobody {
 public:
  explicit AsNobody(const FakeTree& tree) {
    if (::geteuid() != 0) return;
    ::chmod(tree.root().c_str(), 0755);
    constexpr uid_t nobody = 65534;
    changed_ = ::seteuid(nobody) == 0;
  }
  ~AsNobody() {
    if (changed_ && ::seteuid(0) != 0) std::abort();
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

  bool is() const { return ::geteuid() != 0; }  ///< rights count now

 private:
  bool changed_ = false;
};

}  // namespace gpugauge::stack
