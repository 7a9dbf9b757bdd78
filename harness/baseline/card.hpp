// Reduces a fingerprint to one GPU: adding, removing or renumbering other cards must not make another
// measurement.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::baseline {

/// Returns a card's number: "2" if gpu.2.uuid is `uuid`; nullopt if the fingerprint does not name it.
std::optional<std::string> number_of_card(const result::Fingerprint& fingerprint, const std::string& uuid);

/// Returns the fingerprint without gpu.count and other cards' facts, and with this card's facts under the
/// number `as`. Unchanged if it does not name the card, or `uuid` is no GPU (links, the host, ""). Links and
/// hosts thus keep gpu.count.
result::Fingerprint about_card(const result::Fingerprint& fingerprint, const std::string& uuid,
                               const std::string& as);

/// Reduces both sides to one card each, numbered as in `now`. Both unchanged if either side does not name its
/// card.
std::pair<result::Fingerprint, result::Fingerprint> about_cards(const result::Fingerprint& now,
                                                                const std::string& uuid_now,
                                                                const result::Fingerprint& then,
                                                                const std::string& uuid_then);

/// Returns UUIDs of cards that `then` names and `now` does not. Empty if the sides are known to be different
/// hosts.
std::vector<std::string> cards_gone(const result::Fingerprint& now, const result::Fingerprint& then);

}  // namespace gpugauge::baseline
