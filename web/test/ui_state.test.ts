// SPDX-License-Identifier: Apache-2.0
// The page's state in the fragment of its address: the page reads back what it wrote, and no other fragment breaks it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProfileInfo, Transform } from '../src/model/interface.ts';
import { fitTo, fromFragment, startState, toFragment, type PageState } from '../src/ui/page_state.ts';

const TRANSFORMS: Transform[] = [
  { type: 'merge-function', by: 'function', func: 3 },
  { type: 'merge-node', by: 'file', path: [1, 2, 3], inverted: true },
  { type: 'focus-subtree', by: 'line', path: [7], inverted: false },
  { type: 'focus-module', module: 4 },
  { type: 'collapse-subtree', by: 'module', path: [0, 5] },
  { type: 'collapse-library', module: 0 },
  { type: 'collapse-recursion', by: 'function', func: 12 },
  { type: 'collapse-direct-recursion', by: 'function', func: 13 },
  { type: 'drop-function', by: 'function', func: 14 },
  { type: 'collapse-function', by: 'function', func: 15 },
  { type: 'focus-function', by: 'function', func: 16 },
  { type: 'focus-self', by: 'function', func: 17 },
];

describe('the state of the page', () => {
  it('is an empty fragment at the start', () => {
    assert.equal(toFragment(startState()), '');
    assert.deepEqual(fromFragment(''), startState());
  });

  it('is restored from its fragment, for any setting', () => {
    const start = startState();
    const state: PageState = {
      ...start,
      view: 'flame',
      search: 'a|b & c=#% ü',
      ignoreCase: false,
      order: 'name',
      rootBelow: true,
      inverted: true,
      colour: 'heat',
      zoom: [1, 2, 30],
      selected: 9,
      sort: '-total',
      lane: 'cpu',
      chartLane: 3,
      window: [5, 1e12],
      diffWidth: 'after',
      diffBy: 'self',
      normalised: true,
      diffSort: 'sigma',
      model: {
        ...start.model,
        profile: 1,
        event: 2,
        threads: [1, 5],
        processes: [0],
        cpus: [3],
        mode: 'kernel',
        labels: [{ key: 'a=%3D', pattern: '^b=c$' }],
        range: [10, 20],
        modules: [2],
        hiddenModules: [0, 1],
        focus: ['^main$'],
        ignore: ['idle'],
        groupBy: 'file',
        levels: 'process',
        transforms: TRANSFORMS,
      },
    };
    assert.deepEqual(fromFragment(toFragment(state)), state);
    assert.deepEqual(fromFragment('#' + toFragment(state)), state);
  });

  it('ignores invalid values', () => {
    for (const fragment of [
      '=',
      '&&&',
      'range=9-3',
      'range=x',
      't=explode:f1',
      't=merge-function:',
      'threads=a.b',
      'zoom=1..2',
      'colour=mauve',
      'event=1e9',
      'search=%E0%A4%A',
      'group=everything',
      'function=99999999999',
      'toString=1',
      '__proto__=x',
    ]) {
      assert.deepEqual(fromFragment(fragment), startState(), fragment);
    }
  });

  it('is limited to what the profile has', () => {
    const info = {
      events: [{}],
      threads: [{}, {}],
      processes: [{}],
      cpus: [0, 1],
      labelKeys: ['user'],
      modules: [{}],
      hasTime: true,
      duration: 100,
    } as unknown as ProfileInfo;
    const state = fromFragment(
      'profile=1&event=4&threads=1.7&processes=3&cpus=1.9&modules=5&hide=0.8&range=500-600&t=focus-module:9~focus-module:0&label=user%3Dann%0Aother%3Dx%0Auser%3D(',
    );
    fitTo(state, [info]);
    const { model } = state;
    assert.deepEqual(
      [
        model.profile,
        model.event,
        model.threads,
        model.processes,
        model.cpus,
        model.modules,
        model.hiddenModules,
        model.range,
        model.labels,
        model.transforms,
      ],
      [0, 0, [1], null, [1], null, [0], null, [{ key: 'user', pattern: 'ann' }], [{ type: 'focus-module', module: 0 }]],
    );
  });
});
