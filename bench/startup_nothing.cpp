// Does nothing, with or without the library (startup_bench.cpp).
int main() {}
