// A whole machine in a temporary folder: its file tree, its package database, its Python environment, and
// driver libraries whose answers come from a scenario. The doctor looks at it as it would at a real one.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "stack/inventory/collect.hpp"
#include "stack/rules/rules.hpp"
#include "unit/stack/fake_tree.hpp"

namespace gpugauge::stack {

/// A GPU as the fake driver shows it: what is not said here is healthy.
using Answers = std::map<std::string, std::string>;

class Machine : public FakeTree {
 public:
  /// Everything that any Linux machine shows, without NVIDIA hardware.
  Machine() {
    kernel(release);
    file("/etc/os-release",
         "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\nVERSION_ID=\"12\"\nNAME=\"Debian\"\n");
    file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 9654\nflags\t\t: fpu\n");
    file("/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro\n");
    file("/proc/meminfo", "MemTotal:       792000000 kB\n");
    file("/lib/modules/" + release + "/modules.dep", "");
    file("/var/lib/dpkg/status", "");
  }

  /// A driver of this version in the kernel and as libraries, that fits; `model` for each of `count` GPUs.
  void driver(const std::string& version, int count = 1, const std::string& model = "NVIDIA H100 80GB HBM3",
              const std::string& capability = "9.0", bool open = true) {
    healthy(count, version);
    kernel_modules(release, "updates/dkms/nvidia.ko:\n");
    libraries(version);
    answer("nvml_driver", version);
    answer("devices", std::to_string(count));
    answer("name", model);
    answer("capability", std::string{capability[0], capability[2]});
    // What a healthy card says of itself.
    answer("persistence", "1");
    answer("ecc", "1");
    answer("mig", "0");
    answer("power_limit_mw", "700000");
    answer("power_limit_default_mw", "700000");
    answer("remapped", "0 0 0 0");
    if (!open) module(version, false);
  }
  /// User-mode libraries of a version, as the distribution places them.
  void libraries(const std::string& version) {
    for (const std::string name : {"libcuda", "libnvidia-ml"}) {
      driver_library(library_folder, name, version);
    }
  }
  /// The fake library by the name of that version, so that what is opened tells its version and place.
  void driver_library(const std::string& folder, const std::string& name, const std::string& version) {
    const std::string real = folder + "/" + name + ".so." + version;
    file(real, "");
    std::filesystem::copy_file(std::string(GPUGAUGE_FAKE_DRIVER) + "/" + name + ".so.1", at(real),
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::remove(at(folder + "/" + name + ".so.1"));
    link(folder + "/" + name + ".so.1", name + ".so." + version);
  }
  void answer(const std::string& key, const std::string& value) { answers_[key] = value; }
  void gpu(int index, const std::string& key, const std::string& value) {
    answer(fmt::format("gpu.{}.{}", index, key), value);
  }
  void variable(const std::string& name, const std::string& value) { environment_[name] = value; }
  void package(const std::string& name, const std::string& version, const std::string& want = "install") {
    packages_ += fmt::format("Package: {}\nStatus: {} ok installed\nArchitecture: amd64\nVersion: {}\n\n",
                             name, want, version);
    file("/var/lib/dpkg/status", packages_);
  }
  void process(int pid, const std::string& name) {
    file(fmt::format("/proc/{}/comm", pid), name + "\n");
    file(fmt::format("/proc/{}/cmdline", pid), "/usr/bin/" + name + std::string(1, '\0'));
  }
  void kernel_log(const std::string& line) {
    log_ += "Nov 20 10:11:12 node kernel: [  100.000000] " + line + "\n";
    file("/var/log/kern.log", log_);
  }
  void toolkit(const std::string& path, const std::string& version, const std::string& cuda_h) {
    file(path + "/version.json",
         fmt::format("{{\"cuda\": {{\"name\": \"CUDA SDK\", \"version\": \"{}\"}}}}", version));
    file(path + "/include/cuda.h", "#define CUDA_VERSION " + cuda_h + "\n");
    file(path + "/bin/nvcc", "");
  }
  /// A shared library by its whole file name, with the links that its installation would make.
  void library(const std::string& folder, const std::string& name, const std::string& version) {
    file(folder + "/lib" + name + ".so." + version, "");
    const std::string soname = "lib" + name + ".so." + version.substr(0, version.find('.'));
    if (!std::filesystem::exists(std::filesystem::symlink_status(at(folder + "/" + soname))))
      link(folder + "/" + soname, "lib" + name + ".so." + version);
  }
  /// A wheel in the machine's virtual environment.
  void wheel(const std::string& name, const std::string& version, const std::string& metadata = "") {
    if (!std::filesystem::exists(at("/opt/venv/pyvenv.cfg"))) {
      file("/opt/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
      file("/opt/venv/bin/python3", "");
      variable("VIRTUAL_ENV", "/opt/venv");
    }
    std::string folder = name;
    std::replace(folder.begin(), folder.end(), '-', '_');
    file(fmt::format("{}/{}-{}.dist-info/METADATA", site, folder, version),
         fmt::format("Metadata-Version: 2.1\nName: {}\nVersion: {}\n{}", name, version, metadata));
  }

  Inventory inventory() const {
    const auto answers = at("/scenario");
    std::ofstream stream(answers);
    for (const auto& [key, value] : answers_) stream << key << '=' << value << '\n';
    stream.close();
    Context context;
    context.tree = Tree(root());
    context.environment = environment_;
    context.timeout_seconds = limit_seconds;
    if (!answers_.empty()) {
      std::string path = at(library_folder).string();
      if (const auto given = value_of(environment_, "LD_LIBRARY_PATH"))
        path = at(*given).string() + ":" + path;
      context.driver_command = {"/usr/bin/env", "-i", "GPUGAUGE_FAKE_SCENARIO=" + answers.string(),
                                "LD_LIBRARY_PATH=" + path};
      for (const auto& [name, value] : environment_)
        if (name != "LD_LIBRARY_PATH") context.driver_command.push_back(fmt::format("{}={}", name, value));
      context.driver_command.insert(context.driver_command.end(), {GPUGAUGE_PROBE_CHILD, "inventory"});
    }
    return collect(context);
  }
  Findings findings(Policy policy = Policy::development) const {
    const Inventory found = inventory();
    return diagnose_stack({found, tables(), policy, "2026-11-21"});
  }

  double limit_seconds = 20;  ///< for the child that asks the driver
  inline static const std::string release = "6.1.0-25-amd64";
  inline static const std::string library_folder = "/usr/lib/x86_64-linux-gnu";
  inline static const std::string site = "/opt/venv/lib/python3.11/site-packages";

 private:
  Answers answers_;
  Environment environment_;
  std::string packages_;
  std::string log_;
};

/// "failure umd_kmd_mismatch" and so on, without the notes.
inline std::vector<std::string> above_a_note(const Findings& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings)
    if (finding.severity != Severity::note)
      out.push_back(std::string(to_string(finding.severity)) + " " + finding.cause);
  return out;
}

/// Everything that a finding says, for messages of tests.
inline std::string whole_text(const Findings& findings) {
  std::string out;
  for (const Finding& finding : findings) {
    out += fmt::format("{} {}: {}\n  {}\n", to_string(finding.severity), finding.cause, finding.title,
                       finding.explanation);
    for (const std::string& line : finding.evidence) out += "  seen " + line + "\n";
    for (const std::string& line : finding.next) out += "  next " + line + "\n";
  }
  return out;
}

}  // namespace gpugauge::stack
