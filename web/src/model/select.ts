// SPDX-License-Identifier: Apache-2.0
// The sample rows that a state selects, and their cost by call path.
//
// All filters but thread, CPU, labels, event and time depend on the stack only, so they are evaluated once per stack.
// One pass over the rows of the time range then adds them up. Rows are sorted by time; a binary search finds the range.
import type { Amount, State } from './interface.ts';
import { matchFrames, matchLabelSets } from './match.ts';
import type { Profile } from './profile.ts';
import { functionFrames } from './shown_frames.ts';
import { framesOfModules } from './stacks.ts';
import { isKernel } from './words.ts';

// 1 for stacks that pass the filters. These apply to stacks as recorded, before frames are hidden; patterns only to
// functions of interpreted programs if just these are shown.
export function passingStacks(profile: Profile, state: State): Uint8Array {
  const { parent, frame } = profile.stacks;
  const size = parent.length;
  const passing = new Uint8Array(size).fill(1);
  const keepWhere = (frames: Uint8Array, wanted: number): void => {
    const has = new Uint8Array(size);
    for (let stack = 1; stack < size; ++stack) has[stack] = frames[frame[stack]] | has[parent[stack]];
    for (let stack = 0; stack < size; ++stack) passing[stack] &= has[stack] === wanted ? 1 : 0;
  };
  if (state.mode !== '') {
    const wanted = state.mode === 'kernel';
    for (let stack = 0; stack < size; ++stack) {
      const kernel = stack > 0 && isKernel(profile.words, profile.frames.mode[frame[stack]]);
      if (kernel !== wanted) passing[stack] = 0;
    }
  }
  if (state.modules !== null) keepWhere(framesOfModules(profile, state.modules), 1);
  const visible = state.stacks === 'runtime' ? functionFrames(profile) : null;
  const matching = (pattern: string): Uint8Array => {
    const matches = matchFrames(profile, pattern);
    return visible === null ? matches : matches.map((match, frame) => match & visible[frame]);
  };
  for (const pattern of state.focus) keepWhere(matching(pattern), 1);
  for (const pattern of state.ignore) keepWhere(matching(pattern), 0);
  return passing;
}

// The first row in [begin, end) with at least this time.
export function lowerBound(times: Float64Array, begin: number, end: number, time: number): number {
  let low = begin;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface RowRange {
  begin: number;
  end: number;
}
export function rowsOf(profile: Profile, state: State): RowRange {
  const { begin, end } = profile.runs[state.profile];
  if (state.range === null) return { begin, end };
  const { time } = profile.samples;
  const first = lowerBound(time, begin, end, Math.max(0, state.range[0])); // rows without time come first: -1
  return { begin: first, end: lowerBound(time, first, end, nextAfter(state.range[1])) };
}
// Times are whole nanoseconds.
const nextAfter = (time: number): number => Math.floor(time) + 1;

// Flags by id + 1, so that unknown (-1) has an element. 1: passes.
function flags(chosen: number[] | null, size: number): Uint8Array {
  const result = new Uint8Array(size + 1).fill(chosen === null ? 1 : 0);
  for (const id of chosen ?? []) if (id + 1 >= 0 && id + 1 < result.length) result[id + 1] = 1;
  return result;
}
function threadFlags(profile: Profile, state: State): Uint8Array {
  const { process } = profile.threads;
  const threads = flags(state.threads, process.length);
  if (state.processes !== null) {
    const processes = flags(state.processes, profile.processes.label.length);
    threads[0] &= processes[0];
    for (let thread = 0; thread < process.length; ++thread) threads[thread + 1] &= processes[process[thread] + 1];
  }
  return threads;
}

// The filters that depend on the row, not on its stack.
export interface RowFilter {
  event: number;
  threads: Uint8Array; // by thread + 1
  cpus: Uint8Array; // by CPU + 1
  labels: Uint8Array | null; // by set of labels; null: all pass
}
function labelFlags(profile: Profile, state: State): Uint8Array | null {
  if (state.labels.length === 0) return null;
  const matches = state.labels.map((filter) => matchLabelSets(profile, filter));
  return matches[0].map((_, set) => (matches.every((flags) => flags[set] !== 0) ? 1 : 0));
}
export function rowFilter(profile: Profile, state: State): RowFilter {
  let cpus = 0;
  for (const run of profile.runs) cpus = Math.max(cpus, (run.info.cpus.at(-1) ?? -1) + 1);
  return {
    event: state.event,
    threads: threadFlags(profile, state),
    cpus: flags(state.cpus, cpus),
    labels: labelFlags(profile, state),
  };
}

// By row: the node where its sample ends, or -1 if a filter drops it. `nodeOf` has the same by stack; `stackOf` is the
// stack of each row. All filters apply but the time range, so a new range costs one simple pass.
export function nodesOfRows(profile: Profile, filter: RowFilter, stackOf: Int32Array, nodeOf: Int32Array): Int32Array {
  const { thread, cpu, event, labels: sets } = profile.samples;
  const { threads, cpus, labels } = filter;
  const nodes = new Int32Array(stackOf.length);
  for (let row = 0; row < nodes.length; ++row) {
    const passes =
      event[row] === filter.event &&
      threads[thread[row] + 1] !== 0 &&
      cpus[cpu[row] + 1] !== 0 &&
      (labels === null || labels[sets[row]] !== 0);
    nodes[row] = passes ? nodeOf[stackOf[row]] : -1;
  }
  return nodes;
}

export interface Costs {
  weight: Float64Array; // by node, of the samples that end there
  amount: Amount;
}

// Adds up the rows of a range.
export function addRows(profile: Profile, rows: RowRange, nodeOfRow: Int32Array, nodes: number): Costs {
  const { weight, count } = profile.samples;
  const weights = new Float64Array(nodes);
  let total = 0;
  let samples = 0;
  let squares = 0;
  let counted = true;
  for (let row = rows.begin; row < rows.end; ++row) {
    const node = nodeOfRow[row];
    if (node < 0) continue;
    const w = weight[row];
    const c = count[row];
    weights[node] += w;
    total += w;
    samples += c;
    if (c > 0) squares += (w * w) / c;
    else if (w !== 0) counted = false;
  }
  const effective = counted && squares > 0 ? (total * total) / squares : 0;
  return { weight: weights, amount: { weight: total, samples, effective, lateShare: 0 } };
}

// Like addRows, but with numbers of samples instead of weights.
export function countRows(profile: Profile, rows: RowRange, nodeOfRow: Int32Array, nodes: number): Float64Array {
  const { count } = profile.samples;
  const counts = new Float64Array(nodes);
  for (let row = rows.begin; row < rows.end; ++row) if (nodeOfRow[row] >= 0) counts[nodeOfRow[row]] += count[row];
  return counts;
}
