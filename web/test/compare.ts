// SPDX-License-Identifier: Apache-2.0
// Compares answers of the model with those of wick's C++ analyses to the same question, number by number. `words` are
// the file and the filters of the command line with the same meaning as the state.
import assert from 'node:assert/strict';
import type { CallTree, State } from '../src/model/interface.ts';
import type { Model } from '../src/model/model.ts';
import { isLateNode } from '../src/ui/late_marks.ts';
import { report } from './support.ts';
import type { Row } from './support.ts';

export function idOf(model: Model, state: State, name: string): number {
  const func = model.labels(state).name.indexOf(name);
  assert.ok(func >= 0, name);
  return func;
}

function scaleOf(model: Model, state: State): number {
  return model.profile.runs[state.profile].info.events[state.event].scale;
}

export function compareTable(model: Model, state: State, words: string[]): void {
  const expected = report('report', ...words);
  const labels = model.labels(state);
  const table = model.functions(state);
  const scale = scaleOf(model, state);
  assert.equal(table.amount.weight / scale, expected.total);
  assert.equal(table.amount.samples, expected.samples);
  const rows = Array.from(table.func, (func, row) => ({
    name: labels.name[func],
    self: table.self[row] / scale,
    total: table.total[row] / scale,
    samples: table.selfSamples[row],
    low: table.selfLow[row],
    high: table.totalHigh[row],
    late: table.late[row] !== 0,
  }));
  assert.deepEqual(
    rows,
    expected.rows.map((row: Row) => ({
      name: row['name'],
      self: row['self'],
      total: row['total'],
      samples: row['samples'],
      low: row['self_share_low'],
      high: row['total_share_high'],
      late: (row['late'] ?? '') !== '', // the column is absent where no row is late
    })),
  );
}

function rowsOfTree(model: Model, state: State, tree: CallTree): Row[] {
  const names = model.labels(state).name;
  const scale = scaleOf(model, state);
  return Array.from(tree.func, (func, row) => ({
    depth: tree.depth[row],
    parent: Math.max(0, tree.parent[row]),
    name: func < 0 ? 'all' : names[func],
    total: tree.total[row] / scale,
    self: tree.self[row] / scale,
    late: isLateNode(model.labels(state), tree, row) ? 'late' : '',
  }));
}

function checkShape(tree: CallTree): void {
  const below = new Float64Array(tree.size);
  for (let row = tree.size - 1; row > 0; --row) {
    const parent = tree.parent[row];
    assert.ok(parent < row && row < tree.end[parent] && tree.end[row] <= tree.end[parent]);
    assert.equal(tree.depth[row], tree.depth[parent] + 1);
    assert.ok(tree.left[row] >= tree.left[parent]);
    assert.ok(tree.left[row] + tree.total[row] <= tree.left[parent] + tree.total[parent]);
    below[parent] += tree.total[row];
  }
  for (let row = 0; row < tree.size; ++row) assert.equal(tree.self[row] + below[row], tree.total[row]);
}

export interface TreeQuestion {
  order: 'name' | 'weight';
  inverted: boolean;
}
export function compareTreeIn(model: Model, state: State, words: string[], { order, inverted }: TreeQuestion): void {
  const expected = report('flame', ...words, '--order', order, ...(inverted ? ['--reverse'] : [])).rows.filter(
    (row: Row, i: number) => i === 0 || (row['total'] as number) > 0,
  );
  const tree = model.callTree(state, { order, inverted, minTotal: 0 });
  checkShape(tree);
  const rows = rowsOfTree(model, state, tree);
  assert.deepEqual(
    rows.map(({ parent, ...row }) => row),
    expected.map(({ depth, name, total, self, late }: Row) => ({
      depth,
      name,
      total,
      self,
      late: late ?? '',
    })),
    `${order} ${inverted ? 'inverted' : ''}`,
  );
}

export function compareTree(model: Model, state: State, words: string[]): void {
  for (const order of ['name', 'weight'] as const)
    for (const inverted of [false, true]) compareTreeIn(model, state, words, { order, inverted });
}

// "a;b 3" for each row. Sorted, because siblings with equal weights and names, from two modules, have no fixed order.
function pathsOf(rows: Row[]): string[] {
  const open: string[] = [];
  return rows
    .map((row) => {
      open.length = row['depth'] as number;
      open.push(row['name'] as string);
      return `${open.join(';')} ${row['total']}`;
    })
    .sort();
}

// Callers and callees of every function of the table.
export function compareSandwiches(model: Model, state: State, words: string[], most: number): void {
  const labels = model.labels(state);
  const scale = scaleOf(model, state);
  for (const func of model.functions(state).func.slice(0, most)) {
    const name = labels.name[func];
    if (labels.name.indexOf(name) !== labels.name.lastIndexOf(name) || name.startsWith('[')) continue; // wick merges these
    const expected = report('sandwich', ...words, name, '--depth', '0', '--min-share', '0');
    const result = model.sandwich(state, func, { order: 'weight', inverted: false, minTotal: 0 });
    const own = expected.rows.find((row) => row['relation'] === 'function') as Row;
    assert.equal(result.self / scale, own['self'], name);
    assert.equal(result.total / scale, own['total'], name);
    for (const [relation, tree] of [
      ['caller', result.callers],
      ['callee', result.callees],
    ] as const) {
      checkShape(tree);
      const rows = rowsOfTree(model, state, tree)
        .slice(1)
        .map((row) => ({ ...row, depth: (row['depth'] as number) - 1 }));
      const wanted = expected.rows.filter(
        (row) => row['relation'] === relation && row['name'] !== '[no caller]' && row['total'] !== 0,
      );
      assert.deepEqual(pathsOf(rows), pathsOf(wanted), `${relation}s of ${name}`);
      const share = (total: unknown): string => (((total as number) * scale) / tree.amount.weight).toFixed(12);
      assert.deepEqual(
        rows.map((row) => share((row as Row)['total'])).sort(),
        wanted.map((row) => (row['total_share'] as number).toFixed(12)).sort(),
        'shares are of everything',
      );
    }
  }
}

export function compareQuality(model: Model, state: State, words: string[]): void {
  const expected = report('quality', ...words);
  const result = model.quality(state);
  for (const figure of ['complete', 'truncated', 'broken', 'unknown', 'lost'] as const)
    assert.equal(result[figure], expected[figure], figure);
  assert.deepEqual(
    result.modules.map(({ module, ...counts }) => ({ ...counts, name: module })),
    expected.rows,
  );
  assert.deepEqual(
    result.reasons.map(({ module, samples, reason, fix }) => ({ samples, name: module, reason, fix })),
    expected.sections?.['reasons'] ?? [],
  );
  assert.deepEqual(
    result.interpreters.map(({ samples, state, reason, advice }) => ({ samples, name: state, reason, fix: advice })),
    expected.sections?.['interpreters'] ?? [],
  );
  assert.deepEqual(
    result.origins.map(({ samples, origin, meaning }) => ({ samples, name: origin, meaning })),
    expected.sections?.['origins'] ?? [],
  );
}

export function compareBreakdowns(model: Model, state: State, words: string[]): void {
  const scale = scaleOf(model, state);
  for (const by of ['module', 'thread', 'process', 'cpu'] as const) {
    const expected = report('report', ...words, '--by', by);
    const result = model.breakdown(state, by);
    const rows = result.label.map((name, row) => [name, result.total[row] / scale]).sort();
    assert.deepEqual(rows, expected.rows.map((row) => [row['name'], row['total']]).sort(), by);
  }
}

// Everything that depends on which frames are shown.
export function compareShown(model: Model, state: State, words: string[], sandwiches: number): void {
  compareTable(model, state, words);
  compareTree(model, state, words);
  compareSandwiches(model, state, words, sandwiches);
  compareBreakdowns(model, state, words);
}

export function compareAll(model: Model, state: State, words: string[], sandwiches: number): void {
  compareShown(model, state, words, sandwiches);
  compareQuality(model, state, words);
}
