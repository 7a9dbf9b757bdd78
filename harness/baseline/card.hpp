// A fingerprint as far as it is about one GPU: a run on one card is not another measurement because a card
// beside it went, came, or is counted otherwise.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::baseline {

/// "2" where gpu.2.uuid is this one; nullopt where the fingerprint does not name it.
std::optional<std::string> number_of_card(const result::Fingerprint& fingerprint, const std::string& uuid);

/// The same facts without gpu.count (that of links and of the host keep it) and without what is said of other
/// cards; what is said of this one stands under the number `as`. As it was where the fingerprint does not
/// name the card, or `uuid` is none (links, the host, "").
result::Fingerprint about_card(const result::Fingerprint& fingerprint, const std::string& uuid,
                               const std::string& as);

/// Two sides of a comparison of one card each, in the numbers of `now`; both as they were where either does
/// not name its card.
std::pair<result::Fingerprint, result::Fingerprint> about_cards(const result::Fingerprint& now,
                                                                const std::string& uuid_now,
                                                                const result::Fingerprint& then,
                                                                const std::string& uuid_then);

/// UUIDs of cards that `then` names and `now` does not, where both are of one host or none is told apart.
std::vector<std::string> cards_gone(const result::Fingerprint& now, const result::Fingerprint& then);

}  // namespace gpugauge::baseline
