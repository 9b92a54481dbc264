// What this machine allows a recorder, as findings: what works now, what does not, and the command
// that would change it. Everything is tried rather than deduced where a try is cheap.
#pragma once

#include <string>
#include <vector>

namespace wick::record {

struct Finding {
  enum class Verdict { kGood, kLimited, kMissing };
  std::string what;
  Verdict verdict = Verdict::kGood;
  std::string state;   // how it is, and what that means
  std::string remedy;  // the exact command that would change it; empty when nothing is needed
};

std::vector<Finding> examine_machine();

}  // namespace wick::record
