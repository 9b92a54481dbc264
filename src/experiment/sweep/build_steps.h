// SPDX-License-Identifier: Apache-2.0
// The build steps of a sweep: one for each different line that the points make of `build`. Builds
// with their own directory are reused. In a shared directory only the last build exists, so a
// different one is built again.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "experiment/plan/plan.h"
#include "experiment/plan/points.h"
#include "record/held_signals.h"

namespace wick {

class BuildSteps {
 public:
  BuildSteps(const Plan& plan, const std::vector<Point>& points, std::string directory);

  std::string directory_for(const Point& point) const;
  // Makes the build of the point, if it does not exist. An error if that fails.
  Result<> prepare(const Point& point, record::HeldSignals& signals);
  // The signal that ended the last build, or 0.
  int stopped_by() const { return stopped_by_; }

 private:
  // Two points with the same key share a build.
  std::string key_of(const Point& point) const;
  Result<> build(const Point& point, record::HeldSignals& signals);

  const Plan& plan_;
  std::string directory_;
  std::map<std::string, size_t> numbers_;
  std::set<std::string> built_;
  std::map<std::string, std::string> failed_;
  std::string last_;
  int stopped_by_ = 0;
};

}  // namespace wick
