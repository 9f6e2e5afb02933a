// The pictures of the documentation show what the program measures: each is drawn again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/run_program.h"
#include "tests/support/gnuplot.h"

namespace matprec {
namespace {

using io::Json;
using testing::content_of;
using testing::ProgramRun;
using testing::run_matprec;
using testing::TemporaryFolder;

const std::string kSource = MATPREC_TEST_SOURCE_DIR;
const std::string kPictures = kSource + "/docs/pictures/";

struct Picture {
  std::string name;
  std::vector<std::string> arguments;
};

std::vector<Picture> pictures() {
  std::vector<Picture> all;
  std::ifstream list(kPictures + "pictures.txt");
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    Picture picture;
    words >> picture.name;
    picture.name.pop_back();  // the colon
    for (std::string word; words >> word;) picture.arguments.push_back(word);
    all.push_back(picture);
  }
  return all;
}

ProgramRun compared(const Picture& picture, const std::string& svg) {
  // The files are named as the pages show them.
  EXPECT_EQ(chdir((kSource + "/docs/examples/data").c_str()), 0);
  std::vector<std::string> arguments = {"compare", "--reproducible", "--json"};
  arguments.insert(arguments.end(), picture.arguments.begin(), picture.arguments.end());
  if (!svg.empty()) arguments.insert(arguments.end(), {"--plot", svg});
  return run_matprec(arguments);
}

// Results have the same bits everywhere, and their errors are summed in long double: where that is
// x86-64's, the numbers are the same to the last bit.
bool same_number(double a, double b) {
  const bool exact = std::numeric_limits<long double>::digits == 64;
  return a == b || (!exact && std::fabs(a - b) <= 1e-13 * std::fabs(b));
}

// The place where two documents differ; "" if they do not.
std::string difference(const Json& a, const Json& b, const std::string& place = "") {
  if (a.is_real() && b.is_real()) {
    return same_number(a.number(), b.number()) ? ""
                                                         : place + " " + a.dump() + " " + b.dump();
  }
  if (a.keys() != b.keys()) return place + " has other keys";
  if ((a.is_array() || a.is_object()) && a.kind() == b.kind() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::string key = a.is_array() ? std::to_string(i) : a.keys()[i];
      const std::string found = difference(a.begin()[i], b.begin()[i], place + "/" + key);
      if (!found.empty()) return found;
    }
    return "";
  }
  return a == b ? "" : place + " " + a.dump().substr(0, 100) + " " + b.dump().substr(0, 100);
}

TEST(Pictures, ShowTheDataThatAFreshRunGives) {
  ASSERT_GE(pictures().size(), 4u);
  for (const Picture& picture : pictures()) {
    const ProgramRun run = compared(picture, "");
    ASSERT_EQ(run.exit_code, 0) << picture.name << ": " << run.err;
    const Json committed = Json::parse(content_of(kPictures + picture.name + ".json"));
    EXPECT_EQ(difference(run.json(), committed), "")
        << "docs/pictures/" << picture.name << ".json is not what was measured; renew it with "
        << "cmake --build build/release --target docs_pictures";
  }
}

// The version of gnuplot, which a picture names in its head, decides its bytes.
std::string version_in(const std::string& svg) {
  const std::size_t begin = svg.find("<desc>");
  return begin == svg.npos ? "" : svg.substr(begin, svg.find("</desc>", begin) - begin);
}

TEST(Pictures, AreWhatAFreshRunDraws) {
  MATPREC_NEEDS_GNUPLOT();
  for (const Picture& picture : pictures()) {
    const TemporaryFolder folder;
    ASSERT_EQ(compared(picture, folder / "fresh.svg").exit_code, 0) << picture.name;
    const std::string fresh = content_of(folder / "fresh.svg");
    const std::string committed = content_of(kPictures + picture.name + ".svg");
    ASSERT_NE(version_in(committed), "") << picture.name;
    if (version_in(fresh) != version_in(committed)) {
      ASSERT_FALSE(testing::in_full_check()) << version_in(fresh);
      GTEST_SKIP() << "NOT CHECKED: another version of gnuplot: " << version_in(fresh);
    }
    EXPECT_TRUE(fresh == committed)
        << "docs/pictures/" << picture.name << ".svg is old; renew it with "
        << "cmake --build build/release --target docs_pictures";
  }
}

TEST(Pictures, StandOnThePageOfTheProgram) {
  const std::string page = content_of(kSource + "/docs/cli.md");
  for (const Picture& picture : pictures()) {
    EXPECT_NE(page.find("](pictures/" + picture.name + ".svg)"), std::string::npos) << picture.name;
    EXPECT_NE(page.find("](pictures/" + picture.name + ".json)"), std::string::npos)
        << picture.name;
  }
}

}  // namespace
}  // namespace matprec
