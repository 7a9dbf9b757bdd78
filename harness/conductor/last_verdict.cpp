// Writes and reads the last verdicts kept in the state folder.
#include "conductor/last_verdict.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>

#include "baseline/kept_file.hpp"
#include "baseline/patient_lock.hpp"
#include "report/stored_verdict.hpp"
#include "result/build.hpp"
#include "result/device_kind.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/object_reader.hpp"
#include "result/temporary_file.hpp"
#include "result/time.hpp"
#include "run/identity.hpp"
#include "run/runner.hpp"
#include "stack/now.hpp"

namespace gpugauge::conductor {
namespace {

namespace fs = std::filesystem;

/// No verdict is larger; a larger file is not ours.
constexpr std::size_t largest_file = std::size_t{4} << 20;
constexpr std::size_t longest_version = 40;

std::vector<judge::SeenGpu> seen(const stack::MachineNow& now) {
  std::vector<judge::SeenGpu> out;
  out.reserve(now.gpus.size());
  for (const stack::KernelGpu& gpu : now.gpus) out.push_back({gpu.address, gpu.uuid, gpu.name});
  return out;
}

/// File name for a device: "GPU-..." unchanged; other names without characters that file names must not
/// contain.
std::string file_name(std::string device) {
  for (char& c : device) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return device + ".json";
}

/// The file that holds the verdict of a device.
fs::path file_of(const fs::path& state, const judge::StoredVerdict& verdict) {
  return state / "verdicts" / file_name(verdict.device);
}

/// The text to keep: the verdict, and the machine as it is `now`.
std::string text_of(judge::StoredVerdict verdict, const stack::MachineNow& now) {
  verdict.finished = result::utc_now_milliseconds();
  verdict.driver_version = now.driver_version;
  verdict.container = now.container;
  verdict.gpus = seen(now);
  return report::to_json(verdict);
}

/// The name of a device of which only the file's name is known.
std::string label_of(const std::string& device, const stack::MachineNow& now) {
  if (result::is_host(device)) return "Host";
  if (device == "node") return "Node";
  if (result::is_links(device)) return "Links between GPUs";
  for (const stack::KernelGpu& gpu : now.gpus)
    if (gpu.uuid == device && !gpu.name.empty()) return fmt::format("{} ({})", gpu.name, device);
  return device;
}

/// "gpugauge 0.2.0 (1234abcd)" where another version wrote this; "" where this one did, or it does not tell.
std::string other_writer(const std::string& text, const std::string& origin) {
  try {
    const nlohmann::json root = result::parse_json(text, origin);
    const auto version = root.at("gpugauge").get<std::string>();
    const auto commit = root.at("commit").get<std::string>();
    if (version == result::build().version && commit == result::build().commit) return "";
    return fmt::format("gpugauge {} ({})", result::one_line(version, longest_version),
                       result::one_line(commit, longest_version));
  } catch (const std::exception&) {
    return "";
  }
}

/// Throws result::FormatError for a damaged file, and one of another version's format, and says what to do.
judge::StoredVerdict read_verdict(const fs::path& file) {
  const std::string text = result::read_file(file, largest_file);
  try {
    return report::parse_stored_verdict(text, file.string());
  } catch (const result::FormatError& error) {
    if (const std::string writer = other_writer(text, file.string()); !writer.empty())
      throw result::FormatError(fmt::format(
          "{}; {} wrote it, and this is {} ({}), which cannot read it: ask with that version, or run `gpugauge "
          "check` again with this one",
          error.what(), writer, result::build().version, result::build().commit));
    throw result::FormatError(
        fmt::format("{}; a verdict that cannot be read says nothing of its device: run `gpugauge check` "
                    "again, which writes it anew, or remove the file",
                    error.what()));
  }
}

/// The verdict that `verdict` would replace, where that is a failure of the same boot and of the driver that is loaded.
std::optional<judge::StoredVerdict> failure_before(const fs::path& state, const judge::StoredVerdict& verdict,
                                                   const stack::MachineNow& now) {
  const fs::path file = file_of(state, verdict);
  std::error_code unknown;
  if (!fs::exists(file, unknown)) return std::nullopt;
  try {
    judge::StoredVerdict before = read_verdict(file);
    if (before.outcome.code == judge::ExitCode::regressed && before.boot_id == verdict.boot_id &&
        before.driver_version == now.driver_version)
      return before;
  } catch (const result::FormatError&) {
    // a damaged file means nothing and is overwritten
  }
  return std::nullopt;
}

/// A profile that this program does not know is neither lesser nor deeper.
bool is_lesser(const std::string& profile, const std::string& than) {
  const std::vector<std::string> deeper = run::profiles_deeper_than(profile);
  return std::find(deeper.begin(), deeper.end(), than) != deeper.end();
}

/// Keeps other checks from the folder of verdicts while one reads what it would replace, and writes. A folder that cannot be
/// made or opened is not locked: writing then says what is wrong.
class Alone {
 public:
  explicit Alone(const fs::path& state) {
    const fs::path folder = state / "verdicts";
    baseline::refuse_links_in_state(folder);
    std::error_code error;
    fs::create_directories(folder, error);
    folder_ = result::Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder_.get() >= 0) baseline::lock_patiently(folder_.get(), folder);
  }

 private:
  result::Descriptor folder_{-1};
};

}  // namespace

std::optional<std::string> keep_verdict(const fs::path& state, const report::DeviceReport& device,
                                        const Narrowed& narrowed, const stack::GpuReport& gpus,
                                        const stack::MachineNow& now) {
  if (device.interrupted && device.outcome.code != judge::ExitCode::regressed) return std::nullopt;
  judge::StoredVerdict verdict = report::stored_verdict(device);
  verdict.narrowed = narrowed;
  const judge::ExitCode code = device.outcome.code;
  const Alone alone(state);
  const auto before = failure_before(state, verdict, now);
  const bool failed = code == judge::ExitCode::regressed;
  const bool says_less = !narrowed.empty() || code == judge::ExitCode::cannot_judge;
  // A failure that a lesser profile finds must not take the place of a deeper one's, which its pass would then clear.
  if (before && (is_lesser(verdict.profile, before->profile) || (!failed && says_less)))
    return before->profile;
  for (const stack::Gpu& gpu : gpus.gpus) {
    if (gpu.uuid != device.selection) continue;
    verdict.index = gpu.index;
    verdict.address = gpu.pci_bus_id;
  }
  baseline::keep_file(file_of(state, verdict), text_of(verdict, now));
  return std::nullopt;
}

void keep_node_verdict(const fs::path& state, const report::Report& report, bool all,
                       const stack::MachineNow& now) {
  judge::StoredVerdict verdict;
  verdict.device = "node";
  verdict.label = "Node";
  verdict.boot_id = run::boot_id();
  verdict.started = result::utc_now_milliseconds();
  verdict.version = result::build().version;
  verdict.commit = result::build().commit;
  verdict.word = "pass";
  verdict.outcome = {judge::ExitCode::pass, "pass: a GPU is usable"};
  if (!report.gpu_explanation.empty()) {
    verdict.word = "cannot judge";
    verdict.outcome = {judge::ExitCode::cannot_judge, "no usable GPU: " + report.gpu_explanation};
  }
  for (const judge::Verdict& expected : report.node) {
    ++verdict.counts[std::string(to_string(expected.kind))];
    if (expected.kind != judge::VerdictKind::failed) continue;
    verdict.word = "failed";
    verdict.outcome = {judge::ExitCode::regressed, "failed: " + expected.reason, true,
                       judge::VerdictKind::failed};
  }
  const judge::ExitCode code = verdict.outcome.code;
  const bool covers = code == judge::ExitCode::regressed || (code == judge::ExitCode::pass && all);
  const Alone alone(state);
  if (!covers && failure_before(state, verdict, now)) return;
  baseline::keep_file(file_of(state, verdict), text_of(verdict, now));
}

std::vector<judge::Kept> kept_verdicts(const fs::path& state, const std::string& root) {
  const fs::path folder = state / "verdicts";
  baseline::refuse_links_in_state(folder);
  std::vector<judge::Kept> out;
  std::error_code error;
  if (!fs::exists(folder, error)) {
    if (error)
      throw result::FileError(fmt::format("{} could not be read: {}", folder.string(), error.message()));
    return out;
  }
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  if (error)
    throw result::FileError(fmt::format("{} could not be read: {}", folder.string(), error.message()));
  std::sort(files.begin(), files.end());
  const stack::MachineNow now = stack::machine_now(root);
  for (const fs::path& file : files) {
    judge::Kept kept;
    baseline::refuse_links_in_state(file);
    try {
      kept.verdict = read_verdict(file);
    } catch (const std::runtime_error& fault) {
      // A device that cannot be told of must not hide the others.
      kept.verdict.device = file.stem().string();
      kept.verdict.label = label_of(kept.verdict.device, now);
      kept.unreadable = fault.what();
      out.push_back(std::move(kept));
      continue;
    }
    if (now.container.empty() && kept.verdict.container.empty())
      for (const stack::FileChange& change : stack::changed_files(kept.verdict.stack, root))
        kept.changed.push_back(fmt::format("{} {} then, {} now", change.name, change.then, change.now));
    out.push_back(std::move(kept));
  }
  return out;
}

judge::Present present_now(const std::string& root) {
  const stack::MachineNow now = stack::machine_now(root);
  judge::Present out;
  out.boot_id = run::boot_id(root);
  out.unix_seconds =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  out.nvidia = now.nvidia;
  out.gpus_listed = now.gpus_listed;
  out.gpus = seen(now);
  for (const stack::KernelGpu& gpu : now.gpus)
    if (gpu.instances) out.instances[gpu.address] = *gpu.instances;
  out.driver_version = now.driver_version;
  return out;
}

}  // namespace gpugauge::conductor
