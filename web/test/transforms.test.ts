// SPDX-License-Identifier: Apache-2.0
// Firefox's transforms by example: folded lines in, folded lines out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialState } from '../src/model/interface.ts';
import type { State, Transform } from '../src/model/interface.ts';
import type { Model } from '../src/model/model.ts';
import { file, modelOf } from './support.ts';

const LINES = ['A;B;C 1', 'A;B;D 2', 'A;B;C;E 4', 'A;F;B;C 8', 'A 16', 'B;C;B;B;E 32', 'F 64'];
const model: Promise<Model> = modelOf(file('transforms.folded', `${LINES.join('\n')}\n`));

const id = (name: string, m: Model): number => m.labels(initialState()).name.indexOf(name);

async function check(make: (of: (name: string) => number) => Transform[], expected: string[]): Promise<void> {
  const m = await model;
  const state: State = { ...initialState(), transforms: make((name) => id(name, m)) };
  const lines = m
    .folded(state)
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .sort();
  assert.deepEqual(lines, [...expected].sort());
  // A transform that drops no sample preserves the weight: the tree's total, lines and the empty stack.
  const tree = m.callTree(state, { order: 'name', inverted: false });
  const sum = lines.reduce((all, line) => all + Number(line.slice(line.lastIndexOf(' '))), 0);
  assert.equal(tree.total[0], sum + tree.self[0]);
  const inverted = m.callTree(state, { order: 'name', inverted: true, minTotal: 0 });
  assert.equal(inverted.total[0], tree.total[0]);
}

const by = 'function' as const;

test('merge function: its frames are removed; callers get the cost', () =>
  check(
    (of) => [{ type: 'merge-function', by, func: of('B') }],
    ['A;C 1', 'A;D 2', 'A;C;E 4', 'A;F;C 8', 'A 16', 'C;E 32', 'F 64'],
  ));

test('merge node: only this call path', () =>
  check(
    (of) => [{ type: 'merge-node', by, path: [of('A'), of('B')], inverted: false }],
    ['A;C 1', 'A;D 2', 'A;C;E 4', 'A;F;B;C 8', 'A 16', 'B;C;B;B;E 32', 'F 64'],
  ));

test('merge node in the inverted tree: only stacks that end so', () =>
  check(
    (of) => [{ type: 'merge-node', by, path: [of('C'), of('B')], inverted: true }],
    ['A;C 1', 'A;B;D 2', 'A;B;C;E 4', 'A;F;C 8', 'A 16', 'B;C;B;B;E 32', 'F 64'],
  ));

test('focus function: stacks start at its outermost frame, others are dropped', () =>
  check((of) => [{ type: 'focus-function', by, func: of('B') }], ['B;C 9', 'B;D 2', 'B;C;E 4', 'B;C;B;B;E 32']));

test('focus self: only samples in the function itself', () =>
  check((of) => [{ type: 'focus-self', by, func: of('C') }], ['A;B;C 1', 'A;F;B;C 8']));

test('focus subtree: below one call path only', () =>
  check(
    (of) => [{ type: 'focus-subtree', by, path: [of('A'), of('B')], inverted: false }],
    ['B;C 1', 'B;D 2', 'B;C;E 4'],
  ));

test('focus subtree in the inverted tree: stacks that end so, cut there', () =>
  check((of) => [{ type: 'focus-subtree', by, path: [of('E'), of('C')], inverted: true }], ['A;B;C 4']));

test('drop function: samples that contain it are dropped', () =>
  check((of) => [{ type: 'drop-function', by, func: of('B') }], ['A 16', 'F 64']));

test('collapse function: what it calls becomes its own cost', () =>
  check((of) => [{ type: 'collapse-function', by, func: of('B') }], ['A;B 7', 'A;F;B 8', 'A 16', 'B 32', 'F 64']));

test('collapse subtree: the same below one call path', () =>
  check(
    (of) => [{ type: 'collapse-subtree', by, path: [of('A'), of('B')] }],
    ['A;B 7', 'A;F;B;C 8', 'A 16', 'B;C;B;B;E 32', 'F 64'],
  ));

test('collapse recursion: from the first call to the last one frame', () =>
  check(
    (of) => [{ type: 'collapse-recursion', by, func: of('B') }],
    ['A;B;C 1', 'A;B;D 2', 'A;B;C;E 4', 'A;F;B;C 8', 'A 16', 'B;E 32', 'F 64'],
  ));

test('collapse direct recursion: only f that calls f', () =>
  check(
    (of) => [{ type: 'collapse-direct-recursion', by, func: of('B') }],
    ['A;B;C 1', 'A;B;D 2', 'A;B;C;E 4', 'A;F;B;C 8', 'A 16', 'B;C;B;E 32', 'F 64'],
  ));

test('transforms follow each other, each on what the one before left', () =>
  check(
    (of) => [
      { type: 'focus-function', by, func: of('B') },
      { type: 'merge-function', by, func: of('C') },
      { type: 'collapse-direct-recursion', by, func: of('B') },
      { type: 'drop-function', by, func: of('D') },
    ],
    ['B 9', 'B;E 36'],
  ));

test('a transform that leaves nothing leaves an empty tree', () =>
  check(
    (of) => [
      { type: 'drop-function', by, func: of('A') },
      { type: 'drop-function', by, func: of('B') },
      { type: 'drop-function', by, func: of('F') },
    ],
    [],
  ));

// Modules: two libraries, one called from the other.
const PERF = [
  ['lib1', 'lib1', 'prog'],
  ['lib2', 'lib1', 'lib2', 'lib2', 'prog'],
]
  .map(
    (stack, sample) =>
      `p 1/1 [000] 1.${sample}00000: ${sample + 1} cycles:\n${stack.map((module, level) => `\t${10 + level} f${level}+0x1 (/x/${module})\n`).join('')}\n`,
  )
  .join('');

test('collapse library: runs of its frames become one', async () => {
  const m = await modelOf(file('modules.perf.txt', PERF));
  const module = m.profile.modules.name.indexOf('lib2');
  const lines = m
    .folded({ ...initialState(), transforms: [{ type: 'collapse-library', module }] })
    .trimEnd()
    .split('\n')
    .sort();
  assert.deepEqual(lines, ['f2;f1;f0 1', 'f4;lib2;f1;lib2 2']);
  // A transform by function means the same when the view groups by module.
  const func = m.labels(initialState()).name.indexOf('f1');
  const state: State = { ...initialState(), groupBy: 'module', transforms: [{ type: 'merge-function', by, func }] };
  assert.deepEqual(m.folded(state).trimEnd().split('\n').sort(), ['prog;lib1 1', 'prog;lib2;lib2;lib2 2']);
});

test('processes and threads as levels', async () => {
  const m = await modelOf(
    file(
      'threads.perf.txt',
      ['a 1/1', 'b 1/2', 'a 7/7', 'b 7/8']
        .map((task, i) => `${task} [000] 1.${i}: ${i + 1} cycles:\n\t10 f+0x1 (/x/p)\n\t20 main+0x1 (/x/p)\n\n`)
        .join(''),
    ),
  );
  const folded = (change: Partial<State>): string[] =>
    m
      .folded({ ...initialState(), ...change })
      .trimEnd()
      .split('\n')
      .sort();
  assert.deepEqual(folded({}), ['main;f 10']);
  assert.deepEqual(folded({ levels: 'process' }), ['process a;main;f 10']);
  assert.deepEqual(folded({ levels: 'thread' }), ['process a;thread a;main;f 4', 'process a;thread b;main;f 6']);
  const func = id('f', m);
  for (const type of ['focus-function', 'focus-self'] as const)
    assert.deepEqual(
      folded({ levels: 'process', transforms: [{ type, by, func }] }),
      [type === 'focus-function' ? 'process a;f 10' : 'process a;main;f 10'],
      'the process stays above the focus',
    );
  const path = ['process a', 'thread b', 'main', 'f'].map((name) => id(name, m));
  assert.deepEqual(folded({ levels: 'thread', transforms: [{ type: 'focus-subtree', by, path, inverted: false }] }), [
    'process a;thread b;f 6',
  ]);
  assert.deepEqual(folded({ levels: 'process', transforms: [{ type: 'focus-module', module: 0 }] }), [
    'process a;main;f 10',
  ]);
});
