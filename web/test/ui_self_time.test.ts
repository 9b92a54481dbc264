// SPDX-License-Identifier: Apache-2.0
// The self time that the page shows, in trees of both directions; and the search for a name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialState } from '../src/model/interface.ts';
import { patternOf } from '../src/ui/commands.ts';
import { selfTime, selfTimes } from '../src/ui/self_time.ts';
import { file, modelOf } from './support.ts';

test('self time in an inverted tree belongs to the frame that spent it', async () => {
  const model = await modelOf(file('own.folded', 'main;work;leaf 30\nmain;work 10\n'));
  const state = initialState();
  const { name } = model.labels(state);
  const options = { order: 'weight' as const, inverted: false };
  const selfTimeRows = (tree: ReturnType<typeof model.callTree>): [string, number | null][] =>
    Array.from(tree.func, (func, node) => [func < 0 ? 'all' : name[func], selfTime(tree, node)]);
  assert.deepEqual(selfTimeRows(model.callTree(state, options)), [
    ['all', 0],
    ['main', 0],
    ['work', 10],
    ['leaf', 30],
  ]);
  const inverted = model.callTree(state, { ...options, inverted: true });
  assert.deepEqual(selfTimeRows(inverted), [
    ['all', null],
    ['leaf', 30],
    ['work', null],
    ['main', null],
    ['work', 10],
    ['main', null],
  ]);
  assert.deepEqual([...selfTimes(inverted)], [0, 30, 0, 0, 10, 0]);
  const { callers } = model.sandwich(state, name.indexOf('work'), options);
  assert.deepEqual(selfTimeRows(callers), [
    ['work', null],
    ['main', null],
  ]);
});

test('the search for a name finds it, however long it is', () => {
  for (const name of ['f(int*)', 'a'.repeat(500), 'x<y>'.repeat(300)]) assert.match(name, new RegExp(patternOf(name)));
  assert.doesNotMatch('ff(int*)', new RegExp(patternOf('f(int*)')));
});
