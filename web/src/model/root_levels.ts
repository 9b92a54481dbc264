// SPDX-License-Identifier: Apache-2.0
// Stacks with their processes and threads as roots (State.levels): a tree of the samples' (thread, stack) pairs.
//
//     process     process NAME > functions
//     thread      process NAME > thread NAME > functions
//
// src/analyze/root_levels.h has the same rule for trees and pictures of the program. Nodes of two threads with the same
// names are merged later, when frames are grouped (labels.ts gives them one row).
import type { Levels } from './interface.ts';
import { processFrame, threadFrame } from './labels.ts';
import { PathBuilder } from './paths.ts';
import type { Paths } from './paths.ts';
import type { Profile } from './profile.ts';

export interface BaseStacks {
  paths: Paths; // labels are frames
  stackOf: Int32Array; // by sample row: its node
  origin: Int32Array | null; // by node: the profile's stack; null if they are the same
}

export function baseStacks(profile: Profile, levels: Levels): BaseStacks {
  return levels === 'none' ? plainStacks(profile) : stacksWithRoots(profile, levels);
}

function plainStacks(profile: Profile): BaseStacks {
  const { parent, frame } = profile.stacks;
  return { paths: { size: parent.length, parent, label: frame }, stackOf: profile.samples.stack, origin: null };
}

// The frames at the root of a thread's stacks, outermost first. Samples may have no thread: -1.
function rootsOf(profile: Profile, thread: number, levels: Levels): number[] {
  const process = thread < 0 ? -1 : profile.threads.process[thread];
  return levels === 'process'
    ? [processFrame(profile, process)]
    : [processFrame(profile, process), threadFrame(profile, thread)];
}

function stacksWithRoots(profile: Profile, levels: Levels): BaseStacks {
  const { parent, frame } = profile.stacks;
  const { thread, stack } = profile.samples;
  const builder = new PathBuilder(parent.length);
  const origin: number[] = [0];
  const known = new Map<number, number>(); // (thread, stack) to node
  const stacks = parent.length;
  const stackOf = new Int32Array(stack.length);
  const below: number[] = [];
  for (let row = 0; row < stack.length; ++row) {
    const base = (thread[row] + 1) * stacks;
    let at = stack[row];
    let node = known.get(base + at);
    while (node === undefined && at !== 0) {
      below.push(at);
      at = parent[at];
      node = known.get(base + at);
    }
    if (node === undefined) {
      node = 0;
      for (const root of rootsOf(profile, thread[row], levels)) {
        node = builder.child(node, root);
        origin[node] = 0;
      }
      known.set(base, node);
    }
    while (below.length > 0) {
      const next = below.pop() as number;
      node = builder.child(node, frame[next]);
      origin[node] = next;
      known.set(base + next, node);
    }
    stackOf[row] = node;
  }
  return { paths: builder.finish(), stackOf, origin: Int32Array.from(origin) };
}
