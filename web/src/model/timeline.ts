// SPDX-License-Identifier: Apache-2.0
// Activity over time, one lane per thread or CPU. A sample of CPU time represents the time before it, so its weight is
// spread over the buckets that it covers; any other weight counts at the time of the sample. Both preserve the sums.
import type { State, Timeline, TimelineOptions } from './interface.ts';
import type { Profile } from './profile.ts';
import { lowerBound, rowsOf } from './select.ts';

interface Lane {
  id: number;
  weight: number; // within the range
  whole: number;
  first: number;
  last: number;
}

export function timeline(profile: Profile, state: State, nodeOfRow: Int32Array, options: TimelineOptions): Timeline {
  const { time, weight, thread, cpu } = profile.samples;
  const run = profile.runs[state.profile];
  const ids = options.lanes === 'thread' ? thread : cpu;
  const passes = (row: number): boolean => nodeOfRow[row] >= 0 && time[row] >= 0;
  const spreads = run.info.events[state.event]?.unit === 'nanoseconds';
  const lanes: Lane[] = [];
  const idCount = options.lanes === 'thread' ? profile.threads.label.length : (run.info.cpus.at(-1) ?? -1) + 1;
  const laneOf = new Int32Array(idCount + 1).fill(-1); // by id + 1: unknown is -1
  const range = rowsOf(profile, state);
  for (let row = run.begin; row < run.end; ++row) {
    if (!passes(row)) continue;
    const id = ids[row];
    let lane = laneOf[id + 1];
    if (lane < 0) {
      lane = laneOf[id + 1] = lanes.length;
      lanes.push({ id, weight: 0, whole: 0, first: time[row], last: time[row] });
    }
    lanes[lane].whole += weight[row];
    if (row >= range.begin && row < range.end) lanes[lane].weight += weight[row];
    lanes[lane].last = time[row];
  }
  const ranked = lanes
    .map((_, lane) => lane)
    .sort((a, b) => lanes[b].weight - lanes[a].weight || lanes[b].whole - lanes[a].whole || lanes[a].id - lanes[b].id);
  ranked.forEach((lane, rank) => {
    laneOf[lanes[lane].id + 1] = rank;
  });
  const { buckets, from, to } = options;
  const values = new Float32Array(lanes.length * buckets);
  const width = Math.max((to - from) / buckets, Number.MIN_VALUE);
  const begin = lowerBound(time, run.begin, run.end, from);
  for (let row = begin; row < run.end; ++row) {
    // Samples after the window may begin inside it. A second is more than enough.
    if (time[row] > to + 1e9) break;
    if (!passes(row)) continue;
    const base = laneOf[ids[row] + 1] * buckets;
    addWeight(
      values,
      base,
      buckets,
      (time[row] - from) / width,
      weight[row],
      spreads ? weight[row] / run.info.events[state.event].scale / width : 0,
    );
  }
  const pick = (value: (lane: Lane) => number): Float64Array => Float64Array.from(ranked, (lane) => value(lanes[lane]));
  const sum = new Float32Array(buckets);
  for (let lane = 0; lane < lanes.length; ++lane) {
    for (let bucket = 0; bucket < buckets; ++bucket) sum[bucket] += values[lane * buckets + bucket];
  }
  return {
    from,
    to,
    buckets,
    lanes: Int32Array.from(ranked, (lane) => lanes[lane].id),
    weight: pick((lane) => lane.weight),
    first: pick((lane) => lane.first),
    last: pick((lane) => lane.last),
    values,
    sum,
  };
}

// `at` and `length` count buckets; the weight ends at `at`.
function addWeight(
  values: Float32Array,
  base: number,
  buckets: number,
  at: number,
  weight: number,
  length: number,
): void {
  const last = Math.floor(at);
  if (length <= 1) {
    // The end of the recording belongs to the last bucket.
    const bucket = last === buckets && at === buckets ? buckets - 1 : last;
    if (bucket >= 0 && bucket < buckets) values[base + bucket] += weight;
    return;
  }
  const first = at - length;
  for (let bucket = Math.max(0, Math.floor(first)); bucket <= Math.min(last, buckets - 1); ++bucket) {
    const part = Math.min(bucket + 1, at) - Math.max(bucket, first);
    if (part > 0) values[base + bucket] += (weight * part) / length;
  }
}
