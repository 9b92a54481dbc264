// SPDX-License-Identifier: Apache-2.0
// The page's side of the worker: an Engine whose methods send questions.
//
// The worker answers one question at a time, in the order in which they were sent. On each channel (a method,
// sometimes with an argument) one question is in progress and at most one waits. A newer question replaces the waiting
// one, whose caller gets null.
//
// A regular expression can run practically forever. If a question contains an expression that never finished before,
// it has a time limit. After that the page ends the worker, starts a new one, and sends all other questions again.
import { fetchParts } from './page_parts.ts';
import type { Arguments, Engine, Labels, Loaded, Method, Results, State } from './interface.ts';
import { LoadError, SlowPattern } from './interface.ts';
import type { Answer, QuestionBody, Question } from './worker.ts';

type Waiting = { body: QuestionBody; resolve: (value: unknown) => void; reject: (error: Error) => void };
type Open = Waiting & { channel: string; since: number };

// A benchmark (bench/viewer.mjs) sets a list here, to which the page adds the duration of each question.
type WithTimings = { wickTimings?: [method: string, milliseconds: number][] };

const PATTERN_TIMEOUT_MS = 5000;

function patternsOf({ body }: Waiting): string[] {
  if (body.method === 'load' || body.method === 'labels') return [];
  const { focus, ignore, labels } = body.args[0];
  const searched = body.method === 'search' ? [body.args[1]] : body.method === 'moments' ? [body.args[1].search] : [];
  return [...focus, ...ignore, ...labels.map(({ pattern }) => pattern), ...searched];
}

export class WorkerLink {
  private worker: Worker;
  private readonly open = new Map<number, Open>(); // in the order of sending; the worker is answering the first
  private readonly busy = new Set<string>();
  private readonly next = new Map<string, Waiting>();
  private readonly finished = new Set<string>(); // expressions that ended in time
  private readonly slow = new Set<string>(); // ... and those that did not
  private watched = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private lastId = 0;

  constructor(
    private readonly start: () => Worker,
    private readonly parts: Uint8Array[],
    private readonly timeout = PATTERN_TIMEOUT_MS,
  ) {
    this.worker = this.startWorker();
  }

  private startWorker(): Worker {
    const worker = this.start();
    worker.onmessage = (event: MessageEvent<Answer>) => this.receive(event.data);
    worker.onerror = (event) => this.failAll(event.message || "The page's worker stopped; reload the page.");
    return worker;
  }

  load(): Promise<Loaded> {
    return this.queue('load', { method: 'load', args: [this.parts] }) as Promise<Loaded>;
  }

  ask<M extends Method>(channel: string, method: M, args: Arguments[M]): Promise<Results[M] | null> {
    return this.queue(channel, { method, args } as QuestionBody) as Promise<Results[M] | null>;
  }

  private queue(channel: string, body: QuestionBody): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { body, resolve, reject };
      if (!this.busy.has(channel)) {
        this.send(channel, waiting);
        return;
      }
      this.next.get(channel)?.resolve(null);
      this.next.set(channel, waiting);
    });
  }

  private send(channel: string, waiting: Waiting): void {
    const slow = patternsOf(waiting).filter((pattern) => this.slow.has(pattern));
    if (slow.length > 0) {
      waiting.reject(new SlowPattern(slow));
      return;
    }
    this.busy.add(channel);
    const id = ++this.lastId;
    this.open.set(id, { ...waiting, channel, since: performance.now() });
    this.worker.postMessage({ id, ...waiting.body } satisfies Question);
    this.watch();
  }

  private receive(answer: Answer): void {
    const waiting = this.open.get(answer.id);
    if (waiting === undefined) return;
    (globalThis as WithTimings).wickTimings?.push([waiting.body.method, performance.now() - waiting.since]);
    for (const pattern of patternsOf(waiting)) this.finished.add(pattern);
    this.close(answer.id, waiting.channel);
    if (answer.error === undefined) waiting.resolve(answer.value);
    else waiting.reject(new LoadError(answer.error));
    this.watch();
  }

  private close(id: number, channel: string): void {
    this.open.delete(id);
    this.busy.delete(channel);
    const next = this.next.get(channel);
    if (next === undefined) return;
    this.next.delete(channel);
    this.send(channel, next);
  }

  // Starts the timer of the question that the worker is answering.
  private watch(): void {
    const [id, first] = this.open.entries().next().value ?? [0, null];
    if (id === this.watched) return;
    this.watched = id;
    clearTimeout(this.timer);
    const suspects = first === null ? [] : patternsOf(first).filter((pattern) => !this.finished.has(pattern));
    if (suspects.length > 0) this.timer = setTimeout(() => this.restart(suspects), this.timeout);
  }

  private restart(suspects: string[]): void {
    this.worker.terminate();
    for (const pattern of suspects) this.slow.add(pattern);
    this.worker = this.startWorker();
    const again = [...this.open.values()];
    this.open.clear();
    this.busy.clear();
    this.load().catch(() => undefined); // it loaded before
    for (const { channel, ...waiting } of again) this.send(channel, waiting);
    for (const [channel, waiting] of [...this.next]) {
      if (this.busy.has(channel)) continue;
      this.next.delete(channel);
      this.send(channel, waiting);
    }
  }

  private failAll(message: string): void {
    for (const waiting of [...this.open.values(), ...this.next.values()]) waiting.reject(new LoadError(message));
    this.open.clear();
    this.next.clear();
    this.busy.clear();
    this.watch();
  }
}

// The argument that distinguishes channels of a method, if two of its questions may be open at a time.
const CHANNELS: { [M in Method]?: (args: Arguments[M]) => string } = {
  breakdown: ([, by]) => by,
  timeline: ([, { lanes }]) => lanes,
};

function makeEngine(link: WorkerLink, loaded: Loaded): Engine {
  const labels = new Map<string, Promise<Labels>>(); // fetched once for each grouping: every view needs them
  const question =
    <M extends Method>(method: M) =>
    (...args: Arguments[M]): Promise<Results[M] | null> =>
      link.ask(`${method} ${CHANNELS[method]?.(args) ?? ''}`, method, args);
  return {
    loaded,
    labels(state: State) {
      let known = labels.get(state.groupBy);
      if (known === undefined) {
        known = link.ask(`labels ${state.groupBy}`, 'labels', [state]) as Promise<Labels>;
        labels.set(state.groupBy, known);
        known.catch(() => labels.delete(state.groupBy)); // ask again next time
      }
      return known;
    },
    amount: question('amount'),
    callTree: question('callTree'),
    functions: question('functions'),
    breakdown: question('breakdown'),
    sandwich: question('sandwich'),
    timeline: question('timeline'),
    sampleAt: question('sampleAt'),
    stackPath: question('stackPath'),
    moments: question('moments'),
    chart: question('chart'),
    search: question('search'),
    quality: question('quality'),
    annotate: question('annotate'),
    diffTree: question('diffTree'),
    diffTable: question('diffTable'),
    folded: question('folded'),
  };
}

// Lets the server know that the tab is open: it sends an answer that does not end before the tab is closed.
function reportOpenTab(): void {
  const served = document.querySelector('script.wick-part[data-src]') !== null;
  if (served)
    fetch('alive')
      .then((response) => response.body?.getReader().read())
      .catch(() => undefined);
}

// Starts the worker with this page's own script, and sends it the page's data.
export async function startEngine(): Promise<Engine> {
  const script = document.getElementById('page-script') as HTMLScriptElement;
  const url = URL.createObjectURL(new Blob([script.text], { type: 'text/javascript' }));
  let first: Worker | null = new Worker(url); // compiles the script while the page unpacks the data
  const start = (): Worker => {
    const worker = first ?? new Worker(url);
    first = null;
    return worker;
  };
  reportOpenTab();
  const link = new WorkerLink(start, await fetchParts(document));
  return makeEngine(link, await link.load());
}
