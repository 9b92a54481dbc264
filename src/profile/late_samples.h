// SPDX-License-Identifier: Apache-2.0
// Samples that a timer took late. The timers behind cpu-clock and task-clock are ordinary
// interrupts: while the kernel runs with interrupts off they wait, and the sample is taken where
// interrupts come on again. So a few kernel functions are charged with the time of the code that
// ran before them. The time itself is right; only its location is late.
//
// kLateFunctions lists these functions. Analyses mark them ("late") and say in a note how much of
// the time they have. Weights are not moved: the sample does not say which code the time belongs
// to. Hardware counters are not concerned: their interrupt is an NMI, which is never off (on x86).
//
// A guest is not concerned either: the host's timer interrupts it whatever the guest does.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "profile/stack_costs.h"

namespace wick {

struct LateFunction {
  std::string_view name;  // without a compiler's suffix (".isra.0")
  std::string_view ran;   // the code that ran with interrupts off
};

// A function is here if it turns interrupts on by the kernel's source. Recordings of Linux 6.18 on
// x86-64 (switches, wake-ups, sockets, page faults, files) confirm most of them: the samples are at
// one instruction (docs/guide.md, "Late samples").
inline constexpr std::array kLateFunctions = {
    LateFunction{"finish_task_switch", "the switch to another thread"},
    LateFunction{"__schedule", "the scheduler"},
    LateFunction{"_raw_spin_unlock_irqrestore", "the code that held the lock"},
    LateFunction{"_raw_spin_unlock_irq", "the code that held the lock"},
    LateFunction{"_raw_read_unlock_irqrestore", "the code that held the lock"},
    LateFunction{"_raw_read_unlock_irq", "the code that held the lock"},
    LateFunction{"_raw_write_unlock_irqrestore", "the code that held the lock"},
    LateFunction{"_raw_write_unlock_irq", "the code that held the lock"},
    LateFunction{"handle_softirqs", "the interrupt handler before it"},
    LateFunction{"__do_softirq", "the interrupt handler before it"},
    LateFunction{"irqentry_exit", "the interrupt handler before it"},
    LateFunction{"irqentry_exit_to_user_mode", "the interrupt handler before it"},
    LateFunction{"exit_to_user_mode_loop", "the end of a system call or interrupt"},
    LateFunction{"exit_to_user_mode_prepare", "the end of a system call or interrupt"},
    LateFunction{"syscall_exit_to_user_mode", "the end of a system call"},
    LateFunction{"syscall_enter_from_user_mode", "the entry of a system call"},
    LateFunction{"do_syscall_64", "the entry of a system call"},
    LateFunction{"exc_page_fault", "the entry of a page fault"},
    LateFunction{"do_user_addr_fault", "the entry of a page fault"},
    LateFunction{"flush_tlb_mm_range", "the flush of address translations"},
    LateFunction{"memcg1_commit_charge", "the account of a memory cgroup"},
    LateFunction{"cpuidle_enter_state", "the sleep of an idle CPU"},
    // AArch64: its entry code masks and unmasks interrupts by itself.
    LateFunction{"el0_svc", "the entry of a system call"},
    LateFunction{"el0_da", "the entry of a page fault"},
    LateFunction{"el0_ia", "the entry of a page fault"},
    LateFunction{"el1_abort", "the entry of a page fault in the kernel"},
    LateFunction{"do_notify_resume", "the end of a system call or interrupt"},
    // Inlined into one of the above or any other function, where the kernel has debug information.
    LateFunction{"arch_local_irq_enable", "the code before it"},
    LateFunction{"arch_local_irq_restore", "the code before it"},
    LateFunction{"native_irq_enable", "the code before it"},
    LateFunction{"__daif_local_irq_enable", "the code before it"},
    LateFunction{"__daif_local_irq_restore", "the code before it"},
    LateFunction{"__pmr_local_irq_enable", "the code before it"},
    LateFunction{"__pmr_local_irq_restore", "the code before it"},
    LateFunction{"local_daif_restore", "the code before it"},
    LateFunction{"local_daif_inherit", "the code before it"},
};

// Events whose interrupt waits while interrupts are off. "cpu-clock:u" is a cpu-clock.
inline constexpr std::array<std::string_view, 2> kTimerEvents = {"cpu-clock", "task-clock"};

// The mark of such a function in tables, lists and the page.
inline constexpr std::string_view kLateMark = "late";
// The note, with {share} for the share of the time in these functions and {event}.
inline constexpr std::string_view kLateNote =
    "late: {share} of the time is in kernel functions that turn interrupts on again. {event} "
    "cannot interrupt code that runs with interrupts off, so the time of the code before them is "
    "shown there. A hardware counter (-e cycles) can, where the machine has one: see \"Late "
    "samples\" in docs/guide.md.";
// The note on one such function, with {event} and {ran} for LateFunction::ran.
inline constexpr std::string_view kLateFunctionNote =
    "late: this function turns interrupts on again. {event} cannot interrupt code that runs with "
    "interrupts off, so the time of {ran} is shown at the instruction after that: see \"Late "
    "samples\" in docs/guide.md.";
// A smaller share is not worth a note or a mark.
inline constexpr double kLeastLateShare = 0.01;

bool is_timer_event(std::string_view event);
std::string late_function_note(const LateFunction& function, std::string_view event);
// The row of the function; null if it is not in the table.
const LateFunction* late_function(std::string_view name);

// The late samples of a profile with one event.
class LateSamples {
 public:
  LateSamples(const Profile& profile, const StackCosts& costs);

  // Whether the share is worth a note. Otherwise no function is marked.
  bool matter() const { return share_ >= kLeastLateShare; }
  double share() const { return share_; }
  // Whether samples with this frame as the leaf are late, and matter.
  bool has(FrameId frame) const { return matter() && frame.valid() && late_[frame.index()]; }
  std::string note() const;

 private:
  std::string event_;
  std::vector<bool> late_;  // by frame; empty if the event is not a timer
  double share_ = 0;
};

}  // namespace wick
