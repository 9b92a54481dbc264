// The page's comparison says what `wick diff` says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { corrected, tailOf } from '../src/model/chance.ts';
import { initialState } from '../src/model/interface.ts';
import { file, modelOf, randomNumbers, report } from './support.ts';

const OPTIONS = { order: 'weight' as const, inverted: false, width: 'larger' as const, normalised: true };

// Equal but for one function, with the numbers of samples that chance gives.
function folded(seed: number, functions: number, slower: number): string {
  const random = randomNumbers(seed);
  return Array.from({ length: functions }, (_, i) => `main;f${i} ${i === 5 ? slower : 30 + random(8)}\n`).join('') + 'main;rare 3\n';
}

for (const measure of ['self', 'total'] as const) {
  test(`probabilities and verdicts by ${measure} are those of wick diff`, async () => {
    const files = [file('one.folded', folded(1, 60, 30)), file('two.folded', folded(2, 60, 140))];
    const model = await modelOf(...files);
    const state = initialState();
    const table = model.diffTable(state, OPTIONS);
    const names = model.labels(state).name;
    const { rows } = report('diff', ...files, '--measure', measure, '--as', 'share');
    let likely = 0;
    for (const row of rows) {
      const at = table.func.findIndex((func) => names[func] === row['name']);
      const chance = table[`${measure}Chance`][at];
      if (row['name'] === 'rare') assert.ok(Number.isNaN(chance), 'too few samples to compare');
      else if (row['name'] !== 'main' || measure === 'self') assert.ok(Math.abs(chance - (row['probability'] as number)) < 1e-6, `${row['name']}: ${chance} and ${row['probability']}`);
      assert.equal(chance < 0.05, row['verdict'] !== 'no evidence', String(row['name']));
      likely += chance < 0.05 ? 1 : 0;
    }
    assert.equal(likely, 1);
  });
}

test('functions are paired by name, whatever file they are in', async () => {
  const sample = (module: string, time: number): string => `app 1/1 [000] 1.${String(time).padStart(6, '0')}: 1000000 cpu-clock:u: \n\t  55d0 jitted+0x8 (${module})\n\n`;
  const run = (module: string): string => Array.from({ length: 40 }, (_, i) => sample(module, i)).join('');
  const model = await modelOf(file('old.txt', run('/tmp/perf-100.map')), file('new.txt', run('/tmp/perf-200.map')));
  const { func, selfBefore, selfAfter, selfChance } = model.diffTable(initialState(), OPTIONS);
  assert.equal(func.length, 1);
  assert.equal(selfBefore[0], selfAfter[0]);
  assert.equal(selfChance[0], 1);
});

test('the normal distribution and the correction', () => {
  for (const [errors, tail] of [[0, 1], [1, 0.31731050786], [1.959963984540054, 0.05], [2.82, 0.0048024], [3, 0.0026997960633], [6, 1.9731752898e-9]]) {
    assert.ok(Math.abs(tailOf(errors) - tail) < 1e-6 * tail + 1e-12 + (errors === 2.82 ? 1e-5 : 0), `${errors}: ${tailOf(errors)}`);
  }
  assert.deepEqual(corrected(Float64Array.of(0.04, 0.01, NaN, 0.03)), { probabilities: Float64Array.of(0.06, 0.03, NaN, 0.06), compared: 3 });
  assert.equal(tailOf(NaN) >= 0, false);
});
