// SPDX-License-Identifier: Apache-2.0
// The page's side of the worker: questions that are replaced, fail or never end.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WorkerLink } from '../src/model/client.ts';
import { initialState, SlowPattern } from '../src/model/interface.ts';
import type { Answer, Question } from '../src/model/worker.ts';

const PATIENCE = 30;

// Answers each question in order, with its method; never one with the expression "endless", nor any after it.
class FakeWorker {
  static started = 0;
  static asked: string[] = [];
  onmessage: ((event: { data: Answer }) => void) | null = null;
  onerror: (() => void) | null = null;
  private stuck = false;

  constructor() {
    FakeWorker.started++;
  }
  postMessage(question: Question): void {
    const text = JSON.stringify(question.args);
    FakeWorker.asked.push(question.method);
    this.stuck ||= text.includes('endless');
    if (!this.stuck) setTimeout(() => this.onmessage?.({ data: { id: question.id, value: question.method } }), 1);
  }
  terminate(): void {
    this.onmessage = null;
  }
}

const linked = (): WorkerLink => {
  FakeWorker.started = 0;
  FakeWorker.asked = [];
  return new WorkerLink(() => new FakeWorker() as unknown as Worker, [], PATIENCE);
};
const state = initialState();

describe('an expression that does not end', () => {
  it('is stopped; a new worker answers the questions after it', async () => {
    const link = linked();
    await link.load();
    const search = link.ask('search', 'search', [state, 'endless', true]);
    const others = [link.ask('functions', 'functions', [state]), link.ask('labels', 'labels', [state])];
    await assert.rejects(
      search,
      (error) => error instanceof SlowPattern && /endless took too long and was stopped/.test(error.message),
    );
    assert.deepEqual(await Promise.all(others), ['functions', 'labels']);
    assert.equal(FakeWorker.started, 2);
    assert.deepEqual(FakeWorker.asked, ['load', 'search', 'functions', 'labels', 'load', 'functions', 'labels']);
  });

  it('as a filter fails every question, and is refused at once from then on', async () => {
    const link = linked();
    await link.load();
    const filtered = { ...state, focus: ['endless'] };
    const first = link.ask('functions', 'functions', [filtered]);
    const second = link.ask('amount', 'amount', [filtered]);
    for (const question of [first, second]) await assert.rejects(question, SlowPattern);
    await assert.rejects(link.ask('amount', 'amount', [filtered]), SlowPattern);
    assert.equal(FakeWorker.started, 2);
    assert.equal(await link.ask('amount', 'amount', [state]), 'amount');
  });

  it('that ended before has no time limit', async () => {
    const link = linked();
    await link.load();
    const filtered = { ...state, focus: ['fine'] };
    await link.ask('amount', 'amount', [filtered]);
    const slow = link.ask('breakdown', 'breakdown', [filtered, 'endless' as never]); // slow for another reason than the expression
    await new Promise((done) => setTimeout(done, 3 * PATIENCE));
    assert.equal(FakeWorker.started, 1);
    void slow.catch(() => undefined);
  });
});

describe('a question', () => {
  it('that a newer one replaced before it was sent has no answer', async () => {
    const link = linked();
    const answers = (['amount', 'quality', 'folded'] as const).map((method) => link.ask('one', method, [state]));
    assert.deepEqual(await Promise.all(answers), ['amount', null, 'folded']);
  });
});
