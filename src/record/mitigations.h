// SPDX-License-Identifier: Apache-2.0
// The kernel's mitigations of processor vulnerabilities (/sys/devices/system/cpu/vulnerabilities).
// They make system calls, switches between processes and entries into virtual machines slower, so
// two machines, or two boots of one, can differ only in them.
#pragma once

#include <string>
#include <string_view>

namespace wick::record {

// "meltdown: PTI; spectre_v2: Retpolines, IBPB: conditional": what is mitigated, or vulnerable, in
// the order of the names. "not needed" if nothing is; empty if the kernel does not say.
std::string mitigations_text(const std::string& root = {});

// What they cost, for `wick doctor`: "every system call switches page tables (PTI)". Takes the text
// above.
std::string mitigation_costs(std::string_view mitigations);

}  // namespace wick::record
