// README and docs show what the library does: the table's numbers, the example, the names.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "matprec/matprec.h"

namespace {

namespace mp = matprec;

std::string read(const std::string& name) {
  std::ifstream file(std::string(MATPREC_TEST_SOURCE_DIR "/") + name);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string shortest(float value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

// A name as the pages write it. (Appended piece by piece: g++ 12 warns wrongly about "x" + string.)
std::string code(std::string_view name) {
  std::string text = "`";
  text += name;
  text += '`';
  return text;
}

// 1024.5 times 1 under the algorithm.
float one_by_one(mp::DotAlgorithm algorithm) {
  const float x[] = {1024.5f};
  const float y[] = {1.0f};
  return mp::matmul(mp::TensorView(x, {1, 1}), mp::TensorView(y, {1, 1}), {.precision = algorithm})
      .data<float>()[0];
}

// The product of https://github.com/jax-ml/jax/issues/9973 under the algorithm.
mp::Tensor two_by_two(mp::DotAlgorithm algorithm) {
  const float x[] = {0.3744f, 0.1656f, 0.4707f, 0.1663f};
  const float y[] = {0.3946f, 0.1186f, 0.1569f, 0.3145f};
  return mp::matmul(mp::TensorView(x, {2, 2}), mp::TensorView(y, {2, 2}),
                    {.precision = algorithm, .preferred_element_type = mp::ElementType::kF32});
}

std::string error_text(const mp::AlgorithmInfo& row) {
  std::string text;
  for (const int exponent : row.error_exponents) {
    if (exponent != 0) text += (text.empty() ? "2^" : " + 2^") + std::to_string(exponent);
  }
  return text.empty() ? "0" : text;
}

TEST(Readme, TableHoldsEveryAlgorithmWithItsOwnNumbers) {
  const std::string readme = read("README.md");
  for (const mp::AlgorithmInfo& row : mp::kAlgorithms) {
    std::ostringstream line;
    line << "| `" << row.name << "` | `" << row.short_name << "` | " << row.fmas << " | "
         << error_text(row) << " | ";
    if (mp::rounds_operands(row.algorithm)) {
      line << shortest(one_by_one(row.algorithm)) << " | "
           << shortest(two_by_two(row.algorithm).data<float>()[0]) << " |\n";
    } else {
      line << "8-bit floats only | |\n";
    }
    EXPECT_NE(readme.find(line.str()), std::string::npos) << line.str();
  }
}

TEST(Readme, OpensWithTheReportedProduct) {
  const std::string readme = read("README.md");
  const auto row = [](std::string_view name, mp::DotAlgorithm algorithm) {
    const mp::Tensor c = two_by_two(algorithm);
    const float* e = c.data<float>();
    return "| " + std::string(name) + " | `[[" + shortest(e[0]) + ", " + shortest(e[1]) + "], [" +
           shortest(e[2]) + ", " + shortest(e[3]) + "]]` |\n";
  };
  for (const std::string& line : {row("float32", mp::DotAlgorithm::kF32_F32_F32),
                                  row("bfloat16 pass", mp::DotAlgorithm::kBF16_BF16_F32)}) {
    EXPECT_NE(readme.find(line), std::string::npos) << line;
  }
}

TEST(Readme, ShowsExamplesAndWhatTheyPrint) {
  const std::string readme = read("README.md");
  for (const std::string name : {"01_first_product", "06_eigen"}) {
    const std::string example = "```cpp\n" + read("docs/examples/" + name + ".cpp") +
                                "```\n\nprints\n\n```\n" +
                                read("docs/examples/expected/" + name + ".txt") + "```\n";
    EXPECT_NE(readme.find(example), std::string::npos) << name;
  }
}

TEST(Readme, FitsIntoOneMinute) {
  const std::string readme = read("README.md");
  EXPECT_LE(std::count(readme.begin(), readme.end(), '\n'), 170);
}

// The packages that README names are the ones that the full check installs for the same command.
TEST(Readme, InstallsWhatTheFullCheckInstalls) {
  const std::string packages = "g++ cmake ninja-build ";
  const auto list_in = [&](const std::string& text) {
    const std::size_t begin = text.find(packages);
    return begin == std::string::npos ? "none"
                                      : text.substr(begin, text.find(" &&", begin) - begin);
  };
  EXPECT_EQ(list_in(read("README.md")), list_in(read(".ci/run")));
}

TEST(Numerics, PageHoldsEveryAlgorithmWithItsError) {
  const std::string page = read("docs/numerics.md");
  for (const mp::AlgorithmInfo& row : mp::kAlgorithms) {
    const std::size_t begin =
        page.find("| `" + std::string(row.name) + "` | `" + std::string(row.short_name) + "` | ");
    ASSERT_NE(begin, std::string::npos) << row.name;
    const std::string line = page.substr(begin, page.find('\n', begin) - begin);
    EXPECT_TRUE(line.ends_with("| " + error_text(row) + " |")) << line;
  }
}

// "8 + 8": the significant bits of each part of an operand.
std::string bits_text(const mp::AlgorithmInfo& row) {
  if (!mp::rounds_operands(row.algorithm)) return "2 to 4";  // whatever the 8-bit operands have
  constexpr int kSignificantBits[] = {8, 11, 11, 24, 53};    // in the order of PrecisionType
  const std::string part = std::to_string(kSignificantBits[static_cast<std::size_t>(row.operand)]);
  std::string text = part;
  for (int i = 1; i < row.parts; ++i) text += " + " + part;
  return text;
}

TEST(ChoosingPrecision, PageHoldsEveryAlgorithmWithItsBitsPriceAndError) {
  const std::string page = read("docs/choosing_precision.md");
  for (const mp::AlgorithmInfo& row : mp::kAlgorithms) {
    const mp::ElementType type =
        mp::rounds_operands(row.algorithm) ? mp::ElementType::kF32 : mp::ElementType::kF8E4M3FN;
    const std::string explained =
        to_string(mp::explain(row.algorithm, type, type, {.m = 1, .n = 1, .k = 1024}));
    const std::size_t begin = explained.find("|error| <= ") + 11;
    const std::string promised = explained.substr(begin, explained.find(" * (", begin) - begin);
    std::ostringstream line;
    line << "\n| `" << row.name << "` | `" << row.short_name << "` | " << bits_text(row) << " | "
         << mp::to_string(row.accumulation) << " | " << row.fmas << " | " << error_text(row)
         << " | " << promised << " |\n";
    EXPECT_NE(page.find(line.str()), std::string::npos) << line.str();
    EXPECT_NE(page.find("\n| " + code(row.short_name) + " | " + code(row.name) + " |"),
              std::string::npos)
        << row.name << " is not in the table of other names";
  }
}

TEST(Environment, PageHoldsEveryVariable) {
  const std::string page = read("docs/environment.md");
  for (const mp::VariableInfo& variable : mp::variables()) {
    EXPECT_NE(page.find("\n| `" + std::string(variable.name) + "` |"), std::string::npos)
        << variable.name;
  }
}

TEST(Environment, PageHoldsEveryNameAndPlatform) {
  const std::string page = read("docs/environment.md");
  for (const std::string_view name : mp::precision_names()) {
    EXPECT_NE(page.find(code(name)), std::string::npos) << name;
  }
  for (const mp::Platform platform :
       {mp::Platform::kNative, mp::Platform::kTpu, mp::Platform::kGpu, mp::Platform::kCpu}) {
    std::string cells;
    for (const mp::Precision level :
         {mp::Precision::kFastest, mp::Precision::kHigh, mp::Precision::kHighest}) {
      cells += ' ';
      cells += mp::to_string(mp::algorithm_of(level, platform));
      cells += " |";
    }
    const std::size_t begin = page.find(std::string("\n| ").append(code(mp::to_string(platform))));
    ASSERT_NE(begin, std::string::npos) << mp::to_string(platform);
    const std::string line = page.substr(begin, page.find('\n', begin + 1) - begin);
    EXPECT_TRUE(line.ends_with(cells)) << line;
  }
}

TEST(Environment, PageHoldsTheOrderOfPrecision) {
  std::vector<const mp::AlgorithmInfo*> rows;
  for (const mp::AlgorithmInfo& row : mp::kAlgorithms) {
    if (mp::rounds_operands(row.algorithm)) rows.push_back(&row);  // requirements meet no other
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->rank < b->rank; });
  std::string order(rows.front()->short_name);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    order += rows[i]->rank == rows[i - 1]->rank ? " = " : " < ";
    order += rows[i]->short_name;
  }
  EXPECT_NE(read("docs/environment.md").find(order), std::string::npos) << order;
}

}  // namespace
