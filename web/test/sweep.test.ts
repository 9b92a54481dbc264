// SPDX-License-Identifier: Apache-2.0
// The modules of a sweep's page, without a browser: data, numbers, scales, statistics, CSV, differences, fragment.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvField, sweepCsv } from '../src/sweep/csv.ts';
import {
  counterpart,
  findPoint,
  linesAlong,
  passes,
  pointName,
  readSweep,
  troubleOf,
  type Point,
  type Sweep,
} from '../src/sweep/data.ts';
import { diffCommand, functionDiff, shellWord } from '../src/sweep/function_diff.ts';
import { plainNumber, tickText, withUnit } from '../src/sweep/numbers.ts';
import { linearTicks, logTicks, makeScale, seenHeight } from '../src/sweep/scales.ts';
import { fromFragment, startState, toFragment } from '../src/sweep/state.ts';
import { compareRuns } from '../src/model/statistics.ts';
import { words } from './support.ts';

const point = (id: number, threads: number, engine: string, values: number[]): Point => ({
  id,
  axes: { threads, engine },
  at: [[1, 2, 4].indexOf(threads), ['a', 'b'].indexOf(engine)],
  status: 'ok',
  why: '',
  cut: '',
  failed_checks: [],
  metrics: { wall: { median: values[0], low: null, high: values[0], mark: '', n: values.length, values } },
  profile: '',
  page: '',
});
const small = (): Sweep => ({
  plan: {
    name: 'small',
    directory: 'out',
    areas: [],
    axes: [
      { name: 'threads', unit: '', values: [1, 2, 4], numeric: true, log: true },
      { name: 'engine', unit: '', values: ['a', 'b'], numeric: false, log: false },
    ],
    metrics: [{ name: 'wall', unit: 's', better: 'less', hidden: false }],
  },
  machine: { cpus: 0, facts: [], findings: [] },
  notes: [],
  fits: [],
  ranking: [],
  points: [point(1, 1, 'a', [4]), point(2, 2, 'a', [2]), point(3, 4, 'a', [1]), point(4, 1, 'b', [5])],
});
const read = (sweep: Sweep): Sweep => readSweep(JSON.stringify(sweep));

describe('data of a sweep', () => {
  it('are refused when damaged', () => {
    for (const text of [null, '', '{', '[]', '{"points":3,"plan":{"axes":[]}}'])
      assert.throws(() => readSweep(text), /damaged/);
  });

  it('find points, lines and names', () => {
    const sweep = read(small());
    assert.equal(pointName(sweep, sweep.points[1]), 'threads=2 engine=a');
    assert.equal(findPoint(sweep, '2')?.point.id, 2);
    assert.equal(findPoint(sweep, 'o2'), null);
    assert.equal(findPoint(sweep, '9'), null);
    assert.deepEqual(
      [...linesAlong(sweep.points, 0).values()].map((line) => line.map(({ id }) => id)),
      [[1, 2, 3], [4]],
    );
    assert.deepEqual(
      sweep.points.filter((one) => passes(one, [0, -1])).map(({ id }) => id),
      [1, 4],
    );
    assert.equal(
      troubleOf({ ...sweep.points[0], status: 'timeout', why: 'after 3 s', failed_checks: ['x', 'y'] }),
      'timeout: after 3 s; failed: x, y',
    );
    assert.equal(troubleOf({ ...sweep.points[0], cut: 'In 1 of 2 runs.' }), 'output cut: In 1 of 2 runs.');
  });

  it('put two sweeps on the same axes', () => {
    const other = small();
    other.plan.axes[0].values = [8, 2, 1];
    other.points = [
      point(7, 2, 'a', [3]),
      { ...point(8, 2, 'a', [3]), axes: { threads: 8, engine: 'a' } },
      { ...point(9, 2, 'a', [1]), axes: { threads: 8 } as Point['axes'] },
    ];
    const sweep = read({ ...small(), other });
    assert.deepEqual(sweep.plan.axes[0].values, [1, 2, 4, 8]);
    assert.deepEqual(
      sweep.other!.points.map(({ id, at }) => [id, at]),
      [
        [7, [1, 0]],
        [8, [3, 0]],
      ],
    );
    assert.match(sweep.other!.notes[0], /^1 point is not shown/);
    assert.equal(counterpart(sweep, sweep.points[1], sweep.other!)?.id, 7);
    assert.equal(counterpart(sweep, sweep.points[0], sweep.other!), null);
    assert.equal(findPoint(sweep, 'o8')?.other, true);
  });
});

describe('numbers', () => {
  it('end where intervals of few runs would hide the rest', () => {
    assert.equal(seenHeight([{ value: 2 }, { value: null }, { value: 5 }]), 15);
    assert.equal(seenHeight([{ value: 0 }]), Infinity);
  });
  it('read well', () => {
    assert.deepEqual([0, 4, 12345.6, 0.12345, -2.5, 1e-9, Infinity].map(plainNumber), [
      '0',
      '4',
      '12,346',
      '0.1235',
      '\u22122.5',
      '1.000e-9',
      '\u221e',
    ]);
    assert.deepEqual(
      [withUnit(1.25, 's'), withUnit(2, 'ms'), withUnit(2048, 'bytes'), withUnit(0.314, 'share'), withUnit(3, 'ops')],
      ['1.25 s', '2.00 ms', '2.00 KiB', '31.4 %', '3 ops'],
    );
    assert.equal(withUnit(3, 'constructor'), '3 constructor');
    assert.deepEqual(
      [tickText(2500, ''), tickText(1.5, 's'), tickText(0, 's'), tickText(0.2, 'share')],
      ['2.5k', '1.5 s', '0', '20 %'],
    );
  });

  it('are at round positions', () => {
    assert.deepEqual(linearTicks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
    assert.deepEqual(linearTicks(3, 3, 5), [3]);
    assert.deepEqual(logTicks(1, 1000, 4), [1, 10, 100, 1000]);
    assert.ok(logTicks(1, 20, 5).includes(10));
    const scale = makeScale(1, 100, true, 0, 100);
    assert.ok(Math.abs(scale.at(10) - 50) < 1e-9);
    assert.ok(Number.isFinite(makeScale(0, 0, false, 0, 100).at(0)));
    assert.ok(Number.isFinite(makeScale(-1, 5, true, 0, 100).at(2)), 'no logarithm of what is below 0');
  });
});

describe('statistics', () => {
  it('compare runs by their ratio', () => {
    const change = compareRuns([1, 1.01, 0.99], [1.2, 1.21, 1.19], false, words)!;
    assert.ok(Math.abs(change.ratio - 1.2) < 0.001);
    assert.ok(change.low > 1.15 && change.high < 1.25 && change.probability < 0.001);
    assert.ok(compareRuns([1, 1.1, 0.9], [1.05, 0.95, 1.02], false, words)!.probability > 0.3);
    assert.ok(Number.isNaN(compareRuns([1], [2], false, words)!.probability));
    assert.ok(compareRuns([1], [2, 2.1, 1.9], false, words)!.probability < 0.05);
    assert.equal(compareRuns([], [1], false, words), null);
    assert.equal(compareRuns([3, 3], [3, 3], false, words)!.probability, 1);
  });

  it('compare with nothing', () => {
    const gone = compareRuns([1.001, 1.002, 1.001], [0, 0, 0], false, words)!;
    assert.ok(gone.ratio === 0 && gone.low === 0 && gone.high < 0.01 && gone.probability < 0.001);
    assert.equal(compareRuns([0, 0, 0], [1.5, 1.6, 1.4], false, words)!.ratio, Infinity);
    assert.ok(compareRuns([1, 1, 1], [0, 0, 0], true, words)!.probability > 0.05, 'one event in a run is chance');
    assert.equal(compareRuns([0, 0], [0, 0], true, words)!.ratio, 1);
  });
});

describe('CSV', () => {
  it('has one line a point', () => {
    assert.equal(sweepCsv(read(small())).split('\n')[1], '1,1,a,ok,,4,,4,1,');
    assert.equal(sweepCsv(read(small())).split('\n').length, 6);
  });

  it('starts no formula', () => {
    assert.deepEqual(['=1+1', '@x', '-1.5', '-x', 'a"b,c'].map(csvField), ["'=1+1", "'@x", '-1.5', "'-x", '"a""b,c"']);
  });
});

describe('two profiles by function', () => {
  const with_ = (functions: Point['functions'], least = 0): Point => ({
    ...point(1, 1, 'a', [1]),
    samples: 1000,
    functions: functions!,
    least_self: least,
  });
  it('judge changes of shares', () => {
    const changes = functionDiff(
      with_([
        ['f', 0.5, 1],
        ['g', 0.5, 0.5],
      ]),
      with_([
        ['f', 0.3, 1],
        ['g', 0.51, 0.5],
        ['h', 0.19, 0.2],
      ]),
      words,
    );
    assert.deepEqual(
      changes.map(({ name, verdict }) => [name, verdict]),
      [
        ['f', -1],
        ['h', 1],
        ['g', 0],
      ],
    );
    assert.equal(changes[1].before, 0);
  });

  it('do not treat an unlisted function as zero', () => {
    const [change] = functionDiff(with_([], 0.02), with_([['h', 0.5, 0.5]]), words);
    assert.deepEqual([change.before, change.verdict], [null, 0]);
  });

  it('are compared by a command that can be pasted', () => {
    assert.equal(shellWord("a'b c"), "'a'\\''b c'");
    assert.equal(shellWord('-rf'), "'-rf'");
    assert.equal(diffCommand(['my out/', 'b'], ['p/1.wick', 'p/2.wick']), "wick diff 'my out/p/1.wick' b/p/2.wick");
  });
});

describe('the fragment', () => {
  it('restores the state, and ignores what does not exist', () => {
    const sweep = read(small()),
      state = { ...startState(sweep), view: 'heat', logY: true, filter: [1, -1], point: '3', before: '1' };
    assert.deepEqual(fromFragment(`#${toFragment(state, sweep)}`, sweep), state);
    assert.equal(toFragment(startState(sweep), sweep), '');
    const hidden = small();
    hidden.plan.metrics = [{ name: 'part', unit: '', better: 'more', hidden: true }, ...hidden.plan.metrics];
    assert.equal(startState(hidden).metric, 1, 'a part of others is not what one looks at first');
    const wrong = fromFragment('#metric=7&axis=-3&only=9.9.9&show=other&colour=5&view=%zz', sweep);
    assert.deepEqual(wrong, startState(sweep));
  });
});
