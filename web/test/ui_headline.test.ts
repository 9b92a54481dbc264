// SPDX-License-Identifier: Apache-2.0
// The sentence of the summary has the numbers of the table of functions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialState, type ProfileInfo } from '../src/model/interface.ts';
import type { AppCore } from '../src/ui/app_core.ts';
import { headline, subject } from '../src/ui/headline.ts';
import { isUncounted, laneUnit, processLabels, profileFacts, threadLabels } from '../src/ui/profile_words.ts';
import { file, modelOf } from './support.ts';

test('the cost of a function covers all of its call paths', async () => {
  const model = await modelOf(file('paths.folded', 'main;a;work;p 30\nmain;a;work;q 25\nmain;b;work;r 45\n'));
  const state = initialState();
  const labels = model.labels(state);
  const { words, runs } = model.profile;
  const app = { labels, words, info: runs[0].info, state: { model: state } } as unknown as AppCore;
  const { rest } = headline(
    app,
    model.functions(state),
    model.callTree(state, { order: 'weight', inverted: false }),
    null,
  );
  assert.deepEqual(rest.slice(0, 3), [
    { strong: '100 %' },
    ' ran through ',
    { func: labels.name.indexOf('work'), module: '' },
  ]);
});

test('time that threads may have waited is not called CPU time', async () => {
  const events = [{ ph: 'X', name: 'load', pid: 1, tid: 1, ts: 0, dur: 10 }],
    trace = await modelOf(file('trace.json', JSON.stringify({ traceEvents: events }))),
    stacks = await modelOf(file('cpu.perf.txt', 'p 1/1 [000] 1.000000: 1000000 cpu-clock:\n\t10 f+0x1 (/x/p)\n\n')),
    [spans] = trace.profile.runs[0].info.events,
    [clock] = stacks.profile.runs[0].info.events;
  assert.deepEqual([subject(spans), laneUnit(spans)], ['the wall time', 'thread']);
  assert.deepEqual([subject(clock), laneUnit(clock)], ['the CPU time', 'CPU']);
});

test('threads and processes of one name and number have different labels', () => {
  const rows = ['bash 7', 'bash 7', 'bash 8', 'bash 7'].map((label) => ({ label })),
    own = [0, 2, 3],
    info = { threads: rows, processes: rows, ownThreads: own, ownProcesses: own } as unknown as ProfileInfo;
  assert.deepEqual(threadLabels(info), ['bash 7', 'bash 7', 'bash 8', 'bash 7 (2)']);
  assert.deepEqual(processLabels(info), threadLabels(info));
});

test('a file that does not count its samples has no number of them', async () => {
  const frames = [{ name: 'main' }],
    events = ['O', 'C'].map((type, i) => ({ type, frame: 0, at: 5 * i })),
    profiles = [{ type: 'evented', name: 'one', unit: 'seconds', startValue: 0, endValue: 5, events }],
    $schema = 'https://www.speedscope.app/file-format-schema.json';
  const model = await modelOf(
    file('evented.speedscope.json', JSON.stringify({ $schema, shared: { frames }, profiles })),
  );
  const [{ info }] = model.profile.runs;
  assert.ok(isUncounted(info));
  assert.equal(profileFacts([info]), '5.00 s');
});
