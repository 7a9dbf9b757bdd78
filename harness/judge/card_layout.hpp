// Whether a card is divided (MIG) as it was when a verdict was kept.
#pragma once

#include <string>
#include <vector>

#include "judge/standing.hpp"

namespace gpugauge::judge {

/// What the verdict is of: the links between GPUs, a GPU or an instance of one, an instance.
bool of_links(const StoredVerdict& verdict);
bool of_gpu(const StoredVerdict& verdict);       ///< as above
bool of_instance(const StoredVerdict& verdict);  ///< as above

/// Where a later check of this card's address measured an instance instead of the whole, or the whole instead of an
/// instance: that; else "".
std::string measured_otherwise(const std::vector<Kept>& all, const StoredVerdict& verdict);

/// Where the kernel shows that a whole card is split now, or that an instance's card is not: that; else "".
std::string divided_otherwise(const Present& now, const StoredVerdict& verdict);

}  // namespace gpugauge::judge
