// The history in a file: a database that another machine wrote. A build without a database library refuses
// all of them.
#include "fuzz/support/place.hpp"
#include "fuzz/support/target.hpp"
#include "store/store.hpp"

namespace gpugauge::fuzz {
namespace {

constexpr std::size_t most = 16;  // devices of which each row is asked for

void ask_all(store::Store& store) {
  store.content_hashes();
  std::vector<store::Device> devices = store.devices();
  if (devices.size() > most) devices.resize(most);
  const std::vector<store::Metric> metrics = store.metrics();
  for (const store::Device& device : devices) {
    if (!metrics.empty()) store.series(device, metrics.front(), {});
    for (const auto& [metric, points] : store.all_series(device, {}))
      for (const store::Point& point : points) require(point.median > 0, "a median that no run has");
  }
  store.each_row(devices, metrics, {}, [](const store::Row& row) {
    require(row.metric != nullptr && row.values.starts_with('['), "a row without metric or values");
  });
  if (const std::string newest = store.newest_night().days; !newest.empty()) {
    const judge::PeersInput night = store.night(newest);
    for (const judge::PeerRound& round : night.rounds) {
      require(round.fingerprint != nullptr, "a run without its facts");
      for (const auto& value : round.values)
        require(value.metric < night.metrics.size(), "a value of no metric");
    }
    store.with_night_before(newest);
  }
}

void read(std::string_view bytes) {
  static const Place place;
  place.clear();
  const std::string file = place.write("history.sqlite", bytes).string();
  accepted([&] {
    store::Store store = store::Store::open(file, store::Access::reading);
    ask_all(store);
  });
}

const Target target("store_file", read);

}  // namespace
}  // namespace gpugauge::fuzz
