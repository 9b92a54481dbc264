// SPDX-License-Identifier: Apache-2.0
#include "symbolize/cython_names.h"

#include <gtest/gtest.h>

#include "symbolize/demangle.h"

namespace wick {
namespace {

struct Case {
  std::string_view symbol;
  std::string_view name;
};

// As Cython 0.29 and 3 name them.
TEST(CythonNames, AreThoseOfPython) {
  for (const Case& item : {
           Case{"__pyx_pw_4cyex_1spin", "cyex.spin"},
           Case{"__pyx_pf_4cyex_spin", "cyex.spin"},
           Case{"__pyx_pf_4cyex_2both", "cyex.both"},
           Case{"__pyx_f_4cyex_helper", "cyex.helper"},
           Case{"__pyx_f_4cyex_6Engine_step", "cyex.Engine.step"},
           Case{"__pyx_pw_4cyex_6Engine_1run", "cyex.Engine.run"},
           Case{"__pyx_pw_4cyex_6Engine_5value_1__get__", "cyex.Engine.value.__get__"},
           Case{"__pyx_pw_4cyex_6Engine_3__reduce_cython__", "cyex.Engine.__reduce_cython__"},
           Case{"__pyx_pf_4cyex_6Engine_6__init__", "cyex.Engine.__init__"},
           Case{"__pyx_pw_4cyex_6Engine_1__f", "cyex.Engine.__f"},
           Case{"__pyx_pw_4cyex_10__pyx_unpickle_Engine", "cyex.__pyx_unpickle_Engine"},
           Case{"__pyx_pw_4cyex_5do_it", "cyex.do_it"},  // the sixth function, not a scope
           Case{"__pyx_pw_4cyex_5do_it_1inner", "cyex.do_it.inner"},
           Case{"__pyx_pf_4cyex_5do_it_inner.constprop.0", "cyex.do_it.inner.constprop.0"},
           Case{"__pyx_pw_4cyex_5Plain_6method_lambda", "cyex.Plain.method.<lambda>"},
           Case{"__pyx_pw_4cyex_5Plain_6method_1lambda1", "cyex.Plain.method.<lambda>"},
           Case{"__pyx_pw_4cyex_1lambda_of", "cyex.lambda_of"},
           Case{"__pyx_f_3pkg_3sub_3mod_6Engine_step", "pkg.sub.mod.Engine.step"},
           Case{"__pyx_fuse_0__pyx_f_4cyex_add", "cyex.add"},
           Case{"__pyx_fuse_1_0__pyx_pw_4cyex_3add", "cyex.add"},
       }) {
    EXPECT_EQ(cython_name(item.symbol), item.name) << item.symbol;
    EXPECT_EQ(demangled(item.symbol), item.name) << item.symbol;
  }
}

TEST(CythonNames, OtherNamesStay) {
  for (std::string_view symbol : {"",
                                  "__pyx_",
                                  "__pyx_pw_",
                                  "__pyx_pw_spin",
                                  "__pyx_pw_4cyex",
                                  "__pyx_pw_4cyex_",
                                  "__pyx_pw_4cyex_1",
                                  "__pyx_pw_0_x",
                                  "__pyx_pw_9cyex_spin",
                                  "__pyx_pw_99999999999999999999999_x",
                                  "__pyx_pw_4cyex_.x",
                                  "__pyx_gb_4cyex_8generator",
                                  "__pyx_fuse_",
                                  "__pyx_fuse_0",
                                  "__pyx_fuse___",
                                  "__Pyx_PyObject_Call",
                                  "__pyx_tp_dealloc_4cyex_Engine"}) {
    EXPECT_EQ(cython_name(symbol), "") << symbol;
    EXPECT_EQ(demangled(symbol), symbol);
  }
}

TEST(CythonNames, LongNamesAreReadOnce) {
  std::string symbol = "__pyx_pw_";
  for (int i = 0; i < 100'000; ++i) {
    symbol += "1a_";
  }
  EXPECT_EQ(cython_name(symbol + "f").size(), 200'001);
}

}  // namespace
}  // namespace wick
