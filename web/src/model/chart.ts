// SPDX-License-Identifier: Apache-2.0
// The time-order chart of one thread or CPU: its stack, step by step.
//
// A sample of CPU time represents a time as long as its weight (spread.ts). Any other sample represents the time until
// the thread's next one, at most four usual gaps. Steps with the same stack and no gap between them are one. Without
// time, steps follow each other, as wide as their weights.
import type { Chart, ChartOptions, State } from './interface.ts';
import { depths } from './paths.ts';
import type { Paths } from './paths.ts';
import type { Profile } from './profile.ts';
import type { Spread } from './spread.ts';

function rowsOfLane(
  profile: Profile,
  state: State,
  nodeOfRow: Int32Array,
  options: ChartOptions,
  hasTime: boolean,
): Int32Array {
  const { time, thread, cpu } = profile.samples;
  const run = profile.runs[state.profile];
  const ids = options.lane === 'thread' ? thread : cpu;
  const rows = new Int32Array(run.end - run.begin);
  let count = 0;
  for (let row = run.begin; row < run.end; ++row) {
    if (nodeOfRow[row] >= 0 && (!hasTime || (ids[row] === options.id && time[row] >= 0))) rows[count++] = row;
  }
  return rows.slice(0, count);
}

function usualGap(time: Float64Array, rows: Int32Array): number {
  if (rows.length < 2) return 1;
  const gaps = new Float64Array(Math.min(rows.length - 1, 10_000));
  for (let i = 0; i < gaps.length; ++i) gaps[i] = time[rows[i + 1]] - time[rows[i]];
  gaps.sort();
  return Math.max(gaps[gaps.length >> 1], 1);
}

export function chart(
  profile: Profile,
  state: State,
  paths: Paths,
  nodeOfRow: Int32Array,
  spread: Spread,
  options: ChartOptions,
): Chart {
  const { time, weight } = profile.samples;
  const { info, begin: firstRow } = profile.runs[state.profile];
  const byTime = info.hasTime;
  const rows = rowsOfLane(profile, state, nodeOfRow, options, byTime);
  const event = info.events[state.event];
  const isTime = event.unit === 'nanoseconds';
  const gap = byTime ? usualGap(time, rows) : 0;
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
      to = Math.min(i + 1 < rows.length ? time[rows[i + 1]] : Infinity, from + 4 * gap);
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
  const depth = depths(paths);
  let maxDepth = 0;
  for (let step = 0; step < count; ++step) maxDepth = Math.max(maxDepth, depth[node[step]]);
  return {
    begin: begin.slice(0, count),
    end: end.slice(0, count),
    node: node.slice(0, count),
    parent: paths.parent.slice(),
    depth,
    func: paths.label.slice(),
    maxDepth,
    byTime,
  };
}
