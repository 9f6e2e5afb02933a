#include "src/cli/conformance_manifest.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

namespace matprec::cli {
namespace {

using io::Json;

constexpr std::pair<const char*, RuleType> kRuleTypes[] = {
    {"exact", RuleType::kExact},
    {"max_ulp", RuleType::kMaxUlp},
    {"rtol_atol", RuleType::kRtolAtol},
    {"error_bound", RuleType::kErrorBound},
    {"frobenius_band", RuleType::kFrobeniusBand},
    {"info", RuleType::kInfo}};

const Json& member(const Json& object, const char* key, const std::string& place) {
  if (!object.is_object()) throw io::FileError(place, "expected an object");
  const auto found = object.find(key);
  if (found == nullptr) throw io::FileError(place, std::string("lacks \"") + key + "\"");
  return *found;
}

std::string text_member(const Json& object, const char* key, const std::string& place) {
  const Json& value = member(object, key, place);
  if (!value.is_text()) throw io::FileError(place, std::string("\"") + key + "\" is no string");
  return value.text();
}

// Names become parts of file names, so nothing else may stand in them.
void check_name(const std::string& name, const std::string& place) {
  const bool fine = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!fine) {
    throw io::FileError(place,
                        "name \"" + name + "\" has more than letters, digits and underscores");
  }
}

std::string file_member(const Json& object, const char* key, const std::string& place) {
  std::string file = text_member(object, key, place);
  if (file.empty() || file.find('/') != file.npos || file[0] == '.') {
    throw io::FileError(place, "file \"" + file + "\" is no plain file name of its folder");
  }
  return file;
}

Rule rule_of(const Json& json, const std::string& place) {
  Rule rule;
  const std::string type = text_member(json, "type", place);
  const auto known =
      std::ranges::find_if(kRuleTypes, [&](const auto& entry) { return type == entry.first; });
  if (known == std::end(kRuleTypes)) throw io::FileError(place, "rule \"" + type + "\" is unknown");
  rule.type = known->second;
  const auto number = [&](const char* key) {
    return manifest_number(member(json, key, place), place + ": " + key);
  };
  switch (rule.type) {
    case RuleType::kExact: {
      const std::string nan = json.value_or("nan", "any");
      if (nan != "any" && nan != "bits")
        throw io::FileError(place, "\"nan\" is neither any nor bits");
      rule.nan_bits = nan == "bits";
      rule.zero_sign = json.value_or("zero_sign", false);
      break;
    }
    case RuleType::kMaxUlp:
      rule.ulp = number("ulp");
      break;
    case RuleType::kRtolAtol:
      rule.rtol = number("rtol");
      rule.atol = number("atol");
      break;
    case RuleType::kErrorBound:
      if (json.contains("bound_file")) {
        rule.bound_file = file_member(json, "bound_file", place);
      } else {
        rule.bound = number("bound");
      }
      break;
    case RuleType::kFrobeniusBand:
      rule.low = number("low");
      rule.high = number("high");
      break;
    case RuleType::kInfo:
      break;
  }
  if (json.contains("mask_file")) rule.mask_file = file_member(json, "mask_file", place);
  rule.text = json.dump();
  return rule;
}

ManifestArray array_of(const Json& json, const std::string& case_place) {
  ManifestArray array;
  array.name = text_member(json, "name", case_place);
  check_name(array.name, case_place);
  const std::string place = case_place + ": " + array.name;
  array.file = file_member(json, "file", place);
  array.dtype = text_member(json, "dtype", place);
  array.shape = manifest_dims(member(json, "shape", place), place + ": shape");
  if (json.contains("view")) array.view = manifest_view(json["view"], place + ": view");
  return array;
}

ManifestCase case_of(const Json& json, const std::string& file) {
  ManifestCase result;
  result.name = text_member(json, "name", file + ": a case");
  const std::string place = file + ": case " + result.name;
  check_name(result.name, place);
  result.kind = text_member(json, "kind", place);
  result.op = text_member(json, "op", place);
  result.attributes = member(json, "attributes", place);
  if (!result.attributes.is_object()) throw io::FileError(place, "\"attributes\" is no object");
  for (const char* key : {"inputs", "expected"}) {
    if (!member(json, key, place).is_array()) {
      throw io::FileError(place, std::string("\"") + key + "\" is no array");
    }
  }
  for (const Json& input : json["inputs"]) result.inputs.push_back(array_of(input, place));
  for (const Json& output : json["expected"]) {
    ManifestOutput expected;
    expected.array = array_of(output, place);
    const std::string output_place = place + ": " + expected.array.name;
    expected.produced_dtype = output.contains("produced_dtype")
                                  ? text_member(output, "produced_dtype", output_place)
                                  : expected.array.dtype;
    expected.rule = rule_of(member(output, "rule", output_place), output_place + ": rule");
    result.expected.push_back(std::move(expected));
  }
  return result;
}

}  // namespace

const ManifestArray* ManifestCase::input(const std::string& input_name) const {
  const auto found = std::ranges::find(inputs, input_name, &ManifestArray::name);
  return found == inputs.end() ? nullptr : &*found;
}

double manifest_number(const Json& value, const std::string& place) {
  if (value.is_number()) return value.number();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw io::FileError(place, "expected a number, found " + value.dump());
}

Dims manifest_dims(const Json& value, const std::string& place) {
  Dims dims;
  if (!value.is_array())
    throw io::FileError(place, "expected a list of integers, found " + value.dump());
  for (const Json& size : value) {
    if (!size.is_integer()) {
      throw io::FileError(place, "expected a list of integers, found " + value.dump());
    }
    dims.push_back(size.integer());
  }
  return dims;
}

ManifestView manifest_view(const Json& value, const std::string& place) {
  ManifestView view;
  const Json& offset = member(value, "offset", place);
  if (!offset.is_integer()) throw io::FileError(place, "\"offset\" is no integer");
  view.offset = offset.integer();
  view.shape = manifest_dims(member(value, "shape", place), place + ": shape");
  view.strides = manifest_dims(member(value, "strides", place), place + ": strides");
  if (view.shape.size() != view.strides.size()) {
    throw io::FileError(place, "shape and strides have different lengths");
  }
  return view;
}

Manifest read_manifest(const std::string& directory) {
  const std::string file = directory + "/manifest.json";
  std::ifstream stream(file);
  if (!stream) throw io::FileError(file, "cannot be opened");
  Json json;
  try {
    json = Json::parse(std::string(std::istreambuf_iterator<char>(stream), {}));
    if (member(json, "format", file) != 1) {
      throw io::FileError(file, "format " + json["format"].dump() + " is unknown; expected 1");
    }
    Manifest manifest{
        .directory = directory, .family = text_member(json, "family", file), .cases = {}};
    check_name(manifest.family, file + ": family");
    std::set<std::string> names;
    for (const Json& entry : member(json, "cases", file)) {
      manifest.cases.push_back(case_of(entry, file));
      if (!names.insert(manifest.cases.back().name).second) {
        throw io::FileError(file, "two cases are named " + manifest.cases.back().name);
      }
    }
    if (member(json, "case_count", file) != manifest.cases.size()) {
      throw io::FileError(file, "case_count is " + json["case_count"].dump() + ", but there are " +
                                    std::to_string(manifest.cases.size()) + " cases");
    }
    return manifest;
  } catch (const io::JsonError& e) {
    throw io::FileError(file, e.what());
  }
}

std::vector<std::string> manifest_directories(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(fs::path(directory) / "manifest.json", error)) return {directory};
  if (!fs::is_directory(directory, error)) {
    throw io::FileError(directory, fs::exists(directory, error)
                                       ? "is no folder; name the one that holds manifest.json"
                                       : "there is no such folder");
  }
  std::vector<std::string> found;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (fs::exists(entry->path() / "manifest.json", error)) found.push_back(entry->path().string());
  }
  if (found.empty()) {
    throw io::FileError(directory, "holds no manifest.json, nor does a folder in it");
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace matprec::cli
