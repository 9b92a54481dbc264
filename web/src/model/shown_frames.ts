// SPDX-License-Identifier: Apache-2.0
// Which frames of interpreted programs the stacks show (State.stacks): the rules of src/profile/shown_frames.h, as a
// step of stacks.ts. The program leaves nodes without cost out; here trees do.
import type { ShownFrames } from './interface.ts';
import { isRootFrame } from './labels.ts';
import { PathBuilder } from './paths.ts';
import type { Paths } from './paths.ts';
import type { Profile } from './profile.ts';
import type { Step } from './stacks.ts';

// The frame that represents stacks without functions; -1 if the profile has no functions of interpreted programs.
export function nativeCodeFrame({ functions, frames, words }: Pick<Profile, 'functions' | 'frames' | 'words'>): number {
  const func = functions.name.lastIndexOf(words.interpreted.native_code);
  return func < 0 ? -1 : frames.func.lastIndexOf(func);
}

// What each frame of the profile is: an interpreter has reported it, and it is in its place, or it is the evaluator.
interface Roles {
  isFunction: (frame: number) => boolean;
  isPlaced: (frame: number) => boolean;
  isEvaluator: (frame: number) => boolean;
  isInlined: (frame: number) => boolean;
  isMissing: (frame: number) => boolean;
}
function rolesOf({ frames, words }: Profile): Roles {
  const { marks, placed, evaluator, missing } = words.interpreted;
  const markOf = (frame: number): number => marks[frames.origin[frame]] ?? 0; // artificial frames have no origin
  return {
    isFunction: (frame) => markOf(frame) !== 0,
    isPlaced: (frame) => (markOf(frame) & placed) !== 0,
    isEvaluator: (frame) => (frames.flags[frame] & evaluator) !== 0,
    isInlined: (frame) => (frames.flags[frame] & words.inlined) !== 0,
    isMissing: (frame) => frames.origin[frame] === missing,
  };
}

// 1 for each frame that is a function of an interpreted program; null if the profile has none.
export function functionFrames(profile: Profile): Uint8Array | null {
  if (nativeCodeFrame(profile) < 0) return null;
  const { isFunction } = rolesOf(profile);
  return Uint8Array.from(profile.frames.func, (_, frame) => (isFunction(frame) ? 1 : 0));
}

function mixed(paths: Paths, { isPlaced, isEvaluator, isInlined }: Roles): Step {
  const builder = new PathBuilder(paths.size);
  const end = new Int32Array(paths.size);
  const inEvaluator = new Uint8Array(paths.size);
  const outside = new Int32Array(paths.size); // by node of an evaluator: the new node of its caller
  for (let node = 1; node < paths.size; ++node) {
    const frame = paths.label[node];
    const above = paths.parent[node];
    const continues = inEvaluator[above] !== 0 && isInlined(frame);
    inEvaluator[node] = isEvaluator(frame) || continues ? 1 : 0;
    if (inEvaluator[node] !== 0) outside[node] = continues ? outside[above] : end[above];
    const replaces = inEvaluator[node] === 0 && inEvaluator[above] !== 0 && isPlaced(frame);
    end[node] = builder.child(replaces ? outside[above] : end[above], frame);
  }
  return { paths: builder.finish(), end };
}

// Processes and threads as roots stay, and unknown callers directly outside of the outermost function.
function functionsOnly(profile: Profile, paths: Paths, { isFunction, isMissing }: Roles): Step {
  const builder = new PathBuilder(paths.size);
  const native = nativeCodeFrame(profile);
  const end = new Int32Array(paths.size);
  const root = new Int32Array(paths.size); // by node: the new node of its process and thread
  const hasFunctions = new Uint8Array(paths.size);
  for (let node = 1; node < paths.size; ++node) {
    const frame = paths.label[node];
    const above = paths.parent[node];
    root[node] = root[above];
    hasFunctions[node] = hasFunctions[above];
    if (isRootFrame(profile, frame)) {
      end[node] = root[node] = builder.child(root[above], frame);
    } else if (isFunction(frame)) {
      const missing = above !== 0 && isMissing(paths.label[above]);
      const caller = missing ? builder.child(root[above], paths.label[above]) : root[above];
      end[node] = builder.child(hasFunctions[above] !== 0 ? end[above] : caller, frame);
      hasFunctions[node] = 1;
    } else {
      end[node] = hasFunctions[above] !== 0 ? end[above] : builder.child(root[above], native);
    }
  }
  return { paths: builder.finish(), end };
}

function nativeOnly(paths: Paths, { isFunction }: Roles): Step {
  const builder = new PathBuilder(paths.size);
  const end = new Int32Array(paths.size);
  for (let node = 1; node < paths.size; ++node) {
    const parent = end[paths.parent[node]];
    const frame = paths.label[node];
    end[node] = isFunction(frame) ? parent : builder.child(parent, frame);
  }
  return { paths: builder.finish(), end };
}

export function showFrames(profile: Profile, paths: Paths, shown: ShownFrames): Step {
  const roles = rolesOf(profile);
  return shown === 'mixed'
    ? mixed(paths, roles)
    : shown === 'runtime'
      ? functionsOnly(profile, paths, roles)
      : nativeOnly(paths, roles);
}
