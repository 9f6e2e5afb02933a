#include "src/io/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

namespace matprec::io {
namespace {

using Library = nlohmann::json;

constexpr int kMaxDepth = 100;  // values are copied and destroyed by recursion

Library to_library(const Json& json) {
  switch (json.kind()) {
    case Json::Kind::kNull:
      return nullptr;
    case Json::Kind::kBoolean:
      return json.boolean();
    case Json::Kind::kInteger:
      return json.integer();
    case Json::Kind::kReal:
      return json.number();
    case Json::Kind::kText:
      return json.text();
    case Json::Kind::kArray: {
      Library array = Library::array();
      for (const Json& value : json) array.push_back(to_library(value));
      return array;
    }
    case Json::Kind::kObject:
      break;
  }
  Library object = Library::object();
  for (std::size_t i = 0; i < json.size(); ++i)
    object[json.keys()[i]] = to_library(json.begin()[i]);
  return object;
}

Json from_library(const Library& json) {
  switch (json.type()) {
    case Library::value_t::boolean:
      return json.get<bool>();
    case Library::value_t::number_integer:
      return json.get<std::int64_t>();
    case Library::value_t::number_unsigned:
      if (std::in_range<std::int64_t>(json.get<std::uint64_t>())) return json.get<std::int64_t>();
      return json.get<double>();
    case Library::value_t::number_float:
      return json.get<double>();
    case Library::value_t::string:
      return json.get_ref<const std::string&>();
    case Library::value_t::array: {
      Json array = Json::array();
      for (const Library& value : json) array.push_back(from_library(value));
      return array;
    }
    case Library::value_t::object: {
      Json object = Json::object();
      for (const auto& [key, value] : json.items()) object[key] = from_library(value);
      return object;
    }
    default:
      return nullptr;
  }
}

}  // namespace

Json::Json() = default;
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json::Json(Kind kind, std::int64_t integer) : kind_(kind), integer_(integer) {}
Json::Json(double number) : kind_(Kind::kReal), real_(number) {}
Json::Json(std::string_view text) : kind_(Kind::kText), text_(text) {}

Json::Json(std::initializer_list<Json> list) : Json(array(list)) {
  const auto is_pair = [](const Json& value) {
    return value.is_array() && value.size() == 2 && value[0].is_text();
  };
  if (!std::ranges::all_of(list, is_pair)) return;
  Json pairs = object();
  for (const Json& pair : list) pairs[pair[0].text()] = pair[1];
  *this = std::move(pairs);
}

Json Json::array(std::initializer_list<Json> list) {
  Json json(Kind::kArray, 0);
  json.values_ = list;
  return json;
}

Json Json::object() { return Json(Kind::kObject, 0); }

Json Json::parse(std::string_view text) {
  const auto limit_depth = [](int depth, Library::parse_event_t, Library&) {
    if (depth > kMaxDepth) throw JsonError("nested deeper than " + std::to_string(kMaxDepth));
    return true;
  };
  try {
    return from_library(Library::parse(text, limit_depth));
  } catch (const Library::exception& e) {
    throw JsonError(e.what());
  }
}

std::string Json::dump(int indent, bool ascii) const {
  return to_library(*this).dump(indent, ' ', ascii, Library::error_handler_t::replace);
}

bool Json::boolean() const {
  if (!is_boolean()) fail("true or false");
  return integer_ != 0;
}

std::int64_t Json::integer() const {
  if (!is_integer()) fail("an integer");
  return integer_;
}

double Json::number() const {
  if (is_integer()) return static_cast<double>(integer_);
  if (!is_real()) fail("a number");
  return real_;
}

const std::string& Json::text() const {
  if (!is_text()) fail("a text");
  return text_;
}

const Json* Json::find(std::string_view key) const {
  const auto found = std::ranges::lower_bound(keys_, key);
  if (found == keys_.end() || *found != key) return nullptr;
  return &values_[static_cast<std::size_t>(found - keys_.begin())];
}

const Json& Json::operator[](std::string_view key) const {
  const Json* found = find(key);
  if (found == nullptr) fail("an object with the key \"" + std::string(key) + "\"");
  return *found;
}

const Json& Json::operator[](std::size_t index) const {
  if (!is_array() || index >= size()) fail("an array with the index " + std::to_string(index));
  return values_[index];
}

Json& Json::operator[](std::size_t index) { return const_cast<Json&>(std::as_const(*this)[index]); }

Json& Json::operator[](std::string_view key) {
  if (is_null()) kind_ = Kind::kObject;
  if (!is_object()) fail("an object");
  const auto at = std::ranges::lower_bound(keys_, key) - keys_.begin();
  if (at == std::ssize(keys_) || keys_[static_cast<std::size_t>(at)] != key) {
    keys_.emplace(keys_.begin() + at, key);
    values_.emplace(values_.begin() + at);
  }
  return values_[static_cast<std::size_t>(at)];
}

std::string Json::value_or(std::string_view key, const char* absent) const {
  const Json* found = find(key);
  return found == nullptr ? absent : found->text();
}

void Json::push_back(Json value) {
  if (is_null()) kind_ = Kind::kArray;
  if (!is_array()) fail("an array");
  values_.push_back(std::move(value));
}

void Json::fail(const std::string& expected) const {
  throw JsonError("expected " + expected + ", found " + dump().substr(0, 100));
}

bool operator==(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number() && a.kind_ != b.kind_) return a.number() == b.number();
  return a.kind_ == b.kind_ && a.integer_ == b.integer_ && a.real_ == b.real_ &&
         a.text_ == b.text_ && a.keys_ == b.keys_ && a.values_ == b.values_;
}

std::ostream& operator<<(std::ostream& stream, const Json& json) { return stream << json.dump(); }

}  // namespace matprec::io
