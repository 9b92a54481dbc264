// The worker's side: takes the page's data once, then answers questions one after another.
//
// A question is { id, method, args }, an answer { id, value } or { id, error }. The buffers of an answer are handed
// over unless the model keeps them (labels).
import { readPage } from './page_data.ts';
import type { Loaded } from './interface.ts';
import { Model } from './model.ts';
import type { Profile } from './profile.ts';

export type Question = { id: number; method: string; args: unknown[] };
export type Answer = { id: number; value?: unknown; error?: string };

interface WorkerScope {
  onmessage: ((event: MessageEvent<Question>) => void) | null;
  postMessage(message: Answer, transfer: Transferable[]): void;
}

function buffersOf(value: unknown, found: Set<Transferable>): void {
  if (ArrayBuffer.isView(value)) found.add(value.buffer as ArrayBuffer);
  else if (value !== null && typeof value === 'object' && !Array.isArray(value))
    Object.values(value).forEach((part) => buffersOf(part, found));
}

const KEPT = new Set(['load', 'labels']); // answers of which the model keeps a part

export function serveModel(fake: (() => Profile) | null): void {
  const scope = globalThis as unknown as WorkerScope;
  let loading: Promise<Model> | null = null; // what is asked meanwhile waits
  const load = async (parts: Uint8Array[]): Promise<Model> => {
    const model = new Model(fake === null ? await readPage(parts) : fake());
    model.markAnnotated();
    return model;
  };
  const answer = async (method: string, args: unknown[]): Promise<unknown> => {
    if (method === 'load') loading = load(args[0] as Uint8Array[]);
    const model = (await loading) as Model;
    if (method === 'load')
      return { profiles: model.profile.runs.map((run) => run.info), words: model.profile.words } satisfies Loaded;
    const methods = model as unknown as Record<string, (...all: unknown[]) => unknown>;
    return methods[method](...args);
  };
  scope.onmessage = (event) => {
    const { id, method, args } = event.data;
    answer(method, args).then(
      (value) => {
        const buffers = new Set<Transferable>();
        if (!KEPT.has(method)) buffersOf(value, buffers);
        scope.postMessage({ id, value }, [...buffers]);
      },
      (error: unknown) => scope.postMessage({ id, error: error instanceof Error ? error.message : String(error) }, []),
    );
  };
}
