#include "src/io/npy.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/io/npy_bytes.h"
#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

namespace matprec {
namespace {

using testing::as_bytes;
using testing::dictionary;
using testing::error_of;
using testing::npy_bytes;
using testing::raw;
using testing::TemporaryFolder;

io::NpyArray parse(const std::string& file) { return io::parse_npy(as_bytes(file), "a.npy"); }

template <class T>
std::vector<T> values_of(const io::NpyArray& array) {
  std::vector<T> values(array.data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), array.data.data(), array.data.size());
  return values;
}

const std::string kSix = raw<float>({1, 2, 3, 4, 5, 6});

TEST(NpyReader, ReadsCOrder) {
  const io::NpyArray array = parse(npy_bytes(dictionary("<f4", "False", "(2, 3)"), kSix));
  EXPECT_EQ(array.shape, Dims({2, 3}));
  EXPECT_EQ(array.strides, Dims({3, 1}));
  EXPECT_EQ(values_of<float>(array), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(NpyReader, ReadsFortranOrderByItsStrides) {
  const io::NpyArray array = parse(npy_bytes(dictionary("<f4", "True", "(2, 3)"), kSix));
  EXPECT_EQ(array.shape, Dims({2, 3}));
  EXPECT_EQ(array.strides, Dims({1, 2}));
}

TEST(NpyReader, ReadsEveryVersion) {
  for (const int version : {1, 2, 3}) {
    const io::NpyArray array = parse(npy_bytes(dictionary("<f4", "False", "(6,)"), kSix, version));
    EXPECT_EQ(values_of<float>(array)[5], 6) << "version " << version;
  }
}

TEST(NpyReader, ReadsScalarsAndEmptyArrays) {
  EXPECT_EQ(parse(npy_bytes(dictionary("<f8", "False", "()"), raw<double>({7}))).count, 1);
  EXPECT_EQ(parse(npy_bytes(dictionary("<f8", "False", "(0, 5)"), "")).count, 0);
}

TEST(NpyReader, TakesEntriesInAnyOrderAndEitherQuote) {
  const std::string text = "{\"shape\":(6,),\"fortran_order\":False,\"descr\":\"<f4\"}";
  EXPECT_EQ(parse(npy_bytes(text, kSix)).shape, Dims({6}));
}

TEST(NpyReader, TakesPythonTwosLongSizes) {
  EXPECT_EQ(parse(npy_bytes(dictionary("<f4", "False", "(6L,)"), kSix)).shape, Dims({6}));
}

TEST(NpyReader, ReadsIntegersAsBytes) {
  const io::NpyArray array =
      parse(npy_bytes(dictionary("<i8", "False", "(1,)"), raw<std::int64_t>({-5})));
  EXPECT_EQ(values_of<std::int64_t>(array)[0], -5);
}

TEST(NpyReader, FindsDataBehindAHeaderOfAnyLength) {
  // NumPy pads to 64 bytes; others need not.
  for (std::size_t padding = 0; padding < 70; ++padding) {
    const std::string text = dictionary("<f4", "False", "(6,)") + std::string(padding, ' ');
    const TemporaryFolder folder;
    const io::NpyArray array = io::read_npy(folder.write("a.npy", npy_bytes(text, kSix)));
    ASSERT_EQ(values_of<float>(array)[0], 1) << padding;
  }
}

TEST(NpyView, TakesUint16AsBfloat16OnRequestOnly) {
  const io::NpyArray array =
      parse(npy_bytes(dictionary("<u2", "False", "(1,)"), raw<std::uint16_t>({0x3f80})));
  EXPECT_EQ(io::view_of(array, true).type(), ElementType::kBF16);
  EXPECT_EQ(
      error_of([&] { io::view_of(array, false); }),
      "a.npy: holds '<u2'; expected '<f8', '<f4' or '<f2', or --bf16 to read '<u2' as bfloat16");
}

TEST(NpyView, RefusesWhatIsNoFloat) {
  const io::NpyArray array =
      parse(npy_bytes(dictionary("<i8", "False", "(1,)"), raw<std::int64_t>({1})));
  EXPECT_EQ(error_of([&] { io::view_of(array, true); }),
            "a.npy: holds '<i8'; expected '<f8', '<f4' or '<f2', in NumPy: a.astype('<f4')");
  const io::NpyArray complex =
      parse(npy_bytes(dictionary("<c8", "False", "(1,)"), raw<float>({1, 2})));
  EXPECT_EQ(error_of([&] { io::view_of(complex, true); }),
            "a.npy: holds '<c8'; expected '<f8', '<f4' or '<f2', in NumPy: a.real and a.imag");
}

struct Broken {
  std::string file, error;
};

TEST(NpyReader, TellsWhatIsBroken) {
  const auto with = [](const std::string& text) { return npy_bytes(text, kSix); };
  const Broken cases[] = {
      {"", "no .npy file: 0 bytes, expected at least 10 of magic, version and header length"},
      {std::string(20, 'x'), "no .npy file: it does not begin with \\x93NUMPY"},
      {npy_bytes("{}", "", 4), ".npy version 4.0 is unknown; expected 1.0, 2.0 or 3.0"},
      {npy_bytes("{}", "").substr(0, 11),
       "header length 2 is beyond the file, of which 1 bytes are left"},
      {npy_bytes("", "", 2).substr(0, 11), "truncated in the header length (11 bytes)"},
      {with(dictionary(">f4", "False", "(6,)")),
       "big-endian elements ('>f4') are not read; save them as '<f4', in NumPy: a.astype('<f4')"},
      {with(dictionary("=f4", "False", "(6,)")), "byte order of '=f4' is unknown; expected '<f4'"},
      {with(dictionary("<f3", "False", "(6,)")),
       "elements of type '<f3' are not read; expected floats, integers, bools or complex numbers "
       "such "
       "as '<f4', '<f8', '<f2'"},
      {with("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (6,), }"),
       "structured elements are not read; expected '<f4'"},
      {with(dictionary("<f4", "false", "(6,)")),
       "header is no dictionary of NumPy's: expected True or False at byte 34 of the header text, "
       "found "
       "\"false, 'shap\""},
      {with(dictionary("<f4", "False", "(6)")),
       "header is no dictionary of NumPy's: expected ',' (a tuple of one size is written (n,)) at "
       "byte "
       "52 of the header text, found \"), }?\""},
      {with(dictionary("<f4", "False", "(-6,)")),
       "header is no dictionary of NumPy's: expected a size (a number without sign) at byte 51 of "
       "the "
       "header text, found \"-6,), }?\""},
      {with(dictionary("<f4", "False", "(99999999999999999999,)")),
       "a size in 'shape' is beyond 2^63-1"},
      {with(dictionary("<f4", "False", "(4294967296, 4294967296)")),
       "shape (4294967296, 4294967296) has more than 2^63-1 elements"},
      {with(dictionary("<f4", "False", "(4611686018427387904,)")),
       "shape (4611686018427387904,) has more than 2^63-1 bytes"},
      {with(dictionary("<f4", "False", "(7,)")),
       "shape (7,) of '<f4' needs 28 bytes of data, found 24 (truncated)"},
      {with(dictionary("<f4", "False", "(5,)")),
       "shape (5,) of '<f4' needs 20 bytes of data, found 24 (too long)"},
      {with("{'descr': '<f4', 'fortran_order': False}"), "header lacks the entry 'shape'"},
      {with("{'descr': '<f4', 'descr': '<f4'}"), "header names 'descr' twice"},
      {with("{'colour': 'red'}"),
       "header entry 'colour' is unknown; expected 'descr', 'fortran_order' and 'shape'"},
      {with(dictionary("<f4", "False", "(6,)") + "x"),
       "header is no dictionary of NumPy's: expected nothing after the dictionary at byte 58 of "
       "the "
       "header text, found \"x\""},
  };
  for (const Broken& broken : cases) {
    EXPECT_EQ(error_of([&] { parse(broken.file); }), "a.npy: " + broken.error);
    const TemporaryFolder folder;
    const std::string path = folder.write("a.npy", broken.file);
    EXPECT_EQ(error_of([&] { io::read_npy(path); }), path + ": " + broken.error);
  }
}

TEST(NpyReader, TellsWhatIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { io::read_npy(folder / "none.npy"); }),
            folder / "none.npy: cannot be opened: No such file or directory");
  EXPECT_EQ(error_of([&] { io::read_npy(folder.path()); }),
            folder.path() + ": is no regular file; expected a .npy file");
  const std::string pipe = folder / "pipe.npy";  // with no writer: not to be waited for
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { io::read_npy(pipe); }),
            pipe + ": is no regular file; expected a .npy file");
}

TEST(NpyWriter, WritesWhatTheReaderReads) {
  const TemporaryFolder folder;
  const Dims shapes[] = {{}, {6}, {2, 3}, {0, 4}, {1, 2, 1, 3}};
  for (const Dims& shape : shapes) {
    Tensor tensor(ElementType::kF32, shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i)
      tensor.data<float>()[i] = static_cast<float>(i);
    io::write_npy(folder / "a.npy", tensor);
    const io::NpyArray array = io::read_npy(folder / "a.npy");
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.descr, "<f4");
    ASSERT_EQ(array.data.size(), static_cast<std::size_t>(tensor.size()) * 4);
    const float* written = tensor.data<float>();
    EXPECT_EQ(values_of<float>(array), std::vector<float>(written, written + tensor.size()));
  }
}

TEST(NpyWriter, BeginsDataAtAMultipleOf64) {
  const TemporaryFolder folder;
  io::write_npy(folder / "a.npy", Tensor(ElementType::kF64, {3, 5}));
  EXPECT_EQ((std::filesystem::file_size(folder / "a.npy") - 3 * 5 * 8) % 64, 0u);
}

TEST(NpyWriter, StoresBfloat16AsItsBits) {
  const TemporaryFolder folder;
  io::write_npy(folder / "a.npy", Tensor::of<BFloat16>({1}, {BFloat16{0x3fc0}}));
  const io::NpyArray array = io::read_npy(folder / "a.npy");
  EXPECT_EQ(array.descr, "<u2");
  EXPECT_EQ(values_of<std::uint16_t>(array)[0], 0x3fc0);
}

TEST(NpyWriter, LeavesNothingWhereItCannotWrite) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "taken.npy");  // a rename onto it fails
  EXPECT_EQ(error_of([&] { io::write_npy(folder / "taken.npy", Tensor(ElementType::kF32, {2})); }),
            folder / "taken.npy: cannot be written: Is a directory");
  EXPECT_EQ(error_of([&] { io::write_npy(folder / "none/a.npy", Tensor(ElementType::kF32, {2})); }),
            folder / "none/a.npy: cannot be written: No such file or directory");
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
    ++files;
  EXPECT_EQ(files, 1u);
}

TEST(NpyWriter, KeepsTheOldFileUntilTheNewOneIsComplete) {
  const TemporaryFolder folder;
  io::write_npy(folder / "a.npy", Tensor(ElementType::kF32, {2}));
  const Tensor tensor(ElementType::kF32, {2});
  EXPECT_THROW(io::write_npy(folder / "a.npy", "<f4", 4, {3}, {}), io::FileError);
  EXPECT_EQ(io::read_npy(folder / "a.npy").shape, Dims({2}));
}

}  // namespace
}  // namespace matprec
