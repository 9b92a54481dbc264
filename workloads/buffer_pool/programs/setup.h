// SPDX-License-Identifier: Apache-2.0
// The flags that the four programs share, and their meaning for the pool.
#pragma once

#include <cstdint>
#include <string>

#include "buffer_pool/pool/settings.h"
#include "buffer_pool/programs/size_list.h"
#include "common/options.h"

namespace buffer_pool {

struct Setup {
  // Set a program's defaults before this call; read the fields after parsing and resolve().
  void add_flags(workloads::Options& options);
  // Converts words to settings; ends the program if they are invalid.
  void resolve(const workloads::Options& options);
  // A list of at least one size, divided by `scale`.
  SizeList sizes(const workloads::Options& options,
                 const std::string& flag,
                 const std::string& text) const;

  std::string program;
  std::string engine = "v1";
  std::string zero;  // empty: the engine's documented default
  std::string policy = "clock";
  std::string preallocate;
  SizeList preallocated;
  PoolSettings pool;
  int threads = 1;
  int scale = 1;  // sizes and the minimal size are divided by it
  double seconds = 10;
  int64_t operations = 0;
  int64_t passes = 0;
  int64_t check_every = 1000;
  bool demand_zeroed = false;
};

}  // namespace buffer_pool
