// The flags that the four programs share, and what they mean for the pool.
#pragma once

#include <cstdint>
#include <string>

#include "buffer_pool/pool/settings.h"
#include "buffer_pool/programs/size_list.h"
#include "common/options.h"

namespace buffer_pool {

struct Setup {
  // The defaults of a program are set before, the fields are read after parsing and settle().
  void add_flags(workloads::Options& options);
  // Turns words into settings; ends the program when they cannot be meant.
  void settle(const workloads::Options& options);
  // A list of at least one size, divided by `scale`.
  SizeList sizes(const workloads::Options& options,
                 const std::string& flag,
                 const std::string& text) const;

  std::string program;
  std::string engine = "v1";
  std::string zero;  // empty: what the engine is documented to do
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
