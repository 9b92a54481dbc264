// SPDX-License-Identifier: Apache-2.0
#include "views/svg/svg.h"

#include "views/svg/flame_tree.h"
#include "views/svg/options.h"
#include "views/svg/own_form.h"
#include "views/svg/perl_form.h"

namespace wick {

Result<> write_svg(const Report& report, const FlagValues& flags, Output& out) {
  SvgOptions options = TRY(svg_options(flags));
  FlameTree tree = TRY(flame_tree(report));
  if (options.flamegraph_pl) {
    write_perl_form(report, tree, options, out);
  } else {
    write_own_form(report, tree, options, out);
  }
  return {};
}

}  // namespace wick
