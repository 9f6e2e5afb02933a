// `matprec conformance` on small manifests made here.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "src/io/npy.h"
#include "tests/cli/run_program.h"

// Lists of one element are written Json::array({x}): of {x} compilers make x itself or a list.
namespace matprec {
namespace {

using io::Json;
using testing::ProgramRun;
using testing::run_matprec;
using testing::TemporaryFolder;

// A family in a folder of its own; cases are added, then it is run.
class Family {
 public:
  void add(const Json& entry) { cases_.push_back(entry); }

  Json array(const std::string& name, const Tensor& tensor) {
    const std::string file = "array" + std::to_string(files_++) + ".npy";
    io::write_npy(folder_ / file, tensor);
    return {{"name", name},
            {"file", file},
            {"dtype", to_string(tensor.type())},
            {"shape", std::vector<std::int64_t>(tensor.shape().begin(), tensor.shape().end())}};
  }
  Json expected(const std::string& name, const Tensor& tensor,
                const Json& rule = {{"type", "exact"}}) {
    Json entry = array(name, tensor);
    entry["rule"] = rule;
    return entry;
  }
  void write_manifest() {
    const Json manifest = {{"format", 1},       {"family", "made_here"},       {"title", "t"},
                           {"licence", "none"}, {"case_count", cases_.size()}, {"cases", cases_}};
    folder_.write("manifest.json", manifest.dump());
  }
  ProgramRun run(std::vector<std::string> options = {}) {
    write_manifest();
    options.insert(options.begin(), {"conformance", folder_.path()});
    return run_matprec(options);
  }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
  Json cases_ = Json::array();
  int files_ = 0;
};

Tensor floats(const Dims& shape, std::initializer_list<float> values) {
  return Tensor::of<float>(shape, values);
}

const Json kMatrixNumbers = {{"lhs_contracting", {1}},
                             {"rhs_contracting", {0}},
                             {"lhs_batch", Json::array()},
                             {"rhs_batch", Json::array()}};

// 1x2 times 2x1: 1*3 + 2*4 = 11.
Json small_product(Family& family, const std::string& name, float answer) {
  return {
      {"name", name},
      {"kind", "k"},
      {"source", "s"},
      {"op", "dot_general"},
      {"attributes",
       {{"dimension_numbers", kMatrixNumbers}, {"precision", nullptr}, {"algorithm", nullptr}}},
      {"inputs",
       {family.array("lhs", floats({1, 2}, {1, 2})), family.array("rhs", floats({2, 1}, {3, 4}))}},
      {"expected", Json::array({family.expected("out", floats({1, 1}, {answer}))})}};
}

TEST(Conformance, PassesRightAnswers) {
  Family family;
  family.add(small_product(family, "eleven", 11));
  const ProgramRun run = family.run();
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(run.out, "made_here: 1 cases, 1 passed, 0 failed, 0 not run\n");
}

TEST(Conformance, ShowsWhatAFailedCaseGot) {
  Family family;
  family.add(small_product(family, "twelve", 12));
  family.add(small_product(family, "eleven", 11));
  const ProgramRun run = family.run();
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out,
            "made_here: 2 cases, 1 passed, 1 failed, 0 not run\n"
            "  FAILED twelve: out: 1 of 1 element wrong; first at (0, 0): got 11.0 (0x41300000), "
            "expected "
            "12.0 (0x41400000); rule {\"type\":\"exact\"}\n");
}

TEST(Conformance, ListsWhatCannotBeRunByReason) {
  Family family;
  family.add(small_product(family, "eleven", 11));
  Json attention = small_product(family, "heads", 11);
  attention["op"] = "attention";
  family.add(attention);
  Json vendor = small_product(family, "away", 11);
  vendor["attributes"]["algorithm"] = "tf32_rna";
  family.add(vendor);
  Json integers = small_product(family, "whole", 11);
  integers["inputs"][0]["dtype"] = "int16";
  family.add(integers);
  const ProgramRun run = family.run({"--verbose"});
  EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
  EXPECT_EQ(run.out,
            "made_here: 4 cases, 1 passed, 0 failed, 3 not run\n"
            "  not run: 1 for int16 elements\n    whole\n"
            "  not run: 1 for op attention\n    heads\n"
            "  not run: 1 for vendor rows\n    away\n");
  const Json report = family.run({"--json"}).json();
  EXPECT_EQ(report["families"][0]["not_run"]["op attention"], Json::array({"heads"}));
  EXPECT_EQ(report["exit_code"], 3);
}

TEST(Conformance, AFailureOutranksACaseNotRun) {
  Family family;
  family.add(small_product(family, "twelve", 12));
  Json attention = small_product(family, "heads", 11);
  attention["op"] = "attention";
  family.add(attention);
  EXPECT_EQ(family.run().exit_code, 1);
}

TEST(Conformance, RunsNamedAlgorithmsAndFields) {
  Family family;
  Json named = small_product(family, "named", 0);
  named["attributes"]["algorithm"] = "tf32";
  named["inputs"] = {family.array("lhs", floats({1, 1}, {1})),
                     family.array("rhs", floats({1, 1}, {1024.5f}))};
  named["expected"] = Json::array({family.expected("out", floats({1, 1}, {1024}))});
  family.add(named);
  Json fields = named;
  fields["name"] = "fields";
  fields["attributes"]["algorithm"] = {{"lhs_precision_type", "tf32"},
                                       {"rhs_precision_type", "tf32"},
                                       {"accumulation_type", "f32"},
                                       {"lhs_component_count", 1},
                                       {"rhs_component_count", 1},
                                       {"num_primitive_operations", 1},
                                       {"allow_imprecise_accumulation", false}};
  family.add(fields);
  EXPECT_EQ(family.run().exit_code, 0) << family.run().out;
}

TEST(Conformance, LevelsAreACpus) {
  Family family;
  Json level = small_product(family, "level", 0);
  level["attributes"]["precision"] = {"default", "default"};
  level["inputs"] = {family.array("lhs", floats({1, 1}, {1})),
                     family.array("rhs", floats({1, 1}, {1024.5f}))};
  level["expected"] = Json::array({family.expected("out", floats({1, 1}, {1024.5f}))});
  family.add(level);
  EXPECT_EQ(family.run().exit_code, 0) << family.run().out;
}

TEST(Conformance, RunsTheEpilogue) {
  Family family;
  Json entry = small_product(family, "epilogue", 0);
  entry["attributes"]["alpha"] = 2.0;
  entry["attributes"]["beta"] = -1.0;
  entry["inputs"].push_back(family.array("c", floats({1, 1}, {5})));
  entry["inputs"].push_back(family.array("bias", floats({1}, {0.5f})));
  entry["expected"] = Json::array({family.expected("out", floats({1, 1}, {2 * 11 - 5 + 0.5f}))});
  family.add(entry);
  EXPECT_EQ(family.run().exit_code, 0) << family.run().out;
}

TEST(Conformance, WritesIntoViewsAndKeepsGaps) {
  Family family;
  Json entry = small_product(family, "view", 0);
  entry["attributes"]["out_view"] = {{"offset", 2}, {"shape", {1, 1}}, {"strides", {-1, 1}}};
  entry["inputs"].push_back(family.array("c", floats({4}, {7, 7, 7, 7})));
  entry["expected"] = Json::array({family.expected("out", floats({4}, {7, 7, 11, 7}))});
  family.add(entry);
  EXPECT_EQ(family.run().exit_code, 0) << family.run().out;
}

TEST(Conformance, ReadsViewsOfInputs) {
  Family family;
  Json entry = small_product(family, "view", 43);  // (6, 5) . (3, 5)
  entry["inputs"][0] = family.array("lhs", floats({4}, {0, 5, 9, 6}));
  entry["inputs"][0]["view"] = {{"offset", 3}, {"shape", {1, 2}}, {"strides", {0, -2}}};
  entry["inputs"][1] = family.array("rhs", floats({2, 1}, {3, 5}));
  family.add(entry);
  EXPECT_EQ(family.run().exit_code, 0) << family.run().out;
}

Json front_end(Family& family, const std::string& op, const Json& attributes, const Tensor& op0,
               const Tensor& op1, const Tensor& expected) {
  return {{"name", op},
          {"kind", "k"},
          {"source", "s"},
          {"op", op},
          {"attributes", attributes},
          {"inputs", {family.array("op0", op0), family.array("op1", op1)}},
          {"expected", Json::array({family.expected("out", expected)})}};
}

TEST(Conformance, RunsFrontEnds) {
  Family family;
  const Tensor a = floats({2, 3}, {1, 2, 3, 4, 5, 6}), v = floats({3}, {1, 1, 2});
  family.add(front_end(family, "einsum", {{"equation", "ij,j->i"}}, a, v, floats({2}, {9, 21})));
  family.add(front_end(family, "tensordot", {{"axes", 1}}, a, v, floats({2}, {9, 21})));
  Json lists = front_end(family, "tensordot", {{"axes", {{1, 0}, {1, 0}}}}, a, a, floats({}, {91}));
  lists["name"] = "tensordot_lists";
  family.add(lists);
  family.add(front_end(family, "matmul", Json::object(), a, v, floats({2}, {9, 21})));
  family.add(front_end(family, "dot", Json::object(), a, v, floats({2}, {9, 21})));
  family.add(front_end(family, "inner", Json::object(), v, a, floats({2}, {9, 21})));
  family.add(front_end(family, "vdot", Json::object(), a, a, floats({}, {91})));
  family.add(front_end(family, "vecdot", {{"axis", 0}}, a, a, floats({3}, {17, 29, 45})));
  const ProgramRun run = family.run();
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(run.out, "made_here: 8 cases, 8 passed, 0 failed, 0 not run\n");
}

TEST(Conformance, FrontEndsCanFail) {
  Family family;
  const Tensor v = floats({2}, {1, 2});
  family.add(front_end(family, "einsum", {{"equation", "i,i"}}, v, v, floats({}, {6})));
  family.add(front_end(family, "vdot", Json::object(), v, v, floats({}, {4})));
  EXPECT_EQ(family.run().exit_code, 1);
  EXPECT_NE(family.run().out.find("0 passed, 2 failed"), std::string::npos) << family.run().out;
}

TEST(Conformance, RunsEquationsThatRepeatALetterOfSizeOne) {
  Family family;
  family.add(front_end(family, "einsum", {{"equation", "ik,jk->ij"}}, floats({2, 1}, {1, 2}),
                       floats({1, 3}, {1, 2, 3}), floats({2, 1}, {6, 12})));
  EXPECT_EQ(family.run().out, "made_here: 1 cases, 1 passed, 0 failed, 0 not run\n");
}

// Y = alpha * A' * B' + beta * C, C broadcast.
TEST(Conformance, RunsOnnxGemm) {
  Family family;
  const Json entry = {
      {"name", "gemm"},
      {"kind", "k"},
      {"source", "s"},
      {"op", "onnx_gemm"},
      {"attributes", {{"alpha", 2.0}, {"beta", 0.5}, {"transA", 1}, {"transB", 1}}},
      {"inputs",
       {family.array("a", floats({2, 1}, {1, 2})), family.array("b", floats({2, 2}, {3, 4, 5, 6})),
        family.array("c", floats({1}, {4}))}},
      {"expected", Json::array({family.expected("y", floats({1, 2}, {24, 36}))})}};
  family.add(entry);
  Json wrong = entry;
  wrong["name"] = "wrong";
  wrong["inputs"][2] = family.array("c", floats({3}, {4, 4, 4}));
  EXPECT_EQ(family.run().exit_code, 0) << family.run().out << family.run().err;
  family.add(wrong);
  const ProgramRun run = family.run();
  EXPECT_NE(run.err.find("input \"c\" of shape (3,) does not broadcast to (1, 2)"), std::string::npos)
      << run.err;
}

TEST(Conformance, RunsOnnxCasts) {
  Family family;
  Json entry = small_product(family, "cast", 0);
  entry["op"] = "onnx_cast";
  entry["attributes"] = {{"to", "double"}};
  entry["inputs"] = Json::array({family.array("input", floats({1}, {1.5f}))});
  entry["expected"] = Json::array({family.expected("output", Tensor::of<double>({1}, {1.5}))});
  family.add(entry);
  // To 8-bit floats casts saturate unless they say otherwise.
  const Tensor large = floats({1}, {1e9f});
  for (const bool saturate : {true, false}) {
    Json cast = entry;
    cast["name"] = saturate ? "saturating" : "overflowing";
    cast["attributes"]["to"] = "float8e5m2";
    if (!saturate) cast["attributes"]["saturate"] = 0;
    cast["inputs"] = Json::array({family.array("input", large)});
    const std::vector<Float8E5M2> pattern = {{static_cast<std::uint8_t>(saturate ? 0x7B : 0x7C)}};
    cast["expected"] = Json::array({family.expected("output", Tensor::of<Float8E5M2>({1}, pattern))});
    family.add(cast);
  }
  const ProgramRun run = family.run();
  EXPECT_EQ(run.out, "made_here: 3 cases, 3 passed, 0 failed, 0 not run\n") << run.err;
}

TEST(Conformance, RunsConversionsAndSplits) {
  Family family;
  const float x = 1 + 0x1p-9f + 0x1p-17f;
  Json entry = {{"name", "to_tf32"},
                {"kind", "k"},
                {"op", "convert"},
                {"attributes", {{"to", "tf32"}, {"rounding", "rne"}}},
                {"inputs", Json::array({family.array("x", floats({1}, {x}))})},
                {"expected", Json::array({family.expected("out", floats({1}, {1 + 0x1p-9f}))})}};
  family.add(entry);
  entry["name"] = "to_bf16";
  entry["attributes"]["to"] = "bfloat16";
  entry["expected"] =
      Json::array({family.expected("out", Tensor::of<BFloat16>({1}, {BFloat16{0x3f80}}))});
  family.add(entry);
  entry["name"] = "parts";
  entry["op"] = "split";
  entry["attributes"] = {{"parts", 2}, {"part_type", "bfloat16"}, {"rounding", "rne"}};
  entry["expected"] = {family.expected("hi", Tensor::of<BFloat16>({1}, {BFloat16{0x3f80}})),
                       // 2^-9 + 2^-17 needs 9 bits; the tie goes to the even 2^-9.
                       family.expected("lo", Tensor::of<BFloat16>({1}, {BFloat16{0x3b00}}))};
  family.add(entry);
  EXPECT_EQ(family.run().exit_code, 0) << family.run().out;
}

TEST(Conformance, RunsChainsDistancesAndMatmul) {
  Family family;
  Json entry = {
      {"name", "chain"},
      {"kind", "k"},
      {"op", "matmul_chain"},
      {"attributes", Json::object()},
      {"inputs",
       Json::array({family.array("matrices", floats({2, 2, 2}, {1, 1, 0, 1, 1, 0, 1, 1}))})},
      {"expected", Json::array({family.expected("out", floats({2, 2}, {2, 1, 1, 1}))})}};
  family.add(entry);
  entry = {{"name", "distance"},
           {"kind", "k"},
           {"op", "pairwise_sqdist"},
           {"attributes", {{"algorithm", "BF16_BF16_F32"}}},
           {"inputs", Json::array({family.array("x", floats({2, 1}, {5000, 6500}))})},
           // pytorch#42479: 5000 and 6500 become 4992 and 6496.
           {"expected",
            {family.expected("gram", floats({2, 2}, {24920064, 32428032, 32428032, 42198016})),
             family.expected("sqdist", floats({2, 2}, {159872, 2393936, 2393936, 103968}))}}};
  family.add(entry);
  entry = {{"name", "vector"},
           {"kind", "k"},
           {"op", "matmul"},
           {"attributes", {{"precision", "highest"}}},
           {"inputs",
            {family.array("op0", floats({2}, {1, 2})),
             family.array("op1", floats({2, 2}, {1, 2, 3, 4}))}},
           {"expected", Json::array({family.expected("out", floats({2}, {7, 10}))})}};
  family.add(entry);
  EXPECT_EQ(family.run().exit_code, 0) << family.run().out;
}

TEST(Conformance, JudgesAttributeSets) {
  Family family;
  const Json f32 = {{"dims", {2, nullptr}}, {"element", "f32"}};
  Json entry = {{"name", "accepted"},
                {"kind", "k"},
                {"op", "dot_general_verify"},
                {"attributes",
                 {{"lhs", f32},
                  {"rhs", f32},
                  {"result", f32},
                  {"dimension_numbers", kMatrixNumbers},
                  {"precision", nullptr},
                  {"algorithm", nullptr},
                  {"accept", true}}},
                {"inputs", Json::array()},
                {"expected", Json::array()}};
  family.add(entry);
  entry["name"] = "refused";
  entry["attributes"]["dimension_numbers"]["lhs_contracting"] = {2};
  entry["attributes"]["accept"] = false;
  family.add(entry);
  EXPECT_EQ(family.run().exit_code, 0) << family.run().out;
  entry["name"] = "wrongly_expected";
  entry["attributes"]["accept"] = true;
  family.add(entry);
  EXPECT_EQ(family.run().exit_code, 1);
}

TEST(Conformance, WritesWhatWasProduced) {
  Family family;
  const TemporaryFolder out;
  family.add(small_product(family, "eleven", 12));
  EXPECT_EQ(family.run({"--out", out / "made"}).exit_code, 1);
  const io::NpyArray array = io::read_npy(out / "made/eleven.npy");
  EXPECT_EQ(*reinterpret_cast<const float*>(array.data.data()), 11);
}

TEST(Conformance, FindsFamiliesBelowAFolder) {
  Family family;
  family.add(small_product(family, "eleven", 11));
  family.write_manifest();
  const TemporaryFolder parent;
  std::filesystem::copy(family.folder().path(), parent / "inner");
  const ProgramRun run = run_matprec({"conformance", parent.path()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST(Conformance, RefusesBrokenManifestsInOneLine) {
  struct Broken {
    std::string text, error;
  };
  const Broken cases[] = {
      {R"({"format": 2})", ": format 2 is unknown; expected 1"},
      {R"([1])", ": expected an object"},
      {R"({"format": 1, "family": "../x", "cases": []})",
       ": family: name \"../x\" has more than letters, digits and underscores"},
      {R"({"format": 1, "family": "f", "cases": [], "case_count": 3})",
       ": case_count is 3, but there are 0 cases"},
      {R"({"format": 1, "family": "f", "case_count": 1, "cases": [{"name": "a", "kind": "k", "op": "o",
          "attributes": {}, "inputs": [{"name": "x", "file": "../x.npy", "dtype": "d", "shape": []}],
          "expected": []}]})",
       ": case a: x: file \"../x.npy\" is no plain file name of its folder"},
      {R"({"format": 1, "family": "f", "case_count": 1, "cases": [{"name": "a", "kind": "k", "op": "o",
          "attributes": {}, "inputs": [], "expected": [{"name": "x", "file": "x.npy", "dtype": "d",
          "shape": [], "rule": {"type": "close"}}]}]})",
       ": case a: x: rule: rule \"close\" is unknown"},
  };
  for (const Broken& broken : cases) {
    const TemporaryFolder folder;
    folder.write("manifest.json", broken.text);
    const ProgramRun run = run_matprec({"conformance", folder.path()});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.err, folder / "manifest.json" + broken.error + "\n");
  }
}

TEST(Conformance, RefusesTextThatIsNoJson) {
  const TemporaryFolder folder;
  folder.write("manifest.json", "{");
  const ProgramRun run = run_matprec({"conformance", folder.path()});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err.find(folder / "manifest.json: "), 0u) << run.err;
}

TEST(Conformance, RefusesArraysThatAreNotWhatTheManifestSays) {
  Family family;
  Json entry = small_product(family, "shape", 11);
  entry["inputs"][0]["shape"] = {2, 1};
  family.add(entry);
  ProgramRun run = family.run();
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err,
            family.folder() / "array0.npy" + ": has shape (1, 2), the manifest says (2, 1)\n");

  Family outside;
  entry = small_product(outside, "view", 11);
  entry["inputs"][0]["view"] = {{"offset", 1}, {"shape", {1, 2}}, {"strides", {2, 1}}};
  outside.add(entry);
  run = outside.run();
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err,
            outside.folder() / "array0.npy" +
                ": the view at offset 1 of shape (1, 2) and strides (2, 1) leaves the 2 elements "
                "of the file\n");
}

TEST(Conformance, RefusesFoldersWithoutManifest) {
  const TemporaryFolder folder;
  const ProgramRun run = run_matprec({"conformance", folder.path()});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err, folder.path() + ": holds no manifest.json, nor does a folder in it\n");
  EXPECT_EQ(run_matprec({"conformance", folder / "none"}).err,
            folder / "none" + ": there is no such folder\n");
  const std::string file = folder.write("manifest.json", "{}");
  EXPECT_EQ(run_matprec({"conformance", file}).err,
            file + ": is no folder; name the one that holds manifest.json\n");
}

TEST(Conformance, RefusesANameThatNoCaseHas) {
  Family family;
  family.add(small_product(family, "product", 11));
  const ProgramRun run = family.run({"--only", "prodigy"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err, "matprec conformance: no case has \"prodigy\" in its name\n");
}

}  // namespace
}  // namespace matprec
