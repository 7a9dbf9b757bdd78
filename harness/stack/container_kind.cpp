// Whether this process is in a container, and of which kind. With control groups of version 2 and a name space
// of their own (containerd, CRI-O) the groups tell nothing, so mounts and marks are asked, too.
#include <algorithm>
#include <array>

#include "stack/hardware.hpp"
#include "stack/inventory/lines.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t mounts_limit = std::size_t{16} << 20;

/// True if the path resolves. A path in a folder that may not be entered is no evidence of anything.
bool is_there(const Tree& tree, const char* path) {
  return !tree.resolve(path).empty();
}

/// A line of /proc/self/mountinfo.
struct Mount {
  std::string_view inside;  ///< the folder or file of that file system which is mounted
  std::string_view at;
  std::string_view options;  ///< of the file system: "rw,lowerdir=..."
};

template <typename Function>
void for_each_mount(std::string_view text, const Function& function) {
  for_each_line(text, [&](std::string_view line) {
    const auto words = words_of(line);
    if (words.size() > 6) function(Mount{words[3], words[4], words.back()});
  });
}

struct Storage {
  std::string_view words;
  const char* kind;
};

/// Where engines keep the root file systems and small files of containers. An overlay alone proves nothing: so
/// are the roots of live systems, of diskless nodes and of composefs.
constexpr std::array storages{Storage{"/containers/storage/", "podman"},
                              Storage{"/containerd/", "containerd"},
                              Storage{"/nerdctl/", "containerd"},
                              Storage{"/docker/", "docker"},
                              Storage{"/enroot", "enroot"},
                              Storage{"/pyxis_", "enroot"},
                              Storage{"/apptainer/", "apptainer"},
                              Storage{"/singularity/", "apptainer"}};

std::string kind_in(std::string_view text) {
  for (const Storage& storage : storages)
    if (mentions(text, storage.words)) return storage.kind;
  return "";
}

/// The kind by what is mounted. On the host an engine's mounts lie below its own folder, in a container over the
/// root and over files of /etc.
std::string kind_by_mounts(const Tree& tree) {
  const Reading mounts = tree.read("/proc/self/mountinfo", mounts_limit);
  std::string kind;
  bool pod = false;
  for_each_mount(mounts.text, [&](const Mount& mount) {
    const bool file =
        mount.at == "/etc/hosts" || mount.at == "/etc/resolv.conf" || mount.at == "/etc/hostname";
    pod |= mount.at == "/dev/termination-log" ||
           (mount.at == "/etc/hosts" && mount.inside.ends_with("/etc-hosts")) ||
           // On the host a kubelet mounts below its own folder, wherever that is.
           (!mentions(mount.at, "/kubelet/pods/") && !mount.at.starts_with("/var/lib/kubelet") &&
            mentions(mount.inside, "/kubelet/pods/"));
    if (!kind.empty()) return;
    if (mount.at == "/") kind = kind_in(mount.options);
    if (kind.empty() && (file || mount.at == "/") && mount.inside != "/") kind = kind_in(mount.inside);
  });
  return pod ? "kubernetes" : kind;
}

bool is_word(std::string_view text) {
  constexpr std::size_t longest = 32;
  return text.size() <= longest && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

/// The value of `container` in the environment of the first process, which engines set for systemd; "" if there
/// is none or it may not be read.
std::string kind_of_first_process(const Tree& tree) {
  std::string text = tree.read("/proc/1/environ").text;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\0', start), text.size());
    const std::string_view variable = std::string_view(text).substr(start, end - start);
    if (const auto value = after(variable, "container="))
      return is_word(*value) ? std::string(*value) : "container";
    start = end + 1;
  }
  return "";
}

}  // namespace

std::string container_kind(const Tree& tree, bool kubernetes_variable) {
  if (kubernetes_variable) return "kubernetes";
  const std::string cgroup = tree.read("/proc/1/cgroup").text;
  if (mentions(cgroup, "kubepods") || is_there(tree, "/run/secrets/kubernetes.io")) return "kubernetes";
  if (is_there(tree, "/run/.containerenv")) return "podman";
  if (is_there(tree, "/.dockerenv") || mentions(cgroup, "docker")) return "docker";
  if (mentions(cgroup, "/lxc")) return "lxc";
  // Written by systemd inside a container.
  if (const std::string systemd = tree.read("/run/systemd/container").text; !systemd.empty())
    return systemd == "wsl" ? "" : systemd;
  if (is_there(tree, "/.singularity.d")) return "apptainer";
  if (std::string mounted = kind_by_mounts(tree); !mounted.empty()) return mounted;
  const std::string first = kind_of_first_process(tree);
  return first == "wsl" ? "" : first;
}

}  // namespace gpugauge::stack
