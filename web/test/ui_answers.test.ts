// SPDX-License-Identifier: Apache-2.0
// Late answers: a part of the page ignores answers to older questions, and never waits for dropped ones.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Breakdown, Engine, Labels, SearchResult } from '../src/model/interface.ts';
import { AppCore } from '../src/ui/app_core.ts';
import { Question } from '../src/ui/question.ts';

Object.assign(globalThis, {
  location: { hash: '', pathname: '/', search: '' },
  window: { addEventListener() {} },
  history: { pushState() {}, replaceState() {} },
});

class Later<T> {
  promise: Promise<T>;
  resolve!: (value: T) => void;
  reject!: (error: Error) => void;
  constructor() {
    this.promise = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
  }
}
const rest = (): Promise<void> => new Promise((done) => setImmediate(done));
const named = (name: string) => ({ name: [name], kind: [0], module: [0], file: [-1], files: [] }) as unknown as Labels;

function appOf(engine: Partial<Engine>): AppCore {
  return new AppCore({
    loaded: { profiles: [{ events: [], threads: [], processes: [], modules: [], cpus: [] }] },
    ...engine,
  } as unknown as Engine);
}

describe('what is shared by all views', () => {
  it('retains the labels of the newest grouping, in any order of answers', async () => {
    const byModule = new Later<Labels>();
    const app = appOf({
      labels: ({ groupBy }) => (groupBy === 'module' ? byModule.promise : Promise.resolve(named('function'))),
    });
    app.changeModel({ groupBy: 'module' });
    app.changeModel({ groupBy: 'function' });
    await rest();
    byModule.resolve(named('module'));
    await rest();
    assert.equal(app.name(0), 'function');
  });

  it('finds nothing when the search was cleared before its answer', async () => {
    const answer = new Later<SearchResult>();
    const app = appOf({ labels: () => Promise.resolve(named('a')), search: () => answer.promise });
    app.change({ search: 'a' });
    await rest();
    app.change({ search: '' });
    await rest();
    answer.resolve({ matches: new Uint8Array([1]) } as unknown as SearchResult);
    await rest();
    assert.equal(app.searchResult, null);
    assert.equal(app.isHit(0), false);
  });

  it('ranks the threads of the event that is shown, and asks again what was not answered', async () => {
    const answers: (number[] | null)[] = [null, [2, 1], [1, 2]],
      asked: number[] = [];
    const app = appOf({
      labels: () => Promise.resolve(named('a')),
      breakdown({ event }) {
        asked.push(event);
        const ids = answers.shift();
        return Promise.resolve(ids ? ({ ids: ids.map((id) => [id]) } as unknown as Breakdown) : null);
      },
    });
    await app.rankThreads();
    assert.deepEqual(app.rankedThreads, []);
    await Promise.all([app.rankThreads(), app.rankThreads()]);
    assert.deepEqual(app.rankedThreads, [2, 1]);
    app.changeModel({ event: 1 });
    await app.rankThreads();
    assert.deepEqual(app.rankedThreads, [1, 2]);
    assert.deepEqual(asked, [0, 0, 1]);
  });

  it('reports what failed', async () => {
    const app = appOf({ labels: () => Promise.reject(new Error('no labels')) });
    const messages: string[] = [];
    app.onError = (message) => messages.push(message);
    await app.updateParts(null);
    assert.deepEqual(messages, ['no labels']);
  });
});

describe('the question of a view', () => {
  it('is asked once', async () => {
    const question = new Question();
    assert.equal(question.isNew({ focus: 'a' }, true), true);
    assert.equal(question.isNew({ focus: 'a' }, true), false);
    assert.equal(await question.answer(Promise.resolve(7)), 7);
    assert.equal(question.isNew({ focus: 'a' }, true), false);
    assert.equal(question.isNew({ focus: 'b' }, true), true);
  });

  it('is asked again if its answer arrived while another view was shown', async () => {
    let inFront = true;
    const question = new Question(() => inFront);
    const answer = new Later<number>();
    question.isNew('focus');
    const got = question.answer(answer.promise);
    inFront = false;
    answer.resolve(7);
    assert.equal(await got, null);
    assert.equal(question.isNew('focus'), true);
  });

  it('is asked again after an error, but a newer one stays', async () => {
    const question = new Question();
    question.isNew('a');
    assert.equal(await question.answer(Promise.resolve(null)), null);
    assert.equal(question.isNew('a'), true);
    const dropped = question.answer(Promise.resolve(null));
    question.isNew('b');
    await dropped;
    assert.equal(question.isNew('b'), false);
  });
});
