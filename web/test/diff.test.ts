// SPDX-License-Identifier: Apache-2.0
// The page's comparison agrees with `wick diff`: word for word without filters, by the same method with them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { corrected, tailOf } from '../src/model/statistics.ts';
import type { DiffTable } from '../src/model/interface.ts';
import { initialState } from '../src/model/interface.ts';
import type { State } from '../src/model/interface.ts';
import type { Model } from '../src/model/model.ts';
import { file, modelOf, perfText, randomNumbers, report } from './support.ts';
import type { Report } from './support.ts';

const OPTIONS = { order: 'weight' as const, inverted: false, width: 'larger' as const, normalised: true };
const MEASURES = ['self', 'total'] as const;

// Equal except for one function, with random numbers of samples.
function folded(seed: number, functions: number, slower: number): string {
  const random = randomNumbers(seed);
  return (
    Array.from({ length: functions }, (_, i) => `main;f${i} ${i === 5 ? slower : 30 + random(8)}\n`).join('') +
    'main;rare 3\n'
  );
}

// One function in bursts of samples, another spread evenly: as many samples, but fewer independent ones.
function bursts(share: number): string {
  const sample = (i: number, name: string): string =>
    `app 1/1 [000] ${(1 + i * 0.001).toFixed(6)}: 1000000 cpu-clock:u: \n\t  55d0 ${name}+0x8 (/usr/bin/app)\n\t  55a0 main+0x8 (/usr/bin/app)\n\n`;
  return Array.from({ length: 2000 }, (_, i) =>
    sample(i, i % 1000 < 1000 * share ? 'burst' : i % 5 === 0 ? 'even' : 'rest'),
  ).join('');
}

const close = (a: number, b: unknown, what: string): void => {
  const wanted = b === null ? NaN : (b as number);
  if (Number.isNaN(wanted) && Number.isNaN(a)) return;
  assert.ok(Math.abs(a - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted)), `${what}: ${a} and ${wanted}`);
};

// Compares every number and word of the report, and its order.
function sameTable(
  model: Model,
  event: number,
  measure: (typeof MEASURES)[number],
  as: string,
  expected: Report,
): void {
  const state = { ...initialState(), event };
  const names = model.labels(state).name;
  const { scale } = model.profile.runs[0].info.events[event];
  const normalised = as === 'share';
  const table: DiffTable = model.diffTable(state, { ...OPTIONS, normalised });
  const judged = table[measure];
  assert.ok(judged.byWick);
  assert.deepEqual(judged.notes, expected['notes']);
  const whole = expected.sections?.['whole']?.[0];
  if (whole !== undefined) {
    close(table.costBefore / scale, whole['before'], `${measure} ${as} cost before`);
    close(table.costAfter / scale, whole['after'], `${measure} ${as} cost after`);
  }
  expected.rows.forEach((row, position) => {
    const at = table.func.findIndex((func) => names[func] === row['name']);
    const what = `${measure} ${as} ${row['name']}`;
    assert.ok(at >= 0, what);
    const suffix = normalised ? '_share' : '';
    const unit = normalised ? table.amountAfter.weight : scale;
    close(table[`${measure}Before`][at] / unit, row[`${measure}_before${suffix}`], `${what} before`);
    close(table[`${measure}After`][at] / unit, row[`${measure}_after${suffix}`], `${what} after`);
    close(judged.chance[at], row['probability'], `${what} probability`);
    close(judged.low[at], row['change_low'] ?? null, `${what} low`);
    close(judged.high[at], row['change_high'] ?? null, `${what} high`);
    close(judged.detectable[at], row['detectable'], `${what} detectable`);
    assert.equal(judged.verdict[at], row['verdict'] === 'no evidence' ? 0 : Math.sign(row['change'] as number), what);
    assert.equal(judged.rank[at], position, what);
  });
}

function sameAsWick(model: Model, files: string[], event: number, words: string[]): void {
  for (const measure of MEASURES)
    for (const as of ['share', 'run'])
      sameTable(model, event, measure, as, report('diff', ...files, '--measure', measure, '--as', as, ...words));
}

test('without filters the page shows what wick diff reports', async () => {
  for (const files of [
    [file('one.folded', folded(1, 60, 30)), file('two.folded', folded(2, 60, 140))],
    [file('few.txt', bursts(0.3)), file('many.txt', bursts(0.36))],
  ])
    sameAsWick(await modelOf(...files), files, 0, []);
  const files = [file('one.txt', perfText(1, 900)), file('two.txt', perfText(2, 1400))];
  const model = await modelOf(...files);
  const { events } = model.profile.runs[0].info;
  assert.equal(events.length, 2);
  events.forEach(({ name }, event) => sameAsWick(model, files, event, ['--event', name]));
});

test('several runs a side are compared as wick diff compares them', async () => {
  const runs = [1, 2, 3, 4, 5].map((seed) => file(`before${seed}.folded`, folded(seed, 40, 30 + seed)));
  const later = [6, 7, 8].map((seed) => file(`after${seed}.folded`, folded(seed, 40, 120 + 3 * seed)));
  const files = [...runs, '--', ...later];
  const model = await modelOf(...files);
  assert.deepEqual(
    model.profile.runs.map(({ info }) => info.repeats),
    [5, 3],
  );
  for (const measure of MEASURES)
    for (const as of ['share', 'run'])
      sameTable(model, 0, measure, as, report('diff', '--measure', measure, '--as', as, ...files));
  const filtered = model.diffTable({ ...initialState(), focus: ['f5'] }, { ...OPTIONS, normalised: false });
  const names = model.labels(initialState()).name;
  const f5 = filtered.func.findIndex((func) => names[func] === 'f5');
  close(filtered.selfBefore[f5], 33, 'the mean of a run');
  assert.equal(filtered.self.verdict[f5], 1);
});

test('bursts count as they do in wick', async () => {
  const files = [file('few.txt', bursts(0.3)), file('many.txt', bursts(0.36))];
  const model = await modelOf(...files);
  const { func, self } = model.diffTable(initialState(), OPTIONS);
  const burst = func.findIndex((row) => model.labels(initialState()).name[row] === 'burst');
  const inPage = model.diffTable({ ...initialState(), mode: 'user' }, OPTIONS).self;
  assert.ok(!inPage.byWick && inPage.chance[burst] < 0.05, 'independent samples would be evidence');
  assert.ok(self.byWick && self.chance[burst] > 0.05, 'bursts are none');
});

test('with filters, transforms or groups the page judges and says so', async () => {
  const model = await modelOf(file('one.txt', perfText(1, 900)), file('two.txt', perfText(2, 1400)));
  const start = initialState();
  for (const change of [
    { threads: [1] },
    { cpus: [0] },
    { range: [0, 1e8] as [number, number] },
    { focus: ['main'] },
    { groupBy: 'module' as const },
    { hiddenModules: [0] },
    { levels: 'thread' as const },
    { transforms: [{ type: 'merge-function' as const, by: 'function' as const, func: 0 }] },
  ]) {
    const { self } = model.diffTable({ ...start, ...change }, OPTIONS);
    assert.equal(self.byWick, false, JSON.stringify(change));
    assert.match(self.notes.join(' '), /computed in the page/);
  }
});

for (const measure of MEASURES) {
  test(`the page's own probabilities and verdicts by ${measure} are those of wick diff for samples without times`, async () => {
    const files = [file('one.folded', folded(1, 60, 30)), file('two.folded', folded(2, 60, 140))];
    const model = await modelOf(...files);
    const state = { ...initialState(), focus: ['.'] };
    const table = model.diffTable(state, OPTIONS);
    const names = model.labels(state).name;
    const { rows } = report('diff', ...files, '--measure', measure, '--as', 'share');
    let likely = 0;
    for (const row of rows) {
      const at = table.func.findIndex((func) => names[func] === row['name']);
      const chance = table[measure].chance[at];
      if (row['name'] === 'rare') assert.ok(Number.isNaN(chance), 'too few samples to compare');
      else if (row['name'] !== 'main' || measure === 'self')
        assert.ok(
          Math.abs(chance - (row['probability'] as number)) < 1e-6,
          `${row['name']}: ${chance} and ${row['probability']}`,
        );
      assert.equal(table[measure].verdict[at] !== 0, row['verdict'] !== 'no evidence', String(row['name']));
      likely += chance < 0.05 ? 1 : 0;
    }
    assert.equal(likely, 1);
    assert.equal(table[measure].rank[table.func.findIndex((func) => names[func] === 'f5')], 0);
  });
}

test('functions are paired by name, whatever file they are in', async () => {
  const sample = (module: string, time: number): string =>
    `app 1/1 [000] 1.${String(time).padStart(6, '0')}: 1000000 cpu-clock:u: \n\t  55d0 jitted+0x8 (${module})\n\n`;
  const run = (module: string): string => Array.from({ length: 40 }, (_, i) => sample(module, i)).join('');
  const model = await modelOf(file('old.txt', run('/tmp/perf-100.map')), file('new.txt', run('/tmp/perf-200.map')));
  const { func, selfBefore, selfAfter, self } = model.diffTable(initialState(), OPTIONS);
  assert.equal(func.length, 1);
  assert.equal(selfBefore[0], selfAfter[0]);
  assert.equal(self.chance[0], 1);
});

test('generated code and threads of a pool are paired, whatever numbers their names contain', async () => {
  const run = (pid: number, pool: number[]): string =>
    Array.from({ length: 40 }, (_, i) => {
      const number = pool[i % pool.length];
      return `worker-${number} ${pid}/${pid + number} [000] 1.${String(i).padStart(6, '0')}: 1000000 cpu-clock:u: \n\t  55d${i % 4} [unknown] (/tmp/perf-${pid}.map)\n\n`;
    }).join('');
  const files = [file('old.txt', run(27768, [1, 2])), file('new.txt', run(955, [2, 3, 4]))];
  const model = await modelOf(...files);
  for (const change of [{}, { groupBy: 'module' as const }]) {
    const state = { ...initialState(), ...change };
    const { func, totalBefore, totalAfter } = model.diffTable(state, OPTIONS);
    const { rows } = report('diff', ...files, ...('groupBy' in change ? ['--by', 'module'] : []));
    assert.deepEqual(
      Array.from(func, (row) => model.labels(state).name[row]),
      rows.map(({ name }) => name),
    );
    assert.deepEqual(totalBefore, totalAfter);
  }
  const byThread: State = { ...initialState(), levels: 'thread' };
  const tree = model.diffTree(byThread, OPTIONS);
  assert.deepEqual(
    Array.from(tree.func, (func) => (func < 0 ? 'all' : model.labels(byThread).name[func])),
    ['all', 'process worker-#', 'thread worker-#', 'perf-PID.map [no name]'],
  );
  assert.deepEqual(
    report('diff', ...files, '--by', 'thread').rows.map(({ name }) => name),
    ['worker-#'],
  );
});

test('rows that are not compared have no verdict', () => {
  assert.deepEqual(corrected(Float64Array.of(0.04, 0.01, NaN, 0.03)), {
    probabilities: Float64Array.of(0.06, 0.03, NaN, 0.06),
    compared: 3,
  });
  assert.equal(tailOf(NaN) >= 0, false);
});
