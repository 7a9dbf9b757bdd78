// A strict pull parser of JSON text, for files with tens of thousands of numbers. It reads values in place
// and builds no tree. Each fault is one sentence with file and place. It rejects what RFC 8259 does not
// allow, duplicate, missing or unknown keys, and nesting deeper than 64 levels.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "result/object_reader.hpp"

namespace gpugauge::result {

/// A key of an object, required or optional, and where its value goes: a variable of a type that
/// JsonCursor::read knows, or a function that reads it.
template <typename Target>
struct Member {
  std::string_view key;  ///< as it stands in the object; the text must live until the object is read
  bool required;         ///< an absent key is refused
  /// A reference to the caller's variable, or a function. The function is called at the value and must read
  /// it.
  Target target;
};
/// A required key. `key` and what `target` refers to must outlive the reading.
template <typename Target>
Member<Target> member(std::string_view key, Target&& target) {
  return {key, true, std::forward<Target>(target)};
}
/// An optional key: if it is absent, `target` stays as it is.
template <typename Target>
Member<Target> optional_member(std::string_view key, Target&& target) {
  return {key, false, std::forward<Target>(target)};
}

/// A position in a text, from which values are read in their order. Every read throws FormatError, naming the
/// place, for a wrong type, invalid JSON or a value out of range. Otherwise it moves the cursor past the
/// value.
class JsonCursor {
 public:
  /// `text` and `origin` must outlive the cursor. Throws FormatError for an empty text.
  JsonCursor(std::string_view text, std::string_view origin);

  /// Reads one object with its members in any order; fastest in the order given here, which is the writers'.
  /// Inlined so that each key comparison is a comparison of a few bytes.
  template <typename... Targets>
  [[gnu::always_inline]] void object(Member<Targets>... members) {
    constexpr std::size_t count = sizeof...(Targets);
    static_assert(count <= 32, "the members seen are kept in 32 bits");
    std::uint32_t seen = 0;
    bool more = open('{');
    std::uint32_t bit = 1;
    ((more && likely_key(members.key) ? void((seen |= bit, more = value_of(members))) : void(), bit <<= 1U),
     ...);
    if (more) {
      const std::array<std::string_view, count> keys{members.key...};
      while (more) {
        const std::size_t found = key(keys.data(), count);
        if ((seen >> found & 1U) != 0) twice(keys[found]);
        seen |= 1U << found;
        std::size_t i = 0;
        ((i++ == found ? void(more = value_of(members)) : void()), ...);
      }
    }
    std::size_t i = 0;
    ((members.required && (seen >> i & 1U) == 0 ? missing(members.key) : void(), ++i), ...);
  }

  /// Reads one array; read_one() must read one element.
  template <typename ReadOne>
  void elements(const ReadOne& read_one) {
    std::size_t index = 0;
    for (bool more = open('['); more; more = another(']')) {
      enter({{}, index++});
      read_one();
      --depth_;
    }
  }

  /// Reads one array into `out` and reuses its old elements: read_one(element) must set every field.
  template <typename T, typename ReadOne>
  void again(std::vector<T>& out, const ReadOne& read_one) {
    std::size_t count = 0;
    elements([&] {
      if (count == out.size()) out.emplace_back();
      read_one(out[count++]);
    });
    out.resize(count);
  }

  std::string text();  ///< escapes resolved; UTF-8 is checked
  /// Any JSON number, as the nearest double. Refuses one too large for a double; one too small becomes 0 or
  /// nearly 0.
  double number();
  bool boolean();  ///< exactly `true` or `false`; 0 and 1 are refused
  /// A whole number, written without fraction or exponent, within the type's range.
  std::int64_t integer();
  std::uint64_t unsigned_integer();  ///< a whole number as integer(), 0 or more

  void read(std::string& out);                                 ///< as text()
  void read(double& out) { out = number(); }                   ///< as number()
  void read(bool& out) { out = boolean(); }                    ///< as boolean()
  void read(std::int64_t& out) { out = integer(); }            ///< as integer()
  void read(std::uint64_t& out) { out = unsigned_integer(); }  ///< as unsigned_integer()
  void read(int& out);                                         ///< as integer(), within the type
  /// A value that is present. Use optional_member for a key that may be absent; `null` is refused.
  template <typename T>
  void read(std::optional<T>& out) {
    read(out.emplace());
  }
  /// Reads an array, each element as its type. Replaces what `out` held.
  template <typename T>
  void read(std::vector<T>& out) {
    out.clear();
    elements([&] { read(out.emplace_back()); });
  }
  /// Reads an object of texts or numbers, by name.
  template <typename T>
  void read(std::map<std::string, T>& out) {
    out.clear();
    for (bool more = open('{'); more; more = another('}')) {
      std::string name = key();
      enter({name, 0});
      T value{};
      read(value);
      if (!out.emplace(name, std::move(value)).second) twice(name);
      --depth_;
    }
  }

  /// Moves into an object, to the value of its member `wanted`; false, and behind the object, if it has none.
  /// Of what it passes over it checks only that it is JSON.
  bool to_member(std::string_view wanted);
  /// Skips a value of any kind; checks only that it is JSON.
  void skip();
  /// Skips an array of numbers and returns their count. Checks them as number() does.
  std::size_t skip_numbers();

  /// Refuses anything after the value that was read.
  void end();
  /// Throws FormatError at the place of the value being read.
  [[noreturn]] void refuse(const std::string& fault) const;
  Place place() const;  ///< of the value being read; the whole file while no object is open

 private:
  struct Segment {
    std::string_view key;  ///< null data: an index
    std::size_t index = 0;
  };
  struct Number {
    std::string_view digits;
    bool whole = false;
    std::size_t exponent = 0;  ///< how many digits the exponent has
  };
  /// Readers nest only as deep as their types; skip() limits what a file may nest.
  static constexpr std::size_t path_most = 32;

  void enter(const Segment& segment) {
    if (depth_ == path_most) throw std::logic_error("a format nested deeper than its reader allows");
    path_[depth_++] = segment;
  }
  bool open(char bracket);
  bool another(char bracket) {
    const char next = peek();
    if (next != ',' && next != bracket) syntax();
    ++at_;
    return next == ',';
  }
  std::string key();
  std::size_t key(const std::string_view* keys, std::size_t count);
  /// If `likely` is the key at the cursor, letter by letter, skips it and its colon.
  [[gnu::always_inline]] bool likely_key(std::string_view likely) {
    if (peek() != '"') syntax();
    const auto length = static_cast<std::ptrdiff_t>(likely.size());
    if (end_ - at_ <= length + 1 || at_[length + 1] != '"' ||
        std::memcmp(at_ + 1, likely.data(), likely.size()) != 0)
      return false;
    at_ += length + 2;
    expect(':');
    return true;
  }
  /// Reads a member's value; true when another member follows.
  template <typename Target>
  bool value_of(Member<Target>& member) {
    enter({member.key, 0});
    if constexpr (std::is_invocable_v<Target&>)
      member.target();
    else
      read(member.target);
    --depth_;
    return another('}');
  }
  char peek() {
    blanks();
    if (at_ == end_) syntax();
    return *at_;
  }
  void blanks() {
    if (at_ == end_ || *at_ <= ' ') skip_blanks();
  }
  void skip_blanks();
  void expect(char c) {
    if (peek() != c) syntax();
    ++at_;
  }
  void word(std::string_view letters);
  /// The string at the cursor: a view of the text if it has no escapes, else of `scratch`.
  std::string_view string(std::string& scratch);
  void escape(std::string& out);
  std::uint32_t hex4();
  void utf8();
  Number number_token();
  double to_double(const Number& number) const;
  void skip_string();
  void skip(int depth);

  [[noreturn]] void syntax() const;
  [[noreturn]] void mismatch(const char* wanted);
  [[noreturn]] void twice(std::string_view key) const;
  [[noreturn]] void missing(std::string_view key) const;

  const char* begin_;
  const char* at_;
  const char* end_;
  std::string_view origin_;
  std::array<Segment, path_most> path_;
  std::size_t depth_ = 0;
};

}  // namespace gpugauge::result
