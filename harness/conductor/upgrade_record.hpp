// The record kept between `upgrade begin` and `upgrade end`: one folder below upgrades/ in the state
// directory.
//
//   upgrade.json      this record (docs/schema/upgrade.schema.json)
//   inventory.json    the stack before, as `doctor --json` saves it; stack.lock: its lock
//   plan.json         the doctor's answer to the plan; only where there is one
//   way-back.txt      the commands that go back, to be read without this command
//   constraints.txt   pip's constraints; only where there are wheels
//   measuring/DEVICE/ rounds of the old stack until all are measured
//   old/DEVICE/       the old stack as a baseline folder, with its hashes
//   new/DEVICE/N/     rounds of the new stack in attempt N, counted from 1; older records without attempts
//                     keep their rounds in new/DEVICE/
//   returned/DEVICE/N/  rounds of the old stack again, after going back
//   stacks/N.json     the stack as attempt N found it, like inventory.json; older records have none
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::conductor {

inline constexpr std::string_view upgrade_schema = "gpugauge.upgrade/1";

/// Where an upgrade stands.
enum class UpgradeState {
  measuring,  ///< the old stack still lacks rounds
  open,       ///< the old stack is measured; the new one is awaited
  passed,     ///< closed: the new stack is no slower, and every planned change was made
  returned,   ///< closed: the machine is as it was before
  closed,     ///< closed by hand, with a reason
};
/// The word in upgrade.json: "measuring", "open", "passed", "returned", "closed".
std::string_view to_string(UpgradeState state);

/// Whose rounds an attempt measured, or a folder of the record holds.
enum class UpgradeSide {
  none,       ///< nobody's: of an attempt that measured nothing
  measuring,  ///< the old stack's, until all are measured: of a folder alone
  old_stack,  ///< the old stack's, as a baseline folder: of a folder alone
  new_stack,  ///< the new stack's
  returned,   ///< the old stack's again, after going back
};
/// The word in upgrade.json, which is the folder's name too: "none", "measuring", "old", "new", "returned".
std::string_view to_string(UpgradeSide side);
/// Reads the word of an attempt; nullopt where it is none that an attempt can have.
std::optional<UpgradeSide> side_of_attempt(std::string_view word);

/// One device of the upgrade; its folders are named by the selection.
struct UpgradeDevice {
  std::string selection;  ///< "host" or the GPU's UUID
  std::string label;      ///< for people

  bool operator==(const UpgradeDevice&) const = default;  ///< Equal in both members.
};

/// A cause other than the change itself that was found on a device and can be fixed.
struct UpgradeCause {
  std::string selection;  ///< selection of the device
  std::string cause;      ///< name in the catalogue of causes

  bool operator==(const UpgradeCause&) const = default;  ///< Equal in both members.
};

/// A cause that the old stack, measured again after the new one, named (A/B/A).
struct UpgradeFinding {
  std::string selection;  ///< selection of the device
  std::string cause;      ///< name in the catalogue of causes
  double score = 0;       ///< 0 to 1

  bool operator==(const UpgradeFinding&) const = default;  ///< Equal in every member, the score exactly.
};

/// One `upgrade end`, or several when a later one finished what an earlier one began.
struct UpgradeAttempt {
  std::string time;                      ///< UTC, RFC 3339
  UpgradeSide side = UpgradeSide::none;  ///< none, new_stack or returned
  int exit_code = 0;                     ///< judge::ExitCode of its outcome
  std::string sentence;                  ///< the verdict
  std::vector<std::string> changes;      ///< what differs from before, one sentence each
  std::vector<std::string> way_back;     ///< commands to go back, where that was advised
  bool finished = true;                  ///< every device has all requested rounds and was judged
  std::vector<UpgradeCause> causes;      ///< causes found that can be fixed without going back
  /// Of the side returned: what going back told of the change, best first on each device.
  std::vector<UpgradeFinding> findings;

  bool operator==(const UpgradeAttempt&) const = default;  ///< Equal in every member.
};

/// What upgrade.json holds.
struct UpgradeRecord {
  std::string name;                              ///< folder name
  UpgradeState state = UpgradeState::measuring;  ///< open until it is passed, returned or closed
  std::string created;                           ///< UTC, RFC 3339
  std::string who;                               ///< "root@node3"
  std::string host;                              ///< "node3", as host_here() says; "" where it is not known
  std::string machine;                   ///< machine id hash, as host_here() says; "" where it is not known
  std::string target;                    ///< --to as given; "" = no plan
  std::string root;                      ///< where the inventory was read: "/", a folder, or a file
  std::string python;                    ///< the interpreter that was read; "" where none was found
  std::string device;                    ///< --device as given
  std::string profile;                   ///< profile of every round of both sides
  std::vector<std::string> families;     ///< --family as given; empty = all that suit the device
  std::vector<std::string> only;         ///< words that narrow the benchmarks, as given; empty = all
  int rounds = 0;                        ///< rounds per side, 2 to 100
  double process_limit = 0;              ///< seconds; 0 = that of the profile
  std::vector<UpgradeDevice> devices;    ///< at least one: the devices whose old stack is measured
  std::vector<UpgradeAttempt> attempts;  ///< in the order in which they began
  std::string closed;                    ///< UTC, RFC 3339; "" while it is open
  std::string reason;                    ///< why it was closed by hand

  /// True while measuring or open. At most one upgrade is open.
  bool is_open() const { return state == UpgradeState::measuring || state == UpgradeState::open; }
  bool operator==(const UpgradeRecord&) const = default;  ///< Equal in every member.
};

/// Writes the record as JSON text.
std::string to_json(const UpgradeRecord& record);
/// Reads the JSON text; `origin` names the file in error messages. Throws result::FormatError, naming file
/// and place; unknown keys are refused. Fields that older records lack (machine, process_limit, an attempt's
/// finished, causes and findings) keep their defaults, and their host is taken from `who`.
UpgradeRecord upgrade_from_json(const std::string& text, const std::string& origin);

/// A record and its folder.
struct KeptUpgrade {
  std::filesystem::path folder;  ///< below upgrades/ in the state directory
  UpgradeRecord record;          ///< contents of its upgrade.json
};

/// Every upgrade below the state directory, oldest first. Throws like upgrade_from_json(), and
/// result::FileError where the upgrades folder exists but cannot be read.
std::vector<KeptUpgrade> list_upgrades(const std::filesystem::path& state_directory);
/// The upgrade that is not closed; nullopt where there is none.
std::optional<KeptUpgrade> open_upgrade(const std::filesystem::path& state_directory);

/// The entries of a folder, sorted; empty where there is no such folder. Throws result::FileError where it
/// cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// upgrades/ below the state directory.
std::filesystem::path upgrades_folder(const std::filesystem::path& state_directory);
/// upgrades/NAME below the state directory.
std::filesystem::path upgrade_folder(const std::filesystem::path& state_directory, const std::string& name);

/// The folder of a device's rounds of one side, which is not none.
std::filesystem::path side_folder(const KeptUpgrade& kept, UpgradeSide side, const UpgradeDevice& device);

/// Writes upgrade.json atomically: whole or not at all.
void save(const KeptUpgrade& kept);

}  // namespace gpugauge::conductor
