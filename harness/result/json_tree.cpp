// Reads foreign JSON into a tree. With a callback, nlohmann's own parser rescans a whole array after each
// object in it. A megabyte of small objects took it one minute. This parser touches every value once.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "result/object_reader.hpp"

namespace gpugauge::result {
namespace {

using nlohmann::json;

/// Our own files nest at most ten deep. The limit protects recursive code from nesting thousands deep.
constexpr std::size_t depth_most = 64;

/// Builds the tree from the parser's events; the first fault throws FormatError.
class TreeBuilder final : public json::json_sax_t {
 public:
  TreeBuilder(json& root, const std::string& origin, std::size_t size)
      : root_(root), origin_(origin), size_(size) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string& /*digits*/) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(json::binary_t& /*value*/) override { return false; }  // does not occur in JSON text

  bool start_object(std::size_t /*unknown*/) override { return open(json::value_t::object); }
  bool start_array(std::size_t /*unknown*/) override { return open(json::value_t::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    check_depth();
    const auto [member, added] = open_.back()->get_ref<json::object_t&>().emplace(name, nullptr);
    if (!added) refuse(fmt::format("the key {} stands twice in one object", quoted(name)));
    member_ = &member->second;
    return true;
  }

  bool parse_error(std::size_t byte, const std::string& /*token*/, const json::exception& error) override {
    if (dynamic_cast<const json::out_of_range*>(&error) != nullptr)
      refuse("not JSON that can be read (a number is out of range)");
    if (byte >= size_)
      refuse(fmt::format("the JSON ends too early, after {} bytes: the file is truncated", size_));
    refuse(fmt::format("not JSON at byte {}", byte));
  }

 private:
  [[noreturn]] void refuse(const std::string& fault) const { Place{origin_, ""}.refuse(fault); }

  void check_depth() const {
    if (open_.size() > depth_most) refuse(fmt::format("nested deeper than {} levels", depth_most));
  }

  /// Inserts a value where the next one belongs. Pointers in `open_` stay valid: only the innermost container
  /// grows.
  json& place(json value) {
    check_depth();
    if (open_.empty()) return root_ = std::move(value);
    if (open_.back()->is_object()) return *member_ = std::move(value);
    return open_.back()->get_ref<json::array_t&>().emplace_back(std::move(value));
  }
  bool add(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json::value_t kind) {
    open_.push_back(&place(json(kind)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  json& root_;
  const std::string& origin_;
  std::size_t size_;
  std::vector<json*> open_;  ///< the arrays and objects around the next value, innermost last
  json* member_ = nullptr;   ///< where the last key's value belongs
};

}  // namespace

json parse_json(const std::string& text, const std::string& origin) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    Place{origin, ""}.refuse("the file is empty; it should hold a JSON object");
  json root;
  TreeBuilder builder(root, origin, text.size());
  json::sax_parse(text, &builder);
  return root;
}

}  // namespace gpugauge::result
