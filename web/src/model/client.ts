// The page's side of the worker: an Engine whose methods send questions.
//
// The worker answers one question at a time. On each channel (a method, and what its answer is by) one question is
// under way and at most one waits; a newer one takes the place of the waiting one, whose caller gets null.
import { fetchParts } from './page_parts.ts';
import type { Engine, Labels, Loaded, State, TimelineOptions } from './interface.ts';
import { LoadError } from './interface.ts';
import type { Answer, Question } from './worker.ts';

type Waiting = { method: string; args: unknown[]; resolve: (value: unknown) => void; reject: (error: Error) => void };

// A benchmark that puts a list there learns how long each question took (bench/viewer.mjs).
type Timed = { wickTimings?: [method: string, milliseconds: number][] };

class WorkerLink {
  private readonly worker: Worker;
  private readonly open = new Map<number, Waiting & { channel: string; since: number }>();
  private readonly busy = new Set<string>();
  private readonly next = new Map<string, Waiting>();
  private lastId = 0;

  constructor(worker: Worker) {
    this.worker = worker;
    worker.onmessage = (event: MessageEvent<Answer>) => this.settle(event.data);
    worker.onerror = (event) => this.failAll(event.message || 'The page\'s worker stopped; reload the page.');
  }

  ask(channel: string, method: string, args: unknown[], transfer: Transferable[] = []): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { method, args, resolve, reject };
      if (!this.busy.has(channel)) {
        this.send(channel, waiting, transfer);
        return;
      }
      this.next.get(channel)?.resolve(null);
      this.next.set(channel, waiting);
    });
  }

  private send(channel: string, waiting: Waiting, transfer: Transferable[]): void {
    const id = ++this.lastId;
    this.busy.add(channel);
    this.open.set(id, { ...waiting, channel, since: performance.now() });
    this.worker.postMessage({ id, method: waiting.method, args: waiting.args } satisfies Question, transfer);
  }

  private settle(answer: Answer): void {
    const waiting = this.open.get(answer.id);
    if (waiting === undefined) return;
    (globalThis as Timed).wickTimings?.push([waiting.method, performance.now() - waiting.since]);
    this.open.delete(answer.id);
    this.busy.delete(waiting.channel);
    const next = this.next.get(waiting.channel);
    if (next !== undefined) {
      this.next.delete(waiting.channel);
      this.send(waiting.channel, next, []);
    }
    if (answer.error === undefined) waiting.resolve(answer.value);
    else waiting.reject(new LoadError(answer.error));
  }

  private failAll(message: string): void {
    for (const waiting of [...this.open.values(), ...this.next.values()]) waiting.reject(new LoadError(message));
    this.open.clear();
    this.next.clear();
    this.busy.clear();
  }
}

// What a method's answer is by, where two may be wanted at a time.
const CHANNELS: Record<string, (args: unknown[]) => string> = {
  breakdown: (args) => args[1] as string,
  timeline: (args) => (args[1] as TimelineOptions).lanes,
};

function makeEngine(link: WorkerLink, loaded: Loaded): Engine {
  const labels = new Map<string, Promise<Labels>>(); // every view wants them: fetched once a grouping
  const question = (method: string) => (...args: unknown[]) =>
    link.ask(`${method} ${CHANNELS[method]?.(args) ?? ''}`, method, args) as Promise<never>;
  return {
    loaded,
    labels(state: State) {
      let known = labels.get(state.groupBy);
      if (known === undefined) {
        known = link.ask(`labels ${state.groupBy}`, 'labels', [state]) as Promise<Labels>;
        labels.set(state.groupBy, known);
        known.catch(() => labels.delete(state.groupBy)); // to be asked for again
      }
      return known;
    },
    amount: question('amount'),
    callTree: question('callTree'),
    functions: question('functions'),
    breakdown: question('breakdown'),
    sandwich: question('sandwich'),
    timeline: question('timeline'),
    chart: question('chart'),
    search: question('search'),
    quality: question('quality'),
    annotate: question('annotate'),
    diffTree: question('diffTree'),
    diffTable: question('diffTable'),
    folded: question('folded'),
  };
}

// Tells the server that the tab is open, for as long as it is: an answer that never ends.
function stayAlive(): void {
  const served = document.querySelector('script.wick-part[data-src]') !== null;
  if (served) fetch('alive').then((response) => response.body?.getReader().read()).catch(() => undefined);
}

// Starts the worker with this page's own script, and gives it the page's data.
export async function startEngine(): Promise<Engine> {
  const script = document.getElementById('wick-script') as HTMLScriptElement;
  const url = URL.createObjectURL(new Blob([script.text], { type: 'text/javascript' }));
  const link = new WorkerLink(new Worker(url));
  stayAlive();
  const parts = await fetchParts(document);
  const loaded = (await link.ask('load', 'load', [parts], parts.map((part) => part.buffer as ArrayBuffer))) as Loaded;
  URL.revokeObjectURL(url);
  return makeEngine(link, loaded);
}
