// SPDX-License-Identifier: Apache-2.0
// Answers that depend on time: timeline, chart, second clock; and messages about damaged data.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { initialState } from '../src/model/interface.ts';
import { groupThreads, readPage, secondClock } from '../src/model/page_data.ts';
import { directory, file, modelOf, partsOf, perfText, report, wick } from './support.ts';

const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((all, value) => all + value, 0);

test('the timeline retains every weight, in every grid', async () => {
  const model = await modelOf(file('time.perf.txt', perfText(3, 2000)));
  const { duration } = model.profile.runs[0].info;
  const weight = model.amount(initialState()).weight;
  for (const lanes of ['thread', 'cpu'] as const) {
    for (const buckets of [1, 7, 1000]) {
      const line = model.timeline(initialState(), { lanes, from: 0, to: duration, buckets });
      // What the first sample of each of three CPUs represents, at most 6000, is in part before the recording.
      assert.ok(sum(line.sum) < weight * 1.00001 && sum(line.sum) > weight - 3 * 6000);
      assert.ok(Math.abs(sum(line.values) - sum(line.sum)) < weight * 1e-5);
      assert.equal(sum(line.weight), weight);
      assert.ok(
        line.weight.every((value, i) => i === 0 || value <= line.weight[i - 1]),
        'the heaviest first',
      );
    }
  }
  const half = model.timeline(
    { ...initialState(), range: [0, 1] },
    { lanes: 'thread', from: 0, to: duration, buckets: 10 },
  );
  assert.ok(sum(half.sum) > weight * 0.99, 'the range does not cut the timeline');
});

test('the cost of a lane is its cost in the range', async () => {
  const path = file('time.perf.txt', perfText(3, 2000));
  const model = await modelOf(path);
  const { duration } = model.profile.runs[0].info;
  const state = { ...initialState(), range: [0.2e9, 0.5e9] as [number, number] };
  const { lanes, weight } = model.timeline(state, { lanes: 'thread', from: 0, to: duration, buckets: 10 });
  const { rows } = report('report', path, '--by', 'thread', '--time', '0.2..0.5');
  assert.deepEqual(
    Array.from(lanes, (lane, i) => [model.profile.threads.label[lane], weight[i]]),
    rows.map((row) => [row['name'], row['total']]),
  );
  assert.equal(sum(weight), model.amount(state).weight);
});

test('a sample of CPU time is spread over the time before it', async () => {
  const text = [1, 2]
    .map((second) => `p 1/1 [000] ${second}.000000: 1000000000 cpu-clock:\n\t10 f+0x1 (/x/p)\n\n`)
    .join('');
  const model = await modelOf(file('clock.perf.txt', text));
  const line = model.timeline(initialState(), { lanes: 'thread', from: 0, to: 1e9, buckets: 4 });
  assert.deepEqual([...line.values], [0.25e9, 0.25e9, 0.25e9, 0.25e9]);
  const chart = model.chart(initialState(), { lane: 'thread', ids: [0] });
  assert.deepEqual([...chart.begin], [-1e9]);
  assert.deepEqual([...chart.end], [1e9]);
});

test('the chart shows steps in time order, without overlap', async () => {
  const model = await modelOf(file('chart.perf.txt', perfText(5, 1500)));
  const state = initialState();
  for (const { label } of model.profile.runs[0].info.threads) {
    const id = model.profile.threads.label.indexOf(label);
    const chart = model.chart(state, { lane: 'thread', ids: [id] });
    for (let step = 0; step < chart.begin.length; ++step) {
      assert.ok(chart.begin[step] <= chart.end[step]);
      assert.ok(step === 0 || chart.end[step - 1] <= chart.begin[step]);
    }
    for (let node = 1; node < chart.parent.length; ++node)
      assert.equal(chart.depth[node], chart.depth[chart.parent[node]] + 1);
  }
});

test('without time the chart is as wide as the weights, in input order', async () => {
  const model = await modelOf(file('order.folded', 'a;b 3\na;c 2\n'));
  const chart = model.chart(initialState(), { lane: 'thread', ids: [-1] });
  assert.equal(chart.byTime, false);
  assert.deepEqual([...chart.begin], [0, 3]);
  assert.deepEqual([...chart.end], [3, 5]);
  assert.equal(model.profile.runs[0].info.hasTime, false);
});

test('search reports the share of samples with a match', async () => {
  const model = await modelOf(file('search.folded', 'main;parse;hash 3\nmain;send 5\nHash 2\n'));
  const found = model.search(initialState(), 'hash', false);
  assert.deepEqual([found.weight, found.functions, found.share], [3, 1, 0.3]);
  assert.deepEqual(model.search(initialState(), 'hash', true).weight, 5);
  assert.deepEqual(model.search(initialState(), 'main', true).share, 0.8);
  assert.match(model.search(initialState(), '(', true).error, /not a regular expression/);
});

test('the second clock takes the marks that rise', () => {
  assert.equal(secondClock({ time: [1], value: [5] }), null);
  const clock = secondClock({ time: [1, 2, 3, 4, 5], value: [5, NaN, 4, 9, 9] });
  assert.deepEqual(
    [[...clock!.time], [...clock!.value]],
    [
      [1, 4],
      [5, 9],
    ],
  );
});

test('a thread that seldom runs is not drawn as a busy one', async () => {
  let text = '';
  for (let i = 0; i < 1000; ++i) {
    const name = i % 300 === 150 ? 'rare 1/2' : 'busy 1/1';
    text += `${name} [000] ${(1 + i / 1000).toFixed(6)}: 1000 cycles:\n\t1000 work+0x0 (/bin/a)\n\n`;
  }
  const model = await modelOf(file('rare.perf.txt', text));
  const { threads } = model.profile.runs[0].info;
  const rare = threads.findIndex(({ name }) => name === 'rare');
  const { begin, end } = model.chart(initialState(), { lane: 'thread', ids: [rare] });
  assert.equal(begin.length, 3);
  begin.forEach((from, step) => assert.ok(end[step] - from < 5e6, `step ${step} has ${end[step] - from} ns`));
});

test('threads are grouped by the pattern of their names', () => {
  const { groups } = groupThreads(['worker-1', 'main', 'worker-22', 'gc7']);
  assert.deepEqual(
    groups.map(({ label, threads }) => [label, threads]),
    [
      ['worker-#', [0, 2]],
      ['main', [1]],
      ['gc7', [3]],
    ],
  );
});

test('digits that are a part of a name stay', () => {
  const labels = (...names: string[]): string[] => groupThreads(names).groups.map(({ label }) => label);
  assert.deepEqual(labels('', ''), ['[no name]']);
  assert.deepEqual(labels('cc1plus', 'cc1plus'), ['cc1plus']);
  assert.deepEqual(labels('python3', 'python3'), ['python3']);
  assert.deepEqual(labels('cc1plus', 'cc2plus'), ['cc1plus', 'cc2plus']);
  assert.deepEqual(labels('AsyncTask #3', 'AsyncTask #4'), ['AsyncTask #']);
  assert.deepEqual(labels('io(1)', 'io(2)', 'h2 pool 7', 'h2 pool 8'), ['io(#)', 'h2 pool #']);
  assert.deepEqual(labels('io-2-worker-1', 'io-2-worker-2', 'pool-7'), ['io-2-worker-#', 'pool-7']);
  assert.deepEqual(labels('kworker/0:1-events', 'kworker/1:0-events'), ['kworker/#:#-events']);
});

function part(): Uint8Array {
  const path = join(directory, 'damage.html');
  wick('view', file('damage.folded', 'a;b 1\n'), '-o', path);
  return partsOf(readFileSync(path, 'utf8'))[0];
}

test('damaged data are refused with a sentence, whatever byte is wrong', async () => {
  const good = part();
  await readPage([good]);
  const sentence = /damaged\. Write the page again/;
  await assert.rejects(readPage([good.subarray(0, good.length - 9)]), sentence);
  await assert.rejects(readPage([good, good.subarray(0, 20)]), sentence);
  await assert.rejects(readPage([]), /has no profile/);
  for (let at = 10; at < good.length - 8; at += 7) {
    const bad = good.slice();
    bad[at] ^= 0x55;
    await assert.rejects(readPage([bad]), sentence, `byte ${at}`);
  }
});

test('data of another version are refused with a sentence', async () => {
  const bytes = gunzipSync(part());
  bytes[8] = 99;
  await assert.rejects(
    readPage([new Uint8Array(gzipSync(bytes))]),
    /has version 99, but the page's script reads version \d+/,
  );
});
