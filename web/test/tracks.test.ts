// SPDX-License-Identifier: Apache-2.0
// Activity over time: the time that samples represent, lanes, bands and marked parts; the sample at a time; the list of
// marks and spans, and how they are arranged for drawing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeProfile, marksOf } from '../src/model/fake.ts';
import { initialState, type ProfileInfo, type SampleOptions } from '../src/model/interface.ts';
import { Model } from '../src/model/model.ts';
import { spreadOf } from '../src/model/spread.ts';
import { firstFrom, momentsOf } from '../src/ui/moments.ts';
import { secondClockName } from '../src/ui/time_axis.ts';
import { file, modelOf, perfText } from './support.ts';

const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((all, value) => all + value, 0);
const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-5 * Math.max(Math.abs(a), Math.abs(b));
// What the first sample of each of the three CPUs represents is in part before the recording; perfText's have at most
// 6000.
const nearInside = (drawn: number, whole: number): boolean => drawn <= 1.00001 * whole && drawn >= whole - 3 * 6000;

// [CPU, thread, microseconds]: samples of 1 ms of CPU time.
function clockText(samples: [number, number, number][]): string {
  return samples
    .map(
      ([cpu, thread, us]) =>
        `p 1/${thread} [00${cpu}] 1.${String(us).padStart(6, '0')}: 1000000 cpu-clock:\n\t10 f${thread}+0x1 (/x/p)\n\n`,
    )
    .join('');
}

test('a CPU is never busier than one CPU, however late its timer is', async () => {
  // The timer of CPU 0 is late by up to 0.9 ms, and then on time again.
  const late = Array.from({ length: 200 }, (_, i): [number, number, number] => [
    0,
    1 + (i % 3),
    1000 * i + (i % 4) * 300,
  ]);
  const model = await modelOf(file('late.perf.txt', clockText(late)));
  const { duration } = model.profile.runs[0].info;
  for (const buckets of [10, 100, 1000]) {
    const line = model.timeline(initialState(), { lanes: 'cpu', from: 0, to: duration, buckets });
    const one = duration / buckets;
    assert.ok(Math.max(...line.sum) <= one * 1.0001, `${Math.max(...line.sum) / one} CPUs`);
  }
  // A steady thread is flat: no comb at a resolution finer than its period.
  const steady = await modelOf(
    file(
      'steady.perf.txt',
      clockText(Array.from({ length: 100 }, (_, i): [number, number, number] => [0, 1, 1000 * i])),
    ),
  );
  const fine = steady.timeline(initialState(), { lanes: 'thread', from: 0, to: 99e6, buckets: 990 });
  assert.ok(Math.min(...fine.values) > 0.99e5 && Math.max(...fine.values) < 1.01e5);
});

test('a first sample at the start of the recording makes no peak', async () => {
  // Three threads, a sample each 20 ms in steps of 1 ms; a fourth one has only the first.
  const text = Array.from({ length: 50 }, (_, i) =>
    [1, 2, 3, ...(i === 0 ? [4] : [])].map(
      (thread) => `p 1/${thread} 1.${String(20_000 * i).padStart(6, '0')}: 1 samples:\n\t10 f+0x1 (/x/p)\n\n`,
    ),
  );
  const model = await modelOf(file('begin.perf.txt', text.flat().join('')));
  const { sum: line } = model.timeline(initialState(), { lanes: 'thread', from: 0, to: 980e6, buckets: 980 });
  assert.deepEqual(
    [line[0], line[19], line[20], line[979]].map((value) => Math.round(value * 20)),
    [4, 4, 3, 3],
  );
});

test('what is spread has the length of its weight, and filters do not move it', async () => {
  const model = await modelOf(
    file(
      'two.perf.txt',
      clockText([
        [0, 1, 5000],
        [0, 2, 5400],
        [1, 3, 5400],
      ]),
    ),
  );
  const { begin, end } = spreadOf(model.profile, 0, 0);
  assert.deepEqual(
    Array.from(end, (at, i) => at - begin[i]),
    [1e6, 1e6, 1e6],
  );
  assert.equal(end[0], begin[1], 'the first of CPU 0 ends where the second begins');
  assert.equal(end[2], 400e3, 'another CPU');
});

test('the samples of a trace are at the begin of their time', async () => {
  const event = (ts: number, dur: number): object => ({ ph: 'X', name: 'work', pid: 1, tid: 1, ts, dur });
  const trace = { traceEvents: [event(0, 1000), event(5000, 3000), event(9000, 500), event(20_000, 8000)] };
  const model = await modelOf(file('begin.json', JSON.stringify(trace)));
  const { begin, end } = spreadOf(model.profile, 0, 0);
  assert.deepEqual([...begin], [0, 5e6, 9e6, 20e6]);
  assert.deepEqual([...end], [1e6, 8e6, 9.5e6, 28e6]);
});

test('events without time are spread up to the sample before, at most four usual gaps', async () => {
  const text = [0, 1000, 2000, 3000, 90_000]
    .map((us) => `p 1/1 [000] 1.${String(us).padStart(6, '0')}: 7 cycles:\n\t10 f+0x1 (/x/p)\n\n`)
    .join('');
  const model = await modelOf(file('gaps.perf.txt', text));
  const { begin, end } = spreadOf(model.profile, 0, 0);
  assert.deepEqual([...end], [0, 1e6, 2e6, 3e6, 90e6]);
  assert.deepEqual([...begin], [-1e6, 0, 1e6, 2e6, 86e6]);
});

test('lanes of processes, groups and threads add up, in every band', async () => {
  const model = await modelOf(file('lanes.perf.txt', perfText(11, 3000)));
  const state = initialState();
  const { duration } = model.profile.runs[0].info;
  const names = model.labels(state).name;
  const whole = model.amount(state).weight;
  const bands = Uint8Array.from(names, (_, func) => func % 3);
  for (const lanes of ['thread', 'process', 'group', 'cpu'] as const) {
    const line = model.timeline(state, { lanes, from: 0, to: duration, buckets: 37, colours: { count: 3, bands } });
    assert.ok(nearInside(sum(line.sum), whole), lanes);
    assert.ok(near(sum(line.values), sum(line.sum)), lanes);
    assert.equal(sum(line.weight), whole);
    assert.equal(line.values.length, line.lanes.length * 3 * 37);
  }
  const { lanes } = model.timeline(state, { lanes: 'process', from: 0, to: duration, buckets: 1 });
  assert.deepEqual(Array.from(lanes, (id) => model.profile.processes.label[id]).sort(), ['client 20', 'server 10']);
});

test('hits of a search and the chosen function are parts of the activity', async () => {
  const model = await modelOf(file('hits.perf.txt', perfText(12, 2000)));
  const state = initialState();
  const { duration } = model.profile.runs[0].info;
  const found = model.search(state, 'hash', false);
  const chosen = model.labels(state).name.indexOf('parse');
  const line = model.timeline(state, {
    lanes: 'thread',
    from: 0,
    to: duration,
    buckets: 50,
    hits: found.matches,
    chosen,
  });
  assert.ok(nearInside(sum(line.hits!.sum), found.weight));
  assert.ok(near(sum(line.hits!.values), sum(line.hits!.sum)));
  const parse = model.search(state, '^parse$', false);
  assert.ok(nearInside(sum(line.chosen!.sum), parse.weight));
});

test('only the lanes that are asked for have values', () => {
  const model = new Model(fakeProfile(2000));
  const line = model.timeline(initialState(), { lanes: 'thread', from: 0, to: 10e9, buckets: 10, only: [3] });
  assert.equal(line.values.length, 10);
  assert.equal(line.lanes.length, 6);
  assert.deepEqual(
    [...line.detail].filter((row) => row >= 0),
    [0],
  );
  assert.equal(line.lanes[line.detail.indexOf(0)], 3);
});

test('labels divide the activity', () => {
  const model = new Model(fakeProfile(2000));
  const values = ['GET /', 'POST /orders'];
  const colours = { count: 3, label: { key: 'request', values } };
  const { sum: line } = model.timeline(initialState(), { lanes: 'thread', from: 0, to: 10e9, buckets: 1, colours });
  for (const [band, pattern] of [
    [0, '^GET'],
    [1, '^POST'],
  ] as const) {
    const state = { ...initialState(), labels: [{ key: 'request', pattern }] };
    assert.ok(near(line[band], model.amount(state).weight));
  }
  assert.ok(line[2] > 0, 'samples without the label');
});

test('the sample at a time has its thread, CPU and stack', async () => {
  const model = await modelOf(
    file(
      'at.perf.txt',
      clockText([
        [0, 1, 1000],
        [1, 2, 1000],
        [0, 1, 2000],
        [0, 1, 50_000],
      ]),
    ),
  );
  const state = initialState();
  const thread = (tid: number): number => model.profile.threads.label.indexOf(`p ${tid}`);
  const ask = (time: number, ids: number[] | null, reach = 100e3): ReturnType<Model['sampleAt']> =>
    model.sampleAt(state, { time, reach, lanes: 'thread', ids } satisfies SampleOptions);
  const first = ask(0.5e6, [thread(1)]);
  assert.deepEqual([first.time, first.thread, first.cpu, first.weight], [1e6, thread(1), 0, 1e6]);
  assert.deepEqual(
    first.path.map((func) => model.labels(state).name[func]),
    ['f1'],
  );
  assert.equal(ask(0, [thread(2)]).thread, thread(2));
  assert.equal(ask(20e6, null).row, -1, 'nothing ran');
  assert.equal(ask(20e6, null, 30e6).time, 1e6 + 0, 'the nearest within reach');
  assert.equal(
    model.sampleAt({ ...state, focus: ['f2'] }, { time: 0.5e6, reach: 0, lanes: 'thread', ids: [thread(1)] }).row,
    -1,
  );
});

test('marks and spans are listed by time or duration, filtered and searched', () => {
  const model = new Model(fakeProfile(100));
  const list = (state: object, options: object): number[] => [
    ...model.moments({ ...initialState(), ...state }, { search: '', ignoreCase: true, sort: 'time', ...options }).rows,
  ];
  assert.deepEqual(list({}, {}), [0, 5, 1, 2, 6, 3, 4]);
  assert.deepEqual(list({}, { sort: 'duration' }), [5, 6, 0, 1, 2, 3, 4]);
  assert.deepEqual(list({ range: [1.5e9, 2e9] }, {}), [5, 1]);
  assert.deepEqual(list({ threads: [2] }, { search: 'OFF' }), [6]);
  assert.deepEqual(list({}, { search: 'off', ignoreCase: false }), [5, 6]);
  assert.match(model.moments(initialState(), { search: '(', ignoreCase: true, sort: 'time' }).error, /not a regular/);
});

const madeMarks = (rows: Parameters<typeof marksOf>[1]): ProfileInfo['marks'] => marksOf(fakeProfile(10).columns, rows);
const infoWith = (parts: object): ProfileInfo => ({ ...fakeProfile(10).runs[0].info, ...parts });

test('spans of a level do not overlap, and marks of a kind are in the order of time', () => {
  const { spans } = fakeProfile(10).runs[0].info;
  const begin = Float64Array.from([0, 1, 2, 3, 4, 20, NaN]);
  const end = Float64Array.from([10, 10, 10, 9, 12, NaN, 3]);
  const seven = { thread: new Int32Array(7), name: new Int32Array(7), kind: new Uint8Array(7) };
  const times = [5, NaN, 1, 3];
  const info = infoWith({
    spans: { ...spans, begin, end, ...seven },
    marks: madeMarks(times.map((time, i) => ({ time, kind: i === 2 ? 'gc' : '' }))),
  });
  const { spans: others, marks: lines, spansOfThread } = momentsOf(info);
  const tracks = [spansOfThread(0)!];
  assert.deepEqual(others, []);
  assert.deepEqual(
    tracks[0].levels.map(({ rows }) => [...rows]),
    [[0, 5], [1], [2], [3], [4]],
  );
  for (const { end: ends } of tracks[0].levels) assert.ok(ends.every((at, i) => i === 0 || at >= ends[i - 1]));
  assert.deepEqual(
    lines.map(({ label, times: own }) => [label, [...own]]),
    [
      ['', [3, 5]],
      ['gc', [1]],
    ],
  );
  assert.equal(spansOfThread(7), null);
  const [whole] = momentsOf(infoWith({ spans: { ...spans, thread: Int32Array.from([-1, -1]) } })).spans;
  assert.deepEqual([whole.label, whole.count], ['off CPU', 2]);
});

test('the second clock has the name of its marks', () => {
  assert.equal(secondClockName(fakeProfile(10).runs[0].info), 'batch');
  const marks = Array.from({ length: 5 }, (_, i) => ({ time: i, value: i }));
  assert.equal(
    secondClockName(infoWith({ marks: madeMarks(marks.map((mark, i) => ({ ...mark, name: `${'ab'[i % 2]} ${i}` }))) })),
    'second clock',
  );
  assert.equal(
    secondClockName(infoWith({ marks: madeMarks(marks.map((mark) => ({ ...mark, name: '17.5' }))) })),
    'second clock',
  );
});

test('a million marks are arranged in a moment', () => {
  const none = new Int32Array(1e6);
  const marks = {
    ...madeMarks([{ name: 'm' }]),
    time: Float64Array.from({ length: 1e6 }, (_, i) => i),
    name: none,
    label: none,
    kind: none,
    thread: none.map(() => -1),
    cpu: none.map(() => -1),
    value: new Float64Array(1e6).fill(NaN),
  };
  const began = process.cpuUsage().user;
  const { marks: tracks } = momentsOf(infoWith({ marks }));
  assert.equal(tracks[0].times.length, 1e6);
  assert.ok((process.cpuUsage().user - began) / 1e6 < 5);
  assert.equal(firstFrom(tracks[0].times, 999.5), 1000);
});
