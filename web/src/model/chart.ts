// SPDX-License-Identifier: Apache-2.0
// The time-order chart of threads or CPUs: their stacks, step by step.
//
// A sample of CPU time represents a time as long as its weight (spread.ts). Any other sample represents the time until
// the thread's next one, at most four times as much as samples of the lane usually represent. Steps with the same stack
// and no gap between them are one. Without time, steps follow each other, as wide as their weights.
import type { Chart, ChartOptions, State } from './interface.ts';
import { depths } from './paths.ts';
import type { Paths } from './paths.ts';
import type { Profile } from './profile.ts';
import type { Spread } from './spread.ts';

// The rows of each lane, in the order of time. Without time there is one lane, of all rows.
function rowsOfLanes(
  profile: Profile,
  state: State,
  nodeOfRow: Int32Array,
  options: ChartOptions,
  hasTime: boolean,
): Int32Array[] {
  const { time, thread, cpu } = profile.samples;
  const run = profile.runs[state.profile];
  const ids = options.lane === 'thread' ? thread : cpu;
  const laneOf = new Map(options.ids.map((id, lane) => [id, lane]));
  const rows: number[][] = options.ids.map(() => []);
  for (let row = run.begin; row < run.end; ++row) {
    if (nodeOfRow[row] < 0 || (hasTime && time[row] < 0)) continue;
    const lane = hasTime ? laneOf.get(ids[row]) : 0;
    if (lane !== undefined) rows[lane]?.push(row);
  }
  return rows.map((own) => Int32Array.from(own));
}

function usualGap(time: Float64Array, rows: Int32Array): number {
  if (rows.length < 2) return 1;
  const gaps = new Float64Array(Math.min(rows.length - 1, 10_000));
  for (let i = 0; i < gaps.length; ++i) gaps[i] = time[rows[i + 1]] - time[rows[i]];
  gaps.sort();
  return Math.max(gaps[gaps.length >> 1], 1);
}

// A thread that seldom runs has long gaps, but its samples represent as little as those of the others.
function usualLength(spread: Spread, rows: Int32Array, firstRow: number): number {
  const some = rows.subarray(0, 10_000);
  const lengths = Float64Array.from(some, (row) => spread.end[row - firstRow] - spread.begin[row - firstRow]).sort();
  return Math.max(lengths[lengths.length >> 1] ?? 0, 1);
}

interface Steps {
  begin: Float64Array;
  end: Float64Array;
  node: Int32Array;
}

export function chart(
  profile: Profile,
  state: State,
  paths: Paths,
  nodeOfRow: Int32Array,
  spread: Spread,
  options: ChartOptions,
): Chart {
  const byTime = profile.runs[state.profile].info.hasTime;
  const lanes = rowsOfLanes(profile, state, nodeOfRow, options, byTime).map((rows) =>
    stepsOf(profile, state, nodeOfRow, spread, rows),
  );
  const first = new Int32Array(lanes.length + 1);
  lanes.forEach(({ node }, lane) => (first[lane + 1] = first[lane] + node.length));
  const all = first[lanes.length];
  const whole: Steps = { begin: new Float64Array(all), end: new Float64Array(all), node: new Int32Array(all) };
  lanes.forEach(({ begin, end, node }, lane) => {
    whole.begin.set(begin, first[lane]);
    whole.end.set(end, first[lane]);
    whole.node.set(node, first[lane]);
  });
  const depth = depths(paths);
  const maxDepth = lanes.map(({ node }) => node.reduce((most, at) => Math.max(most, depth[at]), 0));
  return {
    ...whole,
    first,
    maxDepth: Int32Array.from(maxDepth),
    parent: paths.parent.slice(),
    depth,
    func: paths.label.slice(),
    byTime,
  };
}

function stepsOf(profile: Profile, state: State, nodeOfRow: Int32Array, spread: Spread, rows: Int32Array): Steps {
  const { time, weight } = profile.samples;
  const { info, begin: firstRow } = profile.runs[state.profile];
  const byTime = info.hasTime;
  const event = info.events[state.event];
  const isTime = event.unit === 'nanoseconds';
  const gap = byTime ? usualGap(time, rows) : 0;
  const usual = byTime && !isTime ? usualLength(spread, rows, firstRow) : 0;
  const begin = new Float64Array(rows.length);
  const end = new Float64Array(rows.length);
  const node = new Int32Array(rows.length);
  let count = 0;
  let position = 0; // without time
  for (let i = 0; i < rows.length; ++i) {
    const row = rows[i];
    let from = position;
    let to = position + weight[row];
    position = to;
    if (byTime && isTime) {
      from = Math.max(spread.begin[row - firstRow], count > 0 ? end[count - 1] : -Infinity);
      to = Math.max(from, spread.end[row - firstRow]);
    } else if (byTime) {
      from = time[row];
      to = Math.min(i + 1 < rows.length ? time[rows[i + 1]] : Infinity, from + 4 * Math.min(gap, usual));
    }
    const at = nodeOfRow[row];
    const touches = count > 0 && from - end[count - 1] <= (byTime && isTime ? gap / 2 : 0);
    if (touches && node[count - 1] === at) {
      end[count - 1] = to;
      continue;
    }
    begin[count] = touches ? end[count - 1] : from;
    end[count] = to;
    node[count++] = at;
  }
  return { begin: begin.slice(0, count), end: end.slice(0, count), node: node.slice(0, count) };
}
