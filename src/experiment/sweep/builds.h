// The build steps of a sweep: one for each line that its points make of `build`. Each in a
// directory of its own stays; in a common place the last one is what is there, and it is built
// again.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "experiment/plan/plan.h"
#include "experiment/plan/points.h"
#include "record/held_signals.h"

namespace wick {

class Builds {
 public:
  Builds(const Plan& plan, const std::vector<Point>& points, std::string directory);

  std::string directory_for(const Point& point) const;
  // Sees to it that what the point needs is built. An Error when it cannot be.
  Result<> prepare(const Point& point, record::HeldSignals& signals);
  // The signal that ended the last one, or 0.
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
