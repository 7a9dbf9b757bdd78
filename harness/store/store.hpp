// The history: runs of many nights and nodes in one database, SQLite in a file or PostgreSQL.
// Built where SOCI is installed; elsewhere `open` says how to get it (absent.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "judge/judge_peers.hpp"
#include "result/error.hpp"
#include "store/record.hpp"

namespace gpugauge::store {

/// A device on a node.
struct Device {
  std::int64_t id = 0;   ///< the store's own number
  std::string node;      ///< "" = unnamed
  std::string identity;  ///< UUIDs, or "host"
};

/// A metric that the store knows.
struct Metric {
  std::int64_t id = 0;   ///< the store's own number
  judge::PeerForm form;  ///< `judged`: it counts in at least one run of the store
};

/// The value of one metric in one run.
struct Point {
  std::string started;           ///< UTC, RFC 3339
  std::string run_id;            ///< result::Run::id
  std::string profile;           ///< Record::profile
  std::int64_t fingerprint = 0;  ///< for Store::fingerprint
  double median = 0;             ///< over the processes, in the metric's unit
};

/// What one run tells of one part of the health of its GPUs.
struct HealthPoint {
  std::string subject;                               ///< "health/memory", as judge_gpu_health names it
  std::string started;                               ///< UTC, RFC 3339
  std::string run_id;                                ///< result::Run::id
  judge::VerdictKind kind = judge::VerdictKind::ok;  ///< ok, failed or inconclusive
  std::string reason;                                ///< a sentence; "" where it is ok
};

/// Runs that started in [since, until[; each is a day or an RFC 3339 time in UTC, "" = no bound.
struct Span {
  std::string since;  ///< the first time in the span
  std::string until;  ///< the first time after the span
};

/// One line of an export.
struct Row {
  std::string started,             ///< Record::started
      node,                        ///< Device::node
      device,                      ///< Device::identity
      run_id,                      ///< result::Run::id
      profile,                     ///< Record::profile
      source;                      ///< Record::source
  int round = 1;                   ///< 1, or the number of the repeated round
  const Metric* metric = nullptr;  ///< points into the metrics that each_row was given; never null
  double median = 0;               ///< over the processes, in the metric's unit
  std::string values;              ///< of the processes, a JSON array of numbers
};

/// A night together with the nights before it, back to one with at least half as many devices. A smaller
/// night is only a retest of a few devices.
struct WiderNight {
  std::string days;  ///< in the format of Store::night: from the earliest of `added`; "" if there is none
  /// One run per device that was measured in those nights but not in this one. Hosts only if the night has
  /// hosts, GPUs only if it has GPUs. Without values and facts, and labelled as the night would label it.
  std::vector<judge::PeerRound> added;
};

/// The newest night of a store.
struct NewestNight {
  std::string days;       ///< in the format of Store::night; "" if the store holds no run
  std::size_t later = 0;  ///< runs left out because they are dated after the allowed time
  std::string source{};   ///< Record::source of the latest run left out
  std::string started{};  ///< start of that run
};

/// What ingest() did with a record.
enum class Outcome {
  stored,
  known,    ///< the store already holds these bytes
  changed,  ///< the store has a run of this id with other content: one of the two files was changed
  /// Nobody stated the record's node, and the stored runs under its folder's name belong to another machine
  /// (judge::are_two_machines). So do, for a host without a name, the stored unnamed runs.
  other_machine,
  refused,  ///< the database rejects the content
};

/// Receives a run without its values, and its facts.
using TakeFacts = std::function<void(const judge::PeerRound& round, const result::Fingerprint& facts)>;

/// Permitted use of a store: a reader neither makes nor changes one.
enum class Access { reading, writing };

/// An older version of GPUGauge wrote the store, and it may not be upgraded now.
class OlderStore : public result::UsageError {
  using UsageError::UsageError;
};

class Database;
class Ids;

/// An open history. Not thread-safe; several processes may use one database.
class Store {
 public:
  /// `location`: a file, or "postgresql://user@host/database" (check_location). Access::writing creates a
  /// missing store and upgrades an older schema. Access::reading needs only the right to read.
  /// Throws result::UsageError if there is no store to read, the database is something else, or support is
  /// not built. Throws it too for a schema newer than this version, or too old to read. Throws
  /// result::FileError if the database fails or holds content that no version writes; so does every query
  /// below. No message contains a password.
  static Store open(const std::string& location, Access access);
  Store(Store&&) noexcept;             ///< The moved-from store may only be destroyed or assigned to.
  Store& operator=(Store&&) noexcept;  ///< Closes what was open here; then as above.
  ~Store();

  /// Stores the records in one transaction: all or none. A new store is removed if it never held a record. If
  /// `refusals` is given and the database rejects a record, each record gets its own transaction. `refusals`
  /// then receives the database's message by record index. Returns the outcome per record, in order. Several
  /// processes may ingest at once. Throws result::FileError.
  std::vector<Outcome> ingest(const std::vector<Record>& records,
                              std::map<std::size_t, std::string>* refusals = nullptr);

  /// Call after `values` metric values were stored, after the last of them. PostgreSQL reads all values to
  /// answer for one night until it has analysed the table, which it does by itself only minutes later. This
  /// call asks for the analysis if `values` are at least a tenth of all, and this role may ask. Throws
  /// result::FileError; what was stored stays.
  void count_rows(std::size_t values);

  /// The hash of every stored run: those files need not be read again.
  std::set<std::string> content_hashes();

  std::vector<Device> devices();  ///< by node, then identity
  std::vector<Metric> metrics();  ///< by key
  /// First rounds only, oldest first. A repeated round measures only what is in doubt, which would bias a
  /// series.
  std::vector<Point> series(const Device& device, const Metric& metric, const Span& span);
  /// The series of every metric of a device, by the metric's id.
  std::map<std::int64_t, std::vector<Point>> all_series(const Device& device, const Span& span);
  /// What the runs of a device tell of its GPUs' health, repeated rounds included: by subject, then by time.
  std::vector<HealthPoint> health(const Device& device, const Span& span);
  /// How many metrics the device has in the span, at least 1. The monitor's limit depends on it.
  int watched(const Device& device, const Span& span);
  /// Stays until forget_fingerprints(). Throws result::FileError if the id does not exist: the store is
  /// damaged.
  const result::Fingerprint& fingerprint(std::int64_t id);
  /// Frees what fingerprint() has read. Call it after each of many devices: each has its own.
  void forget_fingerprints();
  /// The facts of the run with this result::Run::id; nullptr where the store has no such run.
  const result::Fingerprint* facts_of_run(const std::string& run_id);
  /// Calls `take` for every round of these devices and metrics, device by device, by time. Does nothing for
  /// an empty list. A row's metric points into `metrics`, which must outlive the call.
  void each_row(const std::vector<Device>& devices, const std::vector<Metric>& metrics, const Span& span,
                const std::function<void(const Row&)>& take);

  /// Everything the comparison of nodes needs of a night: every run that started in it, including repeated
  /// rounds. `days`: a UTC day, "2026-01-31", or the first and last day, "2026-01-31..2026-02-01"; the first
  /// may be an RFC 3339 time. `facts`, if given, is called for each run, in any order. Throws
  /// result::UsageError for an invalid night.
  judge::PeersInput night(const std::string& days, const TakeFacts& facts = {});
  /// The night of the newest first round. It reaches back to a pause of 6 hours, or 24 hours at most, and
  /// includes later repeated rounds. Ignores runs that started at `before` (RFC 3339, UTC) or later, unless
  /// all did: one wrong clock must not hide the other nights. "" = no bound.
  NewestNight newest_night(const std::string& before = {});
  /// Devices measured before a night but not in it. Throws like night().
  WiderNight with_night_before(const std::string& days);

  /// The store's location, without a password.
  const std::string& name() const;

 private:
  explicit Store(std::unique_ptr<Database> database);
  std::vector<Outcome> ingest_together(const std::vector<Record>& records);
  std::unique_ptr<Database> database_;
  std::unique_ptr<Ids> ids_;             ///< ids that this process knows
  void require_metric(std::int64_t id);  ///< Throws std::out_of_range if the id does not exist.
  std::set<std::int64_t> known_metrics_;
  std::map<std::int64_t, result::Fingerprint> fingerprints_;
};

/// --store, else $GPUGAUGE_STORE, else history.sqlite in the state directory. Throws result::UsageError.
std::string default_location(const std::string& given);

/// `location` as it may be printed. A URL keeps only scheme, user, hosts with ports, database, and the
/// parameters host, port, dbname, user and sslmode. It keeps less if a password cannot be told from the rest.
/// Returns "withheld" for connection text that may hold a password.
std::string without_password(const std::string& location);

/// Replaces with "withheld", in a text of the database or command line, all that without_password removes
/// from `location`, raw or decoded. Quoted text stays only if it is no part of the location or is printed
/// with it anyway. Returns `text` unchanged if `location` hides nothing.
std::string without_secrets_of(const std::string& location, std::string text);

/// True for "host=h password=p", or a PostgreSQL URL without its "//". It is not a store, and used as a file
/// name it would write a password to disk.
bool is_connection_text(const std::string& location);

/// Throws result::UsageError for such text, without repeating it.
void check_location(const std::string& location);

}  // namespace gpugauge::store
