// SPDX-License-Identifier: Apache-2.0
#include "truth/variant.h"

#ifndef TRUTH_VARIANT
#define TRUTH_VARIANT "unnamed"
#endif
#ifndef TRUTH_FRAME_POINTERS
#define TRUTH_FRAME_POINTERS 0
#endif

namespace truth {

const Variant kVariant = {TRUTH_VARIANT, TRUTH_FRAME_POINTERS != 0};

}  // namespace truth
