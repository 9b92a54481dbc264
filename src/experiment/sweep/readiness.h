// SPDX-License-Identifier: Apache-2.0
// Whether a server is ready: a port that accepts connections, a pattern in its output, a command
// that succeeds. The caller asks repeatedly; the probe never waits.
#pragma once

#include <optional>
#include <string>

#include "base/pattern.h"
#include "base/result.h"
#include "experiment/measured_run.h"

namespace wick {

// The conditions, filled for one run.
struct ReadyWhen {
  std::string host;
  std::optional<uint16_t> port;
  bool port_is_ours = false;  // a different port in each run, so messages omit its number
  std::optional<Pattern> output;
  std::vector<std::string> test;
  std::string directory;  // where the test runs
};

class ReadinessProbe {
 public:
  // The server prints into these files; `mask` is the test's signal mask.
  ReadinessProbe(ReadyWhen when, std::string output, std::string errors, const sigset_t& mask)
      : when_(std::move(when)),
        output_(std::move(output)),
        errors_(std::move(errors)),
        mask_(mask) {}
  ~ReadinessProbe();
  ReadinessProbe(ReadinessProbe&&) = default;
  ReadinessProbe& operator=(ReadinessProbe&&) = delete;

  // An error if the answer can never be known: a test that cannot be run, a host that is not an
  // address.
  Result<bool> is_ready();
  // "its port of 127.0.0.1 to accept connections", for the sentence that it never did.
  std::string what() const;

 private:
  Result<bool> test_succeeds();

  ReadyWhen when_;
  std::string output_;
  std::string errors_;
  sigset_t mask_;
  std::optional<MeasuredProcess> test_;
};

// A TCP port of this machine on which no process listens, as far as one can know.
Result<uint16_t> free_port();

}  // namespace wick
