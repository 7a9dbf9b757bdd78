// Where a round is stored: under a name that no other process uses.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "result/launcher.hpp"

namespace gpugauge::conductor {

/// True for an existing folder, and for a path that ends with '/'.
bool names_a_folder(const std::filesystem::path& asked);

/// The file for the round `id` of this `host`, by what the user asked for:
///
/// | asked    | alone                     | one of several ranks                    |
/// | -------- | ------------------------- | --------------------------------------- |
/// | nothing  | <runs_folder>/<id>.json   | <runs_folder>/<id>.<host>.rank3.json    |
/// | a folder | <folder>/<host>/<id>.json | <folder>/<host>/<id>.rank3.json         |
/// | a file   | that file                 | x.<host>.rank3.json for x.json          |
///
/// Ranks get suffixes because all of them are given the same name.
std::filesystem::path place_of_round(const std::filesystem::path& runs_folder, const std::string& id,
                                     const std::filesystem::path& asked, const std::string& host,
                                     const std::optional<result::Rank>& rank);

}  // namespace gpugauge::conductor
