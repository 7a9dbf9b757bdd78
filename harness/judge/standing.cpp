// Judges which stored verdicts still apply.
#include "judge/standing.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/card_layout.hpp"
#include "result/device_kind.hpp"
#include "result/error.hpp"
#include "result/number.hpp"
#include "result/shell_word.hpp"
#include "result/time.hpp"

namespace gpugauge::judge {
namespace {

/// Largest backward step of a machine's clock that is tolerated.
constexpr double clock_slack_seconds = 60;

bool of_unreadable_gpu(const Kept& kept) {
  return !kept.unreadable.empty() && of_gpu(kept.verdict);
}

/// Whether the verdict is on this GPU: by UUID if the kernel shows it, else by bus address. A MIG instance
/// has its GPU's address.
bool same_gpu(const SeenGpu& gpu, const std::string& device, const std::string& address) {
  if (gpu.uuid == device) return true;
  const bool unknown = gpu.uuid.empty() || device.starts_with("MIG-");
  return unknown && !address.empty() && gpu.address == address;
}

std::string name_of(const SeenGpu& gpu) {
  std::string out = "GPU at " + gpu.address;
  if (!gpu.name.empty()) out += " " + gpu.name;
  return gpu.uuid.empty() ? out : fmt::format("{} ({})", out, gpu.uuid);
}

std::string or_none(const std::string& text) {
  return text.empty() ? "none" : text;
}

class Judging {
 public:
  Judging(const std::vector<Kept>& kept, const Present& now, const StatusRequest& request)
      : kept_(kept), now_(now), request_(request) {}

  Status made() && {
    for (const std::string& word : request_.devices) add(word);
    const bool gpu_wanted = std::any_of(request_.devices.begin(), request_.devices.end(),
                                        [](const std::string& word) { return !result::is_host(word); });
    if (gpu_wanted) add_node();
    decide();
    return std::move(out_);
  }

 private:
  void add(const std::string& word) {
    if (result::is_host(word)) {
      const Kept* found = find([](const StoredVerdict& verdict) { return result::is_host(verdict.device); });
      if (found != nullptr)
        add_stored(*found);
      else
        add_ungauged(word, "Host", "was never gauged: `gpugauge check --device host` does");
    } else if (result::is_links(word)) {
      if (const Kept* found = find(of_links))
        add_stored(*found);
      else
        add_ungauged(word, "Links between GPUs", "were never gauged: `gpugauge check --device links` does");
    } else if (word == "all") {
      add_all();
    } else if (is_index(word)) {
      const Kept* found = find([&](const StoredVerdict& verdict) {
        return of_gpu(verdict) && verdict.index == result::number_in<int>(word);
      });
      if (found != nullptr)
        add_stored(*found);
      else if (const auto damaged = std::find_if(kept_.begin(), kept_.end(), of_unreadable_gpu);
               damaged != kept_.end())
        add_ungauged("gpu " + word, "GPU " + word, "has no verdict that can be read: " + damaged->unreadable);
      else if (now_.gpus_listed && result::number_in<std::size_t>(word) >= now_.gpus.size())
        add_ungauged("gpu " + word, "GPU " + word, "was never gauged, and the kernel shows no such GPU");
      else
        add_ungauged("gpu " + word, "GPU " + word,
                     fmt::format("was never gauged: `gpugauge check --device {}` does", word));
    } else {
      add_by_uuid(word);
    }
  }

  void add_by_uuid(const std::string& word) {
    const auto begins = [&](const std::string& uuid) {
      return word.size() >= least_uuid_letters && uuid.starts_with(word);
    };
    std::set<std::string> known;
    for (const Kept& one : kept_)
      if (begins(one.verdict.device)) known.insert(one.verdict.device);
    for (const SeenGpu& gpu : now_.gpus)
      if (begins(gpu.uuid)) known.insert(gpu.uuid);
    if (known.size() > 1 && !known.contains(word))
      throw result::UsageError(
          fmt::format("--device {}: more than one GPU begins so: {}", word, fmt::join(known, ", ")));
    const std::string device = known.size() == 1 ? *known.begin() : word;
    if (const Kept* found = find([&](const StoredVerdict& verdict) { return verdict.device == device; })) {
      add_stored(*found);
      return;
    }
    const auto here = std::find_if(now_.gpus.begin(), now_.gpus.end(),
                                   [&](const SeenGpu& gpu) { return gpu.uuid == device; });
    if (here != now_.gpus.end())
      add_never(*here);
    else
      add_ungauged(word, word, "was never gauged, and the kernel shows no such GPU");
  }

  void add_all() {
    if (now_.gpus_listed && now_.gpus.empty() && !any_of_this_boot()) {
      add_ungauged(
          "all", "GPUs",
          now_.nvidia
              ? "there is something of NVIDIA's here, and the kernel shows no GPU: `gpugauge doctor` says why"
              : "this machine has no NVIDIA GPU; --device host asks for the processor's verdict");
      return;
    }
    std::vector<const Kept*> gpus;
    for (const Kept& one : kept_)
      if (of_gpu(one.verdict)) gpus.push_back(&one);
    std::sort(gpus.begin(), gpus.end(), [](const Kept* a, const Kept* b) {
      return std::tie(a->verdict.index, a->verdict.device) < std::tie(b->verdict.index, b->verdict.device);
    });
    for (const Kept* one : gpus) {
      if (const std::string other = measured_otherwise(kept_, one->verdict);
          !other.empty() && !failed_in_this_boot(one->verdict))
        out_.remarks.push_back(fmt::format("{}: {}. Its last verdict is of {}.", one->verdict.label, other,
                                           one->verdict.finished));
      else if (here(one->verdict) || of_this_boot(one->verdict) || !one->unreadable.empty())
        add_stored(*one);
      else
        out_.remarks.push_back(fmt::format("{} is not in this machine; its last verdict is of {}.",
                                           one->verdict.label, one->verdict.finished));
    }
    for (const SeenGpu& gpu : now_.gpus) {
      const bool gauged = std::any_of(gpus.begin(), gpus.end(), [&](const Kept* one) {
        return same_gpu(gpu, one->verdict.device, one->verdict.address);
      });
      if (!gauged) add_never(gpu);
    }
    add_gone(gpus);
    if (const Kept* links = find(of_links)) add_stored(*links);
    if (out_.devices.empty()) add_ungauged("all", "GPUs", "none was ever gauged: `gpugauge check` does");
  }

  /// Adds GPUs that the kernel showed earlier in this boot and does not show now, if they have no verdict of
  /// their own.
  void add_gone(const std::vector<const Kept*>& gpus) {
    if (!now_.gpus_listed) return;
    std::set<std::string> said;
    for (const Kept* one : gpus) {
      if (!of_this_boot(one->verdict)) continue;
      for (const SeenGpu& gpu : one->verdict.gpus) {
        const auto is = [&](const SeenGpu& other) { return other.address == gpu.address; };
        const bool has_verdict = std::any_of(gpus.begin(), gpus.end(), [&](const Kept* other) {
          return same_gpu(gpu, other->verdict.device, other->verdict.address);
        });
        if (has_verdict || std::any_of(now_.gpus.begin(), now_.gpus.end(), is)) continue;
        if (!said.insert(gpu.address).second) continue;
        add_ungauged(gpu.uuid.empty() ? gpu.address : gpu.uuid, name_of(gpu),
                     fmt::format("was in this machine at {} and is not now", one->verdict.finished));
      }
    }
  }

  void add_node() {
    const Kept* node = find([](const StoredVerdict& verdict) { return verdict.device == "node"; });
    if (node == nullptr) return;
    const bool stands = of_this_boot(node->verdict) && node->verdict.outcome.code != ExitCode::pass;
    if (stands || !node->unreadable.empty()) add_stored(*node);
  }

  void add_stored(const Kept& kept) {
    const StoredVerdict& verdict = kept.verdict;
    const bool twice = std::any_of(out_.devices.begin(), out_.devices.end(),
                                   [&](const Standing& known) { return known.device == verdict.device; });
    if (twice) return;
    Standing made;
    made.device = verdict.device;
    made.label = verdict.label;
    if (!kept.unreadable.empty()) {
      made.word = "cannot judge";
      made.reason = kept.unreadable;
      out_.devices.push_back(std::move(made));
      return;
    }
    made.stored = verdict;
    if (const auto then = result::unix_seconds(verdict.finished))
      made.age_seconds = now_.unix_seconds - *then;
    made.against = against(kept, made.age_seconds);
    if (made.against.empty()) {
      made.code = verdict.outcome.code;
      made.word = verdict.word;
      made.reason = verdict.outcome.sentence;
      if (!verdict.narrowed.empty())
        made.reason += fmt::format("; only of {}", fmt::join(verdict.narrowed, ", "));
    } else {
      made.word = "cannot judge";
      const bool gone = of_gpu(verdict) && !here(verdict);
      const std::string profile = profile_to_ask(verdict);
      made.reason =
          gone ? fmt::format("{}; `gpugauge doctor` looks for it", fmt::join(made.against, "; "))
          : !measured_otherwise(kept_, verdict).empty()
              ? fmt::format(
                    "{}; what failed is told until the machine is started anew, or the file of {} in verdicts/ "
                    "of the state folder is removed",
                    fmt::join(made.against, "; "), verdict.device)
          : !divided_otherwise(now_, verdict).empty()
              ? fmt::format("{}; `gpugauge check` measures what is there now", fmt::join(made.against, "; "))
              : fmt::format("{}; `gpugauge check{}{}` measures again", fmt::join(made.against, "; "),
                            verdict.device == "node" ? "" : " --device " + result::shell_word(verdict.device),
                            profile.empty() ? "" : " --profile " + result::shell_word(profile));
    }
    out_.devices.push_back(std::move(made));
  }

  /// Why a verdict no longer applies, each reason by name.
  std::vector<std::string> against(const Kept& kept, std::optional<double> age) const {
    const StoredVerdict& verdict = kept.verdict;
    std::vector<std::string> out;
    if (verdict.boot_id.empty() || now_.boot_id.empty())
      out.emplace_back("whether the machine was started anew since its last verdict is not known");
    else if (!of_this_boot(verdict))
      out.emplace_back("the machine was started anew since its last verdict");
    if (of_gpu(verdict) || of_links(verdict)) {
      if (of_links(verdict) && now_.gpus_listed && verdict.gpus != now_.gpus)
        out.emplace_back("the GPUs are not those of its last verdict");
      if (of_gpu(verdict) && !here(verdict)) out.emplace_back("it is not in this machine now");
      for (const std::string& other : {measured_otherwise(kept_, verdict), divided_otherwise(now_, verdict)})
        if (!other.empty()) out.push_back(other);
      if (verdict.driver_version != now_.driver_version)
        out.push_back(fmt::format("driver {} then, {} now", or_none(verdict.driver_version),
                                  or_none(now_.driver_version)));
      out.insert(out.end(), kept.changed.begin(), kept.changed.end());
    }
    // What was found in this boot is there until a check says otherwise, and need not be found again night after night.
    if (!failed_in_this_boot(verdict)) add_age(verdict, age, out);
    if (!request_.profile.empty() && verdict.device != "node" && !failed_deeper(verdict)) {
      if (verdict.profile != request_.profile)
        out.push_back(fmt::format("its last verdict is of profile {}, and {} is asked for", verdict.profile,
                                  request_.profile));
      else if (!verdict.narrowed.empty())
        out.push_back(fmt::format("its last verdict is only of {}", fmt::join(verdict.narrowed, ", ")));
    }
    return out;
  }

  void add_age(const StoredVerdict& verdict, std::optional<double> age, std::vector<std::string>& out) const {
    if (!age)
      out.push_back("its time cannot be read: " + verdict.finished);
    else if (*age < -clock_slack_seconds)
      out.push_back(fmt::format("its last verdict is dated {}, which is in the future: is the clock right?",
                                verdict.finished));
    else if (request_.most_seconds && *age > *request_.most_seconds)
      out.push_back(fmt::format(
          "its last verdict is of {}, older than --max-age {}", verdict.finished,
          request_.most_age.empty() ? fmt::format("{:g}s", *request_.most_seconds) : request_.most_age));
  }

  bool failed_in_this_boot(const StoredVerdict& verdict) const {
    return verdict.outcome.code == ExitCode::regressed && of_this_boot(verdict);
  }

  /// The profile of the check that can take the place of this verdict; "" = any. A failure of this boot asks for its
  /// own.
  std::string profile_to_ask(const StoredVerdict& verdict) const {
    const bool own = failed_in_this_boot(verdict) && (request_.profile.empty() || failed_deeper(verdict));
    return own ? verdict.profile : request_.profile;
  }

  /// What a deeper profile found stays found: no lesser one clears it.
  bool failed_deeper(const StoredVerdict& verdict) const {
    const std::vector<std::string>& deeper = request_.deeper_profiles;
    return verdict.outcome.code == ExitCode::regressed &&
           std::find(deeper.begin(), deeper.end(), verdict.profile) != deeper.end();
  }

  void add_never(const SeenGpu& gpu) {
    add_ungauged(gpu.uuid.empty() ? gpu.address : gpu.uuid, name_of(gpu),
                 "was never gauged: `gpugauge check` does");
  }

  void add_ungauged(std::string device, std::string label, std::string reason) {
    Standing made;
    made.device = std::move(device);
    made.label = std::move(label);
    made.word = "cannot judge";
    made.reason = std::move(reason);
    if (kept_.empty() && !request_.kept_in.empty())
      made.reason += fmt::format("; no verdict is kept in {}", request_.kept_in);
    out_.devices.push_back(std::move(made));
  }

  bool here(const StoredVerdict& verdict) const {
    return !now_.gpus_listed || std::any_of(now_.gpus.begin(), now_.gpus.end(), [&](const SeenGpu& gpu) {
      return same_gpu(gpu, verdict.device, verdict.address);
    });
  }

  /// Two unknown boots do not count as the same boot.
  bool of_this_boot(const StoredVerdict& verdict) const {
    return !now_.boot_id.empty() && verdict.boot_id == now_.boot_id;
  }

  bool any_of_this_boot() const {
    return std::any_of(kept_.begin(), kept_.end(),
                       [&](const Kept& one) { return of_gpu(one.verdict) && of_this_boot(one.verdict); });
  }

  /// The newest fitting verdict.
  template <typename Fits>
  const Kept* find(const Fits& fits) const {
    const Kept* newest = nullptr;
    for (const Kept& one : kept_)
      if (fits(one.verdict) && (newest == nullptr || one.verdict.finished > newest->verdict.finished))
        newest = &one;
    return newest;
  }

  /// All devices with a verdict, without the node.
  std::string everything() const {
    const bool node = std::any_of(out_.devices.begin(), out_.devices.end(),
                                  [](const Standing& one) { return one.device == "node"; });
    if (!node) return fmt::format("all {} devices", out_.devices.size());
    const std::size_t devices = out_.devices.size() - 1;
    return devices == 1 ? "the node and its device" : fmt::format("the node and all {} devices", devices);
  }

  void decide() {
    const auto first =
        std::max_element(out_.devices.begin(), out_.devices.end(),
                         [](const Standing& a, const Standing& b) { return graver(b.code, a.code); });
    if (first == out_.devices.end()) {
      out_.outcome = {ExitCode::cannot_judge, "cannot judge: no device was asked for"};
      return;
    }
    std::vector<std::string> labels;
    for (const Standing& one : out_.devices)
      if (one.code == first->code) labels.push_back(one.label);
    const std::size_t all = out_.devices.size();
    out_.outcome = {first->code, all == 1 ? fmt::format("{}: {}", first->label, said(*first))
                                 : labels.size() == all
                                     ? fmt::format("{}: {}", first->word, everything())
                                     : fmt::format("{}: {} of {}: {}", first->word, labels.size(), all,
                                                   fmt::join(labels, ", "))};
  }

  /// Most stored sentences begin with the word, and their files do not tell which.
  static std::string said(const Standing& one) {
    return one.reason.starts_with(one.word) ? one.reason : one.word + ": " + one.reason;
  }

  const std::vector<Kept>& kept_;
  const Present& now_;
  const StatusRequest& request_;
  Status out_;
};

}  // namespace

bool is_index(const std::string& word) {
  return !word.empty() && word.size() < 6 &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Status judge_status(const std::vector<Kept>& kept, const Present& now, const StatusRequest& request) {
  return Judging(kept, now, request).made();
}

}  // namespace gpugauge::judge
