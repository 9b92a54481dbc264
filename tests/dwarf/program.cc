// SPDX-License-Identifier: Apache-2.0
// A program for comparing symbolizers: inlined calls in loops and branches, member functions of local
// types, templates, lambdas, constructors, exceptions that move code to a cold section, and functions
// that the linker drops.
#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "part.h"

namespace shapes {

struct Shape {
  explicit Shape(std::string name) : name_(std::move(name)) {}
  virtual ~Shape() = default;
  virtual double area() const = 0;
  std::string name_;
};

struct Square : Shape {
  explicit Square(double side) : Shape("square"), side_(side) {}
  double area() const override { return side_ * side_; }
  double side_;
};

template <typename T>
T clamp_twice(T value, T low, T high) {
  T once = std::clamp(value, low, high);
  return std::clamp(once * 2, low, high);
}

}  // namespace shapes

static int dropped(int x) {
  return x * 3 + part_leaf(x);
}
int (*volatile never_called)(int) = nullptr;

[[gnu::noinline]] int with_local_type(int seed) {
  struct Local {
    [[gnu::noinline]] int twice(int x) const { return part_leaf(x) * 2 + bias; }
    int bias;
  };
  Local local{seed};
  auto add = [&](int x) { return local.twice(x) + part_middle(x); };
  int sum = 0;
  for (int i = 0; i < seed; ++i) {
    sum += add(i);
  }
  return sum;
}

[[gnu::noinline]] double failing(const std::vector<int>& numbers, size_t at) {
  try {
    return numbers.at(at) + part_outer(numbers[0]);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return -1;
  }
}

int main(int argc, char** argv) {
  std::vector<int> numbers(100);
  std::iota(numbers.begin(), numbers.end(), argc);
  std::sort(
      numbers.begin(), numbers.end(), [](int a, int b) { return part_leaf(a) < part_leaf(b); });
  std::map<std::string, double> areas;
  shapes::Square square(argc + 1.5);
  areas[square.name_] += square.area();
  if (argc > 1000) {
    areas[argv[1]] = dropped(argc);
  }
  int clamped =
      shapes::clamp_twice(argc, 3, 50) + static_cast<int>(shapes::clamp_twice(0.5, 0.1, 2.0));
  std::printf("%d %g %g %d\n",
              with_local_type(clamped),
              failing(numbers, 1000),
              areas["square"],
              part_outer(clamped));
  return 0;
}
