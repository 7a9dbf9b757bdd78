// Where a round is kept: under a name that no other process takes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "result/launcher.hpp"

namespace gpugauge::conductor {

/// True for a folder that is there, and for a path that ends with '/'.
bool names_a_folder(const std::filesystem::path& asked);

/// The file for the round `id` of this `host`:
///   asked ""         <runs_folder>/<id>.json               as one of several ranks
///   <runs_folder>/<id>.<host>.rank3.json asked a folder   <folder>/<host>/<id>.json
///   <folder>/<host>/<id>.rank3.json asked a file     that file x.<host>.rank3.json for x.json: all ranks
///   were given one name
std::filesystem::path place_of_round(const std::filesystem::path& runs_folder, const std::string& id,
                                     const std::filesystem::path& asked, const std::string& host,
                                     const std::optional<result::Rank>& rank);

}  // namespace gpugauge::conductor
