// JSON as a value: braced lists, reading, writing, what is asked for wrongly.
#include "src/io/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace matprec::io {
namespace {

template <class Callable>
std::string error_of(Callable callable) {
  try {
    callable();
  } catch (const JsonError& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(Json, ListsOfPairsThatBeginWithATextAreObjects) {
  const Json object = {{"b", 1}, {"a", {2, 3}}, {"c", nullptr}};
  EXPECT_EQ(object.dump(), R"({"a":[2,3],"b":1,"c":null})");
  const Json list = {{1, "a"}, {2, "b"}};
  EXPECT_EQ(list.dump(), R"([[1,"a"],[2,"b"]])");
  EXPECT_EQ(Json({"a", "b", "c"}).dump(), R"(["a","b","c"])");
  EXPECT_EQ(Json::array().dump(2), "[]");
  EXPECT_EQ(Json::object().dump(), "{}");
  EXPECT_EQ(Json(std::vector<int>{1, 2}).dump(), "[1,2]");
}

TEST(Json, WhatWasWrittenReadsBackEqual) {
  const Json json = {{"real", 0.1},          {"whole", -7},          {"flag", false},
                     {"text", "\u00e4\n\""}, {"list", {1, {}, 2.5}}, {"none", Json()}};
  EXPECT_EQ(Json::parse(json.dump()), json);
  EXPECT_EQ(Json::parse(json.dump(2)), json);
}

TEST(Json, RealsKeepAPointAndIntegersHaveNone) {
  EXPECT_EQ(Json(1.0).dump(), "1.0");
  EXPECT_EQ(Json(1).dump(), "1");
  EXPECT_TRUE(Json::parse("1.0").is_real());
  EXPECT_TRUE(Json::parse("1").is_integer());
  EXPECT_EQ(Json::parse("1.0"), Json(1));
  EXPECT_NE(Json(1), Json(true));
}

TEST(Json, IntegersBeyondInt64AreReals) {
  EXPECT_EQ(Json::parse("9223372036854775807").integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(Json::parse("9223372036854775808").is_real());
}

TEST(Json, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(Json("a\xff").dump(), "\"a\uFFFD\"");
  EXPECT_EQ(Json("\u00e4").dump(-1, true), R"("\u00e4")");
}

TEST(Json, KeysAreMadeByWritingAndMissedByReading) {
  Json json;
  json["b"]["c"] = 1;
  json["a"].push_back("x");
  EXPECT_EQ(json.dump(), R"({"a":["x"],"b":{"c":1}})");
  EXPECT_EQ(json.keys(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(json.find("c"), nullptr);
  EXPECT_EQ(json.value_or("c", std::int64_t{4}), 4);
  EXPECT_EQ(json["b"].value_or("c", 4), 1);
  const Json& read = json;
  EXPECT_EQ(error_of([&] { read["c"]; }),
            R"(expected an object with the key "c", found {"a":["x"],"b":{"c":1}})");
}

TEST(Json, RefusesTheWrongKind) {
  EXPECT_EQ(error_of([] { Json("x").number(); }), "expected a number, found \"x\"");
  EXPECT_EQ(error_of([] { Json(1.5).integer(); }), "expected an integer, found 1.5");
  EXPECT_EQ(error_of([] { Json(1).text(); }), "expected a text, found 1");
  EXPECT_EQ(error_of([] { Json(1).boolean(); }), "expected true or false, found 1");
  EXPECT_EQ(error_of([] { Json(1).push_back(1); }), "expected an array, found 1");
  EXPECT_EQ(error_of([] { Json(1)["a"] = 1; }), "expected an object, found 1");
  EXPECT_EQ(error_of([] { Json::array({1})[1]; }), "expected an array with the index 1, found [1]");
}

TEST(Json, RefusesWhatIsNoJsonAndWhatIsTooDeep) {
  EXPECT_THROW(Json::parse("{"), JsonError);
  EXPECT_THROW(Json::parse(""), JsonError);
  EXPECT_NO_THROW(Json::parse(std::string(90, '[') + std::string(90, ']')));
  const std::size_t deep = 1'000'000;
  EXPECT_EQ(error_of([] { Json::parse(std::string(deep, '[')); }), "nested deeper than 100");
}

}  // namespace
}  // namespace matprec::io
