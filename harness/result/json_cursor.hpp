// A strict pull parser of JSON text, for files with tens of thousands of numbers: values are read where they
// stand, no tree is built, and each fault is one sentence with file and place. It refuses what RFC 8259 does
// not allow, a key that stands twice, is missing or unknown, and nesting deeper than 64 levels.
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

/// A key that an object has (or, optional, may have) and where its value goes: a variable of a type that
/// JsonCursor::read knows, or a function that reads it.
template <typename Target>
struct Member {
  std::string_view key;  ///< as it stands in the object; the text must live until the object is read
  bool required;         ///< its absence is refused
  /// A reference to the caller's variable, or the function: called at the value, which it must read.
  Target target;
};
/// A key that must be there. `key` and what `target` refers to must outlive the reading.
template <typename Target>
Member<Target> member(std::string_view key, Target&& target) {
  return {key, true, std::forward<Target>(target)};
}
/// A key that may be absent: then nothing is done to `target`.
template <typename Target>
Member<Target> optional_member(std::string_view key, Target&& target) {
  return {key, false, std::forward<Target>(target)};
}

/// A position in a text from which values are read one after another, in the order in which they stand. Every
/// read refuses (FormatError, naming the place) what is of another type, not JSON or out of range, and leaves
/// the cursor behind the value otherwise.
class JsonCursor {
 public:
  /// `text` and `origin` must outlive the cursor. Refuses (FormatError) an empty text.
  JsonCursor(std::string_view text, std::string_view origin);

  /// Reads one object, its members in any order; fastest in the order given here, which is the writers'.
  /// Inlined, so that each key is compared as the few bytes that it is.
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

  /// Reads one array into `out`, whose elements of before are used again: read_one(element) must set all of
  /// one.
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
  /// Any JSON number, as the nearest double; one too large for a double is refused, one too small is 0 or
  /// nearly so.
  double number();
  bool boolean();  ///< exactly `true` or `false`; 0 and 1 are refused
  /// Whole numbers: written without fraction or exponent, within the type.
  std::int64_t integer();
  std::uint64_t unsigned_integer();  ///< likewise, 0 or more

  void read(std::string& out);                                 ///< as text()
  void read(double& out) { out = number(); }                   ///< as number()
  void read(bool& out) { out = boolean(); }                    ///< as boolean()
  void read(std::int64_t& out) { out = integer(); }            ///< as integer()
  void read(std::uint64_t& out) { out = unsigned_integer(); }  ///< as unsigned_integer()
  void read(int& out);                                         ///< as integer(), within the type
  /// A value that is there: a key that may be absent is an optional_member, and `null` is refused.
  template <typename T>
  void read(std::optional<T>& out) {
    read(out.emplace());
  }
  /// An array, each element read as its type; what `out` held is gone.
  template <typename T>
  void read(std::vector<T>& out) {
    out.clear();
    elements([&] { read(out.emplace_back()); });
  }
  /// Text or numbers by name.
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

  /// Passes over a value of any kind; only that it is JSON is checked.
  void skip();
  /// Passes over an array of numbers and returns how many there are. They are checked as number() does.
  std::size_t skip_numbers();

  /// Refuses what follows the value that was read.
  void end();
  /// Refuses at the place of the value that is being read.
  [[noreturn]] void refuse(const std::string& fault) const;
  Place place() const;  ///< of the value that is being read: of the whole file while no object is open

 private:
  struct Segment {
    std::string_view key;  ///< empty data: an index
    std::size_t index = 0;
  };
  struct Number {
    std::string_view digits;
    bool whole = false;
    std::size_t exponent = 0;  ///< its digits
  };
  /// Readers go as deep as their types do; what a file may nest is limited by skip().
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
  /// Passes over this key and its colon where it stands at the cursor, letter by letter.
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
  /// The string at the cursor: a view of the text where it holds no escapes, else `scratch`.
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
