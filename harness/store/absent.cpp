// The store of a build without a database library.
#include <stdexcept>

#include "result/error.hpp"
#include "store/store.hpp"

namespace gpugauge::store {
namespace {

[[noreturn]] void absent() {
  throw result::UsageError(
      "this build keeps no history, since it was built without SOCI, as scripts/check builds "
      "it: build another preset, such as release, where they are installed (Debian, "
      "Ubuntu: libsoci-dev libsqlite3-dev libpq-dev)");
}

}  // namespace

class Database {};
class Ids {};

Store::Store(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::open(const std::string&, Access) {
  absent();
}
std::vector<Outcome> Store::ingest(const std::vector<Record>&, std::map<std::size_t, std::string>*) {
  absent();
}
void Store::count_rows(std::size_t) {
  absent();
}
std::vector<Device> Store::devices() {
  absent();
}
std::vector<Metric> Store::metrics() {
  absent();
}
std::vector<Point> Store::series(const Device&, const Metric&, const Span&) {
  absent();
}
std::map<std::int64_t, std::vector<Point>> Store::all_series(const Device&, const Span&) {
  absent();
}
std::vector<HealthPoint> Store::health(const Span&) {
  absent();
}
int Store::watched(const Device&, const Span&) {
  absent();
}
const result::Fingerprint& Store::fingerprint(std::int64_t) {
  absent();
}
const result::Fingerprint* Store::facts_of_run(const std::string&) {
  absent();
}
void Store::each_row(const std::vector<Device>&, const std::vector<Metric>&, const Span&,
                     const std::function<void(const Row&)>&) {
  absent();
}
judge::PeersInput Store::night(const std::string&, const TakeFacts&) {
  absent();
}
std::set<std::string> Store::content_hashes() {
  absent();
}
NewestNight Store::newest_night(const std::string&) {
  absent();
}
WiderNight Store::with_night_before(const std::string&) {
  absent();
}
const std::string& Store::name() const {
  absent();
}

}  // namespace gpugauge::store
