// SPDX-License-Identifier: Apache-2.0
// The measurements, as JSON on standard output (README.md lists the fields).
#pragma once

#include <vector>

#include "compare.h"
#include "measurement.h"
#include "settings.h"

namespace echo {

void print_run(const Settings& settings, Form form, const Measurement& measured);
void print_comparison(const Settings& settings, const std::vector<Round>& rounds);

}  // namespace echo
