// SPDX-License-Identifier: Apache-2.0
#include "runtimes/runtimes.h"

#include <array>

#include "runtimes/python/image.h"

namespace wick {

std::span<const Interpreter> interpreters() {
  static constexpr std::array<Interpreter, 1> kInterpreters = {{
      {"python", python::find_python},
  }};
  return kInterpreters;
}

}  // namespace wick
