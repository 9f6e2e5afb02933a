// A JSON document as a value: null, boolean, number, text, array or object, whose keys are sorted.
//
//   Json result = {{"name", "tf32"}, {"shape", {3, 4}}, {"rows", Json::array()}};
//   result["rows"].push_back(1.5);
//   std::cout << result.dump(2);
//
// A braced list whose elements are all pairs that begin with a text is an object, any other an
// array. A library reads and writes the text, in json.cpp alone: its header takes seconds to
// compile.
#ifndef MATPREC_SRC_IO_JSON_H_
#define MATPREC_SRC_IO_JSON_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace matprec::io {

// The text is no JSON, or a value is not what was asked for.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Json {
 public:
  enum class Kind : std::uint8_t { kNull, kBoolean, kInteger, kReal, kText, kArray, kObject };

  Json();
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  Json(std::nullptr_t) : Json() {}  // NOLINT: a document is written as a braced list
  Json(double number);              // NOLINT
  Json(std::string_view text);      // NOLINT
  Json(const std::string& text) : Json(std::string_view(text)) {}  // NOLINT
  Json(const char* text) : Json(std::string_view(text)) {}         // NOLINT
  Json(std::initializer_list<Json> list);                          // NOLINT
  template <std::integral T>
  Json(T value)  // NOLINT
      : Json(std::same_as<T, bool> ? Kind::kBoolean : Kind::kInteger,
             static_cast<std::int64_t>(value)) {}
  template <class T>
  Json(const std::vector<T>& list) : Json(Kind::kArray, 0) {  // NOLINT
    for (const T& value : list) push_back(value);
  }

  static Json array(std::initializer_list<Json> list = {});
  static Json object();
  // Integers beyond int64 are read as doubles. Errors: no JSON, or nested deeper than 100.
  static Json parse(std::string_view text);
  // On one line, or with this indentation. What is no UTF-8 becomes U+FFFD; `ascii` escapes the
  // rest.
  std::string dump(int indent = -1, bool ascii = false) const;

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_boolean() const { return kind_ == Kind::kBoolean; }
  bool is_integer() const { return kind_ == Kind::kInteger; }
  bool is_real() const { return kind_ == Kind::kReal; }
  bool is_number() const { return is_integer() || is_real(); }
  bool is_text() const { return kind_ == Kind::kText; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_object() const { return kind_ == Kind::kObject; }

  // Errors: it is something else. A number is an integer or a real one.
  bool boolean() const;
  std::int64_t integer() const;
  double number() const;
  const std::string& text() const;

  // The values of an array, or of an object in the order of its keys.
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  const Json* begin() const { return values_.data(); }
  const Json* end() const { return values_.data() + values_.size(); }
  const std::vector<std::string>& keys() const { return keys_; }

  // Of an object. nullptr if there is no such key.
  const Json* find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  // Errors: there is no such key or index.
  const Json& operator[](std::string_view key) const;
  const Json& operator[](std::size_t index) const;
  Json& operator[](std::size_t index);
  const Json& back() const { return (*this)[size() - 1]; }
  // Makes the key, and an object of null.
  Json& operator[](std::string_view key);
  // What stands under the key, or `absent`. Errors: it is of another kind.
  std::string value_or(std::string_view key, const char* absent) const;
  template <std::integral T>
  T value_or(std::string_view key, T absent) const {
    const Json* found = find(key);
    if (found == nullptr) return absent;
    return static_cast<T>(std::same_as<T, bool> ? found->boolean() : found->integer());
  }

  // Makes an array of null.
  void push_back(Json value);

  // Integers equal the reals of the same value.
  friend bool operator==(const Json& a, const Json& b);
  friend std::ostream& operator<<(std::ostream& stream, const Json& json);

 private:
  Json(Kind kind, std::int64_t integer);
  [[noreturn]] void fail(const std::string& expected) const;

  Kind kind_ = Kind::kNull;
  std::int64_t integer_ = 0;  // also a boolean
  double real_ = 0;
  std::string text_;
  std::vector<Json> values_;
  std::vector<std::string> keys_;
};

}  // namespace matprec::io

#endif  // MATPREC_SRC_IO_JSON_H_
