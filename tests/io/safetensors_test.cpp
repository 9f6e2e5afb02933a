#include "src/io/safetensors.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "src/io/file_error.h"
#include "tests/io/npy_bytes.h"
#include "tests/io/safetensors_bytes.h"
#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

namespace matprec {
namespace {

using testing::as_bytes;
using testing::error_of;
using testing::header_of;
using testing::little_endian;
using testing::raw;
using testing::safetensors_bytes;
using testing::TemporaryFolder;
using testing::tensor_entry;

std::vector<io::SafetensorsEntry> parse(const std::string& file) {
  return io::parse_safetensors(as_bytes(file), "w");
}
// Of a header and so many bytes of data.
std::string refusal(const std::string& header, std::size_t data = 0) {
  return error_of([&] { parse(safetensors_bytes(header, std::string(data, '\0'))); });
}

template <class T>
std::vector<T> values_of(const io::SafetensorsFile& file, const std::string& name) {
  const std::vector<std::byte> bytes = file.read(*file.find(name));
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(SafetensorsReader, ReadsTheBytesOfTheTensorThatIsNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "w.safetensors", safetensors_bytes("{\"__metadata__\":{\"format\":\"pt\"}," +
                                             tensor_entry("b", "F32", "[2,1]", "[8,16]") + "," +
                                             tensor_entry("a.weight", "F64", "[]", "[0,8]") + "}  ",
                                         raw<double>({7}) + raw<float>({1.5f, -2})));
  const io::SafetensorsFile file(path);
  ASSERT_EQ(file.entries().size(), 2u);
  EXPECT_EQ(file.entries()[0].name, "a.weight");  // in the order of the bytes
  EXPECT_EQ(file.find("a.weight")->shape, Dims());
  EXPECT_EQ(values_of<double>(file, "a.weight"), std::vector<double>{7});
  EXPECT_EQ(file.find("b")->shape, Dims({2, 1}));
  EXPECT_EQ(values_of<float>(file, "b"), (std::vector<float>{1.5f, -2}));
  EXPECT_EQ(file.find("c"), nullptr);
}

TEST(SafetensorsReader, ReadsEveryFloatingPointType) {
  struct Case {
    const char* dtype;
    ElementType type;
  };
  for (const Case& c :
       {Case{"F64", ElementType::kF64}, Case{"F32", ElementType::kF32},
        Case{"F16", ElementType::kF16}, Case{"BF16", ElementType::kBF16},
        Case{"F8_E4M3", ElementType::kF8E4M3FN}, Case{"F8_E5M2", ElementType::kF8E5M2}}) {
    const TemporaryFolder folder;
    const std::size_t size = size_of(c.type);
    std::string data(2 * size, '\0');
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(0x31 + i);
    const std::string offsets = "[0," + std::to_string(2 * size) + "]";
    const io::SafetensorsFile file(folder.write(
        "w.safetensors",
        safetensors_bytes(header_of({tensor_entry("t", c.dtype, "[1,2]", offsets)}), data)));
    EXPECT_EQ(io::element_type_of_safetensors(file.entries()[0].dtype), c.type) << c.dtype;
    const std::vector<char> bytes = values_of<char>(file, "t");
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), data) << c.dtype;
  }
}

TEST(SafetensorsReader, RefusesOtherTypesByName) {
  for (const char* dtype : {"I64", "BOOL", "U8", "F4", "Q9"}) {
    const TemporaryFolder folder;
    const std::string size = std::string(dtype) == "I64" ? "8" : "1";
    const std::string path = folder.write(
        "w.safetensors",
        safetensors_bytes(header_of({tensor_entry("t", dtype, "[1]", "[0," + size + "]")}),
                          std::string(std::stoul(size), '\0')));
    const io::SafetensorsFile file(path);
    EXPECT_EQ(error_of([&] { file.read(file.entries()[0]); }),
              path + ": tensor \"t\" holds \"" + dtype +
                  "\"; expected F64, F32, F16, BF16, F8_E4M3, F8_E5M2, F8_E4M3FNUZ or F8_E5M2FNUZ");
  }
}

// A file of 64 GiB, all but its header a hole, is read in no time.
TEST(SafetensorsReader, ReadsNothingButWhatIsAskedFor) {
  const TemporaryFolder folder;
  const std::string header =
      header_of({tensor_entry("small", "F32", "[1]", "[0,4]"),
                 tensor_entry("large", "F64", "[8589934592]", "[4,68719476740]")});
  const std::string path =
      folder.write("w.safetensors", safetensors_bytes(header, raw<float>({3})));
  ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(8 + header.size() + 68719476740)), 0);
  const io::SafetensorsFile file(path);
  EXPECT_EQ(values_of<float>(file, "small"), std::vector<float>{3});
}

TEST(SafetensorsReader, ReadsEmptyTensorsAndEmptyFiles) {
  EXPECT_EQ(parse(safetensors_bytes("{}", "")).size(), 0u);
  const auto entries =
      parse(safetensors_bytes(header_of({tensor_entry("full", "F32", "[1]", "[0,4]"),
                                         tensor_entry("none", "F32", "[0,7]", "[0,0]")}),
                              std::string(4, '\0')));
  EXPECT_EQ(entries.size(), 2u);
}

TEST(SafetensorsReader, HoldsHalfBytesInWholeOnes) {
  EXPECT_EQ(
      parse(safetensors_bytes(header_of({tensor_entry("t", "F4", "[3]", "[0,2]")}), "xx")).size(),
      1u);
}

TEST(SafetensorsReader, RefusesABrokenLength) {
  EXPECT_EQ(error_of([] { parse("1234567"); }),
            "w: no .safetensors file: 7 bytes, expected at least the 8 of the header's length");
  EXPECT_EQ(error_of([] { parse(little_endian(3) + "{}"); }),
            "w: header length 3 is beyond the file, of which 2 bytes are left");
  EXPECT_EQ(error_of([] { parse(little_endian(~std::uint64_t{0}) + "{}"); }),
            "w: header length 18446744073709551615 is beyond the format's limit of 100000000; no "
            ".safetensors file?");
}

TEST(SafetensorsReader, RefusesWhatIsNoHeader) {
  EXPECT_EQ(refusal("[]"), "w: the header does not begin with '{'; no .safetensors file?");
  EXPECT_EQ(refusal(""), "w: the header does not begin with '{'; no .safetensors file?");
  EXPECT_EQ(
      refusal("{\"a\":"),
      "w: the header is no JSON, from its byte 6 on; the file is damaged or no .safetensors file");
  EXPECT_EQ(refusal("{\"a\":5}"), "w: tensor \"a\": is 5; expected an object");
  EXPECT_EQ(refusal("{\"a\":{}}"), "w: tensor \"a\": lacks 'dtype'");
  EXPECT_EQ(refusal("{\"__metadata__\":[]}"), "w: __metadata__ is a list; expected an object");
  EXPECT_EQ(refusal("{\"__metadata__\":{\"k\":1}}"),
            "w: __metadata__ holds 1; expected only strings");
  EXPECT_EQ(refusal("{\"a\":{\"dtype\":4}}"), "w: tensor \"a\": 'dtype' is 4; expected a string");
  EXPECT_EQ(refusal("{\"a\":{\"shape\":null}}"),
            "w: tensor \"a\": 'shape' is null; expected a list of numbers");
  EXPECT_EQ(
      refusal("{\"a\":{\"colour\":1}}"),
      "w: tensor \"a\": the field \"colour\" is unknown; expected dtype, shape and data_offsets");
}

TEST(SafetensorsReader, RefusesNamesThatStandThereTwice) {
  const std::string a = tensor_entry("a", "F32", "[1]", "[0,4]");
  EXPECT_EQ(refusal(header_of({a, a}), 4), "w: the header names the tensor \"a\" twice");
  EXPECT_EQ(refusal("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}"),
            "w: tensor \"a\": 'dtype' stands there twice");
  EXPECT_EQ(refusal("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}"),
            "w: __metadata__ names \"k\" twice");
  EXPECT_EQ(refusal("{\"__metadata__\":{},\"__metadata__\":{}}"),
            "w: the header names the tensor \"__metadata__\" twice");
}

TEST(SafetensorsReader, RefusesImpossibleShapes) {
  const auto shaped = [](const std::string& shape) {
    return refusal(header_of({tensor_entry("a", "F32", shape, "[0,4]")}), 4);
  };
  EXPECT_EQ(shaped("[-1]"), "w: tensor \"a\": 'shape' holds -1; expected whole numbers from 0 on");
  EXPECT_EQ(shaped("[1.0]"),
            "w: tensor \"a\": 'shape' holds 1.0; expected whole numbers from 0 on");
  EXPECT_EQ(shaped("[[1]]"),
            "w: tensor \"a\": 'shape' holds a list; expected whole numbers from 0 on");
  EXPECT_EQ(shaped("[9223372036854775808]"),
            "w: tensor \"a\": 'shape' holds 9223372036854775808, beyond 2^63-1");
  EXPECT_EQ(shaped("[4611686018427387904,4]"),
            "w: tensor \"a\": shape (4611686018427387904, 4) of F32 needs 2^61 bytes or more");
  EXPECT_EQ(shaped("[0,4611686018427387904,4]"),
            "w: tensor \"a\": shape (0, 4611686018427387904, 4) of F32 needs 2^61 bytes or more");
  EXPECT_EQ(shaped("[2]"),
            "w: tensor \"a\": shape (2,) of F32 needs 8 bytes, but data_offsets [0, 4] hold 4");
  std::string many = "[1";
  for (int i = 0; i < 64; ++i) many += ",1";
  EXPECT_EQ(shaped(many + "]"), "w: tensor \"a\": more than 64 dimensions");
}

TEST(SafetensorsReader, RefusesImpossibleOffsets) {
  const auto placed = [](const std::string& offsets, std::size_t data) {
    return refusal(header_of({tensor_entry("a", "F32", "[1]", offsets)}), data);
  };
  EXPECT_EQ(placed("[4,0]", 4), "w: tensor \"a\": data_offsets [4, 0] end before they begin");
  EXPECT_EQ(placed("[0,4]", 3),
            "w: tensor \"a\": data_offsets [0, 4] leave the 3 bytes of data that the file has "
            "(truncated?)");
  EXPECT_EQ(
      placed("[18446744073709551612,18446744073709551615]", 4),
      "w: tensor \"a\": data_offsets [18446744073709551612, 18446744073709551615] leave the 4 "
      "bytes of data that the file has (truncated?)");
  EXPECT_EQ(placed("[0,4,8]", 4),
            "w: tensor \"a\": 'data_offsets' holds 3 numbers; expected begin and end");
  EXPECT_EQ(placed("[-4,0]", 4),
            "w: tensor \"a\": 'data_offsets' holds -4; expected whole numbers from 0 on");
  EXPECT_EQ(
      placed("[0,4]", 5),
      "w: the tensors end at byte 4 of the data, the file at 5; expected no bytes behind them");
}

TEST(SafetensorsReader, RefusesGapsAndOverlaps) {
  const auto pair = [](const std::string& second) {
    return refusal(header_of({tensor_entry("a", "F32", "[1]", "[0,4]"),
                              tensor_entry("b", "F32", "[1]", second)}),
                   9);
  };
  EXPECT_EQ(pair("[5,9]"), "w: tensor \"b\": data_offsets [5, 9] leave a gap behind byte 4");
  EXPECT_EQ(pair("[2,6]"),
            "w: tensor \"b\": data_offsets [2, 6] overlap those of another tensor, which end at 4");
}

// A parser that calls itself would need a megabyte of stack for these.
TEST(SafetensorsReader, RefusesDepthAtItsFirstStep) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(refusal("{\"a\":{\"shape\":[" + deep),
            "w: tensor \"a\": 'shape' holds a list; expected whole numbers from 0 on");
  EXPECT_EQ(refusal("{\"a\":" + deep), "w: tensor \"a\": is a list; expected an object");
}

TEST(SafetensorsReader, ShowsAnyNameOnOneLine) {
  EXPECT_EQ(refusal("{\"a\\n\\u001b[31m\\u00e9\":5}"),
            "w: tensor \"a\\n\\u001b[31m\\u00e9\": is 5; expected an object");
  const std::string long_name(5000, 'x');
  EXPECT_LT(refusal("{\"" + long_name + "\":5}").size(), 200u);
}

TEST(SafetensorsReader, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { io::SafetensorsFile{folder / "none"}; }),
            folder / "none" + ": cannot be opened: No such file or directory");
  EXPECT_EQ(error_of([&] { io::SafetensorsFile{folder.path()}; }),
            folder.path() + ": is no regular file; expected a .safetensors file");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { io::SafetensorsFile{folder / "pipe"}; }),
            folder / "pipe" + ": is no regular file; expected a .safetensors file");
}

}  // namespace
}  // namespace matprec
