// SPDX-License-Identifier: Apache-2.0
// From the profile's stacks to the call paths that are shown: hidden modules, Firefox's transforms, grouping.
//
// Every step makes a new tree of frames from the previous one. For each node of the previous tree it has the new node
// where samples end that ended there (-1: the samples are dropped). Steps work on frames, so a transform that was made
// by function means the same when the view groups by module; only the last step groups.
//
//     profile stacks -> [processes and threads as roots] -> [shown_frames.ts] -> [hide modules] -> transform ... -> grouped call paths
import type { FunctionId, ModuleId, Transform } from './interface.ts';
import { frameCountOf, isRootFrame, moduleFrame } from './labels.ts';
import type { Grouping } from './labels.ts';
import { depths, PathBuilder } from './paths.ts';
import type { Paths } from './paths.ts';
import type { Profile } from './profile.ts';

export interface Step {
  paths: Paths; // labels are frames
  end: Int32Array; // by node of the previous tree
}

export type GroupingOf = (by: Grouping['by']) => Grouping;

// Rebuilds a tree node by node: `move(node, parent)` returns the new node; `parent` is the new node of its parent.
function rebuild(paths: Paths, move: (node: number, parent: number, builder: PathBuilder) => number): Step {
  const builder = new PathBuilder(paths.size);
  const end = new Int32Array(paths.size);
  for (let node = 1; node < paths.size; ++node) end[node] = move(node, end[paths.parent[node]], builder);
  return { paths: builder.finish(), end };
}

// Removes the frames that are marked in `removed`; their callers get the cost.
function withoutFrames(paths: Paths, removed: Uint8Array): Step {
  return rebuild(paths, (node, parent, builder) => {
    const frame = paths.label[node];
    return removed[frame] !== 0 ? parent : builder.child(parent, frame);
  });
}

export function hideModules(profile: Profile, paths: Paths, modules: ModuleId[]): Step {
  return withoutFrames(paths, framesOfModules(profile, modules));
}

export function framesOfModules(profile: Profile, modules: ModuleId[]): Uint8Array {
  const chosen = new Set(modules);
  const frames = profile.frames.module;
  const flags = new Uint8Array(frameCountOf(profile));
  for (let frame = 0; frame < frames.length; ++frame) flags[frame] = chosen.has(frames[frame]) ? 1 : 0;
  for (const module of modules) flags[moduleFrame(profile, module)] = 1;
  return flags;
}

function framesOfFunction(grouping: Grouping, func: FunctionId): Uint8Array {
  const flags = new Uint8Array(grouping.ofFrame.length);
  for (let frame = 0; frame < flags.length; ++frame) flags[frame] = grouping.ofFrame[frame] === func ? 1 : 0;
  return flags;
}

// By node: how many frames of `path` its own path follows; path.length at and below the last of them, -1 off the path.
function followed(paths: Paths, grouping: Grouping, path: FunctionId[]): Int32Array {
  const result = new Int32Array(paths.size).fill(-1);
  const depth = depths(paths);
  result[0] = 0;
  for (let node = 1; node < paths.size; ++node) {
    const above = result[paths.parent[node]];
    if (above === path.length) result[node] = above;
    else if (above === depth[node] - 1 && grouping.ofFrame[paths.label[node]] === path[above]) result[node] = above + 1;
  }
  return result;
}

// The node where `path`, read from the leaf `node`, ends; -1 if it does not match.
function ancestorAlong(paths: Paths, grouping: Grouping, path: FunctionId[], node: number): number {
  let at = node;
  for (let i = 0; i < path.length; ++i) {
    if (at <= 0 || grouping.ofFrame[paths.label[at]] !== path[i]) return -1;
    if (i + 1 < path.length) at = paths.parent[at];
  }
  return at;
}

function identity(size: number): Int32Array {
  const end = new Int32Array(size);
  for (let node = 0; node < size; ++node) end[node] = node;
  return end;
}

// Stacks begin at the first frame for which `starts` is true; samples without one are dropped. The process and thread
// above it stay.
function startAt(profile: Profile, paths: Paths, starts: (node: number) => boolean): Step {
  const builder = new PathBuilder(paths.size);
  const end = new Int32Array(paths.size).fill(-1);
  const roots = new Int32Array(paths.size); // by node: the new node of its process and thread
  for (let node = 1; node < paths.size; ++node) {
    const frame = paths.label[node];
    const parent = end[paths.parent[node]];
    const root = roots[paths.parent[node]];
    if (parent >= 0) end[node] = builder.child(parent, frame);
    else if (starts(node)) end[node] = builder.child(root, frame);
    else roots[node] = isRootFrame(profile, frame) ? builder.child(root, frame) : root;
  }
  return { paths: builder.finish(), end };
}

function focusSubtree(profile: Profile, paths: Paths, grouping: Grouping, path: FunctionId[], inverted: boolean): Step {
  if (inverted) {
    // The tree is the same; a sample ends where the path does.
    const end = new Int32Array(paths.size);
    for (let node = 0; node < paths.size; ++node) end[node] = ancestorAlong(paths, grouping, path, node);
    return { paths, end };
  }
  const follows = followed(paths, grouping, path);
  return startAt(profile, paths, (node) => follows[node] === path.length);
}

function mergeNode(paths: Paths, grouping: Grouping, path: FunctionId[], inverted: boolean): Step {
  if (!inverted) {
    const follows = followed(paths, grouping, path);
    const depth = depths(paths);
    return rebuild(paths, (node, parent, builder) =>
      follows[node] === path.length && depth[node] === path.length ? parent : builder.child(parent, paths.label[node]),
    );
  }
  const builder = new PathBuilder(paths.size);
  const same = identity(paths.size);
  for (let node = 1; node < paths.size; ++node) same[node] = builder.child(same[paths.parent[node]], paths.label[node]);
  const end = same.slice();
  const below: number[] = [];
  for (let node = 1; node < paths.size; ++node) {
    const removed = ancestorAlong(paths, grouping, path, node);
    if (removed < 0) continue;
    below.length = 0;
    for (let at = node; at !== removed; at = paths.parent[at]) below.push(paths.label[at]);
    let to = same[paths.parent[removed]];
    while (below.length > 0) to = builder.child(to, below.pop() as number);
    end[node] = to;
  }
  return { paths: builder.finish(), end };
}

// The cost of calls below a marked node becomes its self cost.
function collapseBelow(paths: Paths, marked: (node: number) => boolean): Step {
  const inside = new Uint8Array(paths.size);
  return rebuild(paths, (node, parent, builder) => {
    const above = paths.parent[node];
    if (inside[above] !== 0) {
      inside[node] = 1;
      return parent;
    }
    inside[node] = marked(node) ? 1 : 0;
    return builder.child(parent, paths.label[node]);
  });
}

function dropFunction(paths: Paths, chosen: Uint8Array): Step {
  const end = identity(paths.size);
  for (let node = 1; node < paths.size; ++node) {
    if (end[paths.parent[node]] < 0 || chosen[paths.label[node]] !== 0) end[node] = -1;
  }
  return { paths, end };
}

function focusSelf(paths: Paths, chosen: Uint8Array): Step {
  const end = identity(paths.size);
  end[0] = -1;
  for (let node = 1; node < paths.size; ++node) if (chosen[paths.label[node]] === 0) end[node] = -1;
  return { paths, end };
}

function collapseLibrary(profile: Profile, paths: Paths, module: ModuleId): Step {
  const chosen = framesOfModules(profile, [module]);
  const library = moduleFrame(profile, module);
  return rebuild(paths, (node, parent, builder) => {
    if (chosen[paths.label[node]] === 0) return builder.child(parent, paths.label[node]);
    const above = paths.parent[node];
    return above > 0 && chosen[paths.label[above]] !== 0 ? parent : builder.child(parent, library);
  });
}

// Makes one frame from the first call of the function to the last. Frames after the first call stay below it; where
// the function is called again, the path continues at the first call.
function collapseRecursion(paths: Paths, chosen: Uint8Array, direct: boolean): Step {
  const first = new Int32Array(paths.size).fill(-1); // new node of the outermost call
  return rebuild(paths, (node, parent, builder) => {
    const above = paths.parent[node];
    const isChosen = chosen[paths.label[node]] !== 0;
    if (direct)
      return isChosen && above > 0 && chosen[paths.label[above]] !== 0
        ? parent
        : builder.child(parent, paths.label[node]);
    first[node] = first[above];
    if (isChosen && first[node] >= 0) return first[node];
    const newNode = builder.child(parent, paths.label[node]);
    if (isChosen) first[node] = newNode;
    return newNode;
  });
}

export function applyTransform(profile: Profile, groupingOf: GroupingOf, paths: Paths, transform: Transform): Step {
  if (transform.type === 'focus-module') {
    const inModule = framesOfModules(profile, [transform.module]);
    return withoutFrames(
      paths,
      inModule.map((flag, frame) => (isRootFrame(profile, frame) ? 0 : 1 - flag)),
    );
  }
  if (transform.type === 'collapse-library') return collapseLibrary(profile, paths, transform.module);
  const grouping = groupingOf(transform.by);
  if ('path' in transform) {
    const { path } = transform;
    if (transform.type === 'focus-subtree') return focusSubtree(profile, paths, grouping, path, transform.inverted);
    if (transform.type === 'merge-node') return mergeNode(paths, grouping, path, transform.inverted);
    const follows = followed(paths, grouping, path);
    return collapseBelow(paths, (node) => follows[node] === path.length);
  }
  const chosen = framesOfFunction(grouping, transform.func);
  switch (transform.type) {
    case 'merge-function':
      return withoutFrames(paths, chosen);
    case 'focus-function':
      return startAt(profile, paths, (node) => chosen[paths.label[node]] !== 0);
    case 'focus-self':
      return focusSelf(paths, chosen);
    case 'drop-function':
      return dropFunction(paths, chosen);
    case 'collapse-function':
      return collapseBelow(paths, (node) => chosen[paths.label[node]] !== 0);
    case 'collapse-recursion':
      return collapseRecursion(paths, chosen, false);
    case 'collapse-direct-recursion':
      return collapseRecursion(paths, chosen, true);
  }
}

// The last step: labels become rows of the grouping.
export function group(paths: Paths, grouping: Grouping): Step {
  const { ofFrame } = grouping;
  return rebuild(paths, (node, parent, builder) => builder.child(parent, ofFrame[paths.label[node]]));
}
