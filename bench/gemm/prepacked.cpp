// Weights packed before: against the product that packs them itself, and against other libraries'
// plain one.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bench/gemm/classes.h"
#include "bench/gemm/products.h"

namespace matprec::bench {
namespace {

using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                       float, float*, int);

struct Peer {
  std::string name;
  Sgemm sgemm;
};

// GEMM_BENCH_PEERS=library.so:symbol,...: functions with cblas_sgemm's signature.
std::vector<Peer> peers() {
  std::vector<Peer> found;
  const char* const list = std::getenv("GEMM_BENCH_PEERS");
  std::stringstream entries(list == nullptr ? "" : list);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const std::size_t colon = entry.rfind(':');
    const std::string path = entry.substr(0, colon),
                      symbol = colon == std::string::npos ? "" : entry.substr(colon + 1);
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const function = library == nullptr ? nullptr : dlsym(library, symbol.c_str());
    if (function == nullptr) {
      std::fprintf(stderr, "gemm_bench: GEMM_BENCH_PEERS: \"%s\": %s; expected library.so:symbol\n",
                   entry.c_str(), dlerror());
      std::exit(2);
    }
    found.push_back({symbol, reinterpret_cast<Sgemm>(function)});
  }
  return found;
}

Repeated packed_product(Operands& o) {
  const auto weights = std::make_shared<const PackedOperand>(o.b_view(), Dims{0});
  return repeated([&o, weights] { dot_general_into(o.c_view(), o.a_view(), {1}, *weights); });
}

Repeated plain(Operands& o, Sgemm function) {
  return repeated([&o, function] {
    const Sizes& s = o.sizes();
    function(101, o.trans_a(), o.trans_b(), s.m, s.n, s.k, 1, o.a<float>(), o.lda(), o.b<float>(),
             o.ldb(), 0, o.c<float>(), o.ldc());
  });
}

void add_beside(const std::string& name, const Sizes& sizes, const std::string& other,
                Sgemm function) {
  add(name_of("prepacked/" + name + "/" + other, sizes), [=](benchmark::State& state) {
    Operands operands(sizes);
    measure(state, operands, DotAlgorithm::kF32_F32_F32, packed_product(operands),
            {other, function == nullptr ? sgemm(operands) : plain(operands, function)});
  });
}

}  // namespace

void add_prepacked() {
  const std::vector<Peer> others = peers();
  for (Sizes sizes : {Sizes{.m = 0, .n = 4096, .k = 4096}, Sizes{.m = 0, .n = 3072, .k = 768}}) {
    for (const int m : {1, 8, 32, 128}) {
      sizes.m = m;
      for (const bool transposed : {false, true}) {
        sizes.trans_b = transposed;
        const std::string name = transposed ? "t" : "n";
        add_beside(name, sizes, "sgemm", nullptr);
        for (const Peer& peer : others) add_beside(name, sizes, peer.name, peer.sgemm);
      }
    }
  }
}

}  // namespace matprec::bench
