// SPDX-License-Identifier: Apache-2.0
// libtruth_opened_a: opened with dlopen, called and closed again, in turn with its twin, which the
// loader usually maps at the same address.
#include "truth/leaf.h"

using truth::salt_of;
using truth::Steps;

extern "C" {

TRUTH_LEAF(opened_a_leaf)
TRUTH_CALLER(opened_a_entry, opened_a_leaf)
}
