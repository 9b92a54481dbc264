// SPDX-License-Identifier: Apache-2.0
#include "views/svg/svg.h"

#include <optional>

#include "views/svg/flame_tree.h"
#include "views/svg/options.h"
#include "views/svg/own_form.h"
#include "views/svg/perl_form.h"
#include "views/svg/rooted.h"

namespace wick {

Result<> write_svg(const Report& report, const FlagValues& flags, Output& out) {
  SvgOptions options = TRY(svg_options(flags));
  const Tree& drawn = *TRY(first_tree(report));
  if (std::optional<CallersAndCallees> sides = callers_and_callees(drawn)) {
    FlameTree callers = TRY(flame_tree(sides->callers));
    FlameTree callees = TRY(flame_tree(sides->callees));
    write_sandwich_form(report, callers, callees, options, out);
    return {};
  }
  std::optional<Tree> rooted;
  if (needs_root(drawn)) {
    rooted = with_root(drawn, report.total);
  }
  FlameTree tree = TRY(flame_tree(rooted ? *rooted : drawn));
  if (options.flamegraph_pl) {
    write_perl_form(report, tree, options, out);
  } else {
    write_own_form(report, tree, options, out);
  }
  return {};
}

}  // namespace wick
