// SPDX-License-Identifier: Apache-2.0
// libtruth_opened_b: opened with dlopen, called and closed again, in turn with its twin, which the
// loader usually maps at the same address.
#include "truth/leaf.h"

using truth::salt_of;
using truth::Steps;

extern "C" {

TRUTH_LEAF(opened_b_leaf)
TRUTH_CALLER(opened_b_entry, opened_b_leaf)
}
