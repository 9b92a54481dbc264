// SPDX-License-Identifier: Apache-2.0
// Compares the time that samples represent, and the activity made of it, with a table of the C++ side's values
// (src/analyze/timeline/spread_table_test.cc writes it).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fakeProfile } from '../src/model/fake.ts';
import { initialState } from '../src/model/interface.ts';
import { Model } from '../src/model/model.ts';
import type { Profile } from '../src/model/profile.ts';
import { spreadOf } from '../src/model/spread.ts';
import { SOURCE } from './support.ts';

interface Case {
  what: string;
  unit: string;
  scale: number;
  samples: [time: number, weight: number, thread: number, cpu: number][];
  spans: [begin: number, thread: number][];
  times: [begin: number, end: number][];
  duration: number;
  activity: number[]; // CPUs, or units per second
}
const table = JSON.parse(readFileSync(`${SOURCE}/web/test/spread.json`, 'utf8')) as Case[];

function profileOf({ unit, scale, samples, spans, duration }: Case): Profile {
  const profile = fakeProfile(samples.length);
  samples.forEach(([time, weight, thread, cpu], row) => {
    profile.samples.time[row] = time;
    profile.samples.weight[row] = weight;
    profile.samples.thread[row] = thread;
    profile.samples.cpu[row] = cpu;
  });
  const { info } = profile.runs[0];
  info.events[0] = { ...info.events[0], unit, scale };
  info.duration = duration;
  info.spans = {
    ...info.spans,
    begin: Float64Array.from(spans, ([begin]) => begin),
    end: Float64Array.from(spans, ([begin]) => begin + 1),
    thread: Int32Array.from(spans, ([, thread]) => thread),
  };
  return profile;
}

// The table has ten digits, and sums over time are in single precision.
const isNear = (a: number, b: number, error: number): boolean => Math.abs(a - b) <= error * Math.max(1, Math.abs(b));

for (const given of table) {
  test(`samples are spread as in wick timeline: ${given.what}`, () => {
    const profile = profileOf(given),
      { begin, end } = spreadOf(profile, 0, 0);
    given.times.forEach(([from, to], row) => {
      assert.ok(isNear(begin[row], from, 1e-8) && isNear(end[row], to, 1e-8), `${row}: ${begin[row]} to ${end[row]}`);
    });
    const { duration, activity } = given,
      buckets = activity.length,
      { sum } = new Model(profile).timeline(initialState(), {
        lanes: 'thread',
        only: [],
        from: 0,
        to: duration,
        buckets,
      });
    const step = (duration / buckets) * given.scale * (given.unit === 'nanoseconds' ? 1 : 1e-9);
    assert.equal(sum.length, buckets);
    activity.forEach((value, i) => assert.ok(isNear(sum[i] / step, value, 1e-5), `step ${i}: ${sum[i] / step}`));
  });
}
