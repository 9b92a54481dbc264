// SPDX-License-Identifier: Apache-2.0
// The worker's side: receives the page's data once, then answers questions in order.
//
// A question is { id, method, args }, an answer { id, value } or { id, error }. The buffers of an answer are
// transferred, unless the model needs them again (labels). The compiler checks that the model answers every question of
// Engine with the right type.
import { readPage } from './page_data.ts';
import type { Answers, Arguments, Loaded, Method, Results } from './interface.ts';
import { Model } from './model.ts';
import type { Profile } from './profile.ts';

export type QuestionBody =
  { [M in Method]: { method: M; args: Arguments[M] } }[Method] | { method: 'load'; args: [Uint8Array[]] };
export type Question = { id: number } & QuestionBody;
export type Answer = { id: number; value?: unknown; error?: string };

interface WorkerScope {
  onmessage: ((event: MessageEvent<Question>) => void) | null;
  postMessage(message: Answer, transfer: Transferable[]): void;
}

function buffersOf(value: unknown, buffers: Set<Transferable>): void {
  if (ArrayBuffer.isView(value)) buffers.add(value.buffer as ArrayBuffer);
  else if (value !== null && typeof value === 'object' && !Array.isArray(value))
    Object.values(value).forEach((part) => buffersOf(part, buffers));
}

const SHARED = new Set(['load', 'labels']); // answers that the model needs again

const answerOf = <M extends Method>(model: Answers, method: M, args: Arguments[M]): Results[M] =>
  model[method](...args);

export function serveModel(fake: (() => Profile) | null): void {
  const scope = globalThis as unknown as WorkerScope;
  let loading: Promise<Model> | null = null; // questions wait for it
  const load = async (parts: Uint8Array[]): Promise<Model> => {
    const model = new Model(fake === null ? await readPage(parts) : fake());
    model.markAnnotated();
    return model;
  };
  const answer = async (question: Question): Promise<unknown> => {
    if (question.method === 'load') loading = load(question.args[0]);
    const model = (await loading) as Model;
    if (question.method === 'load')
      return { profiles: model.profile.runs.map((run) => run.info), words: model.profile.words } satisfies Loaded;
    return answerOf(model, question.method, question.args);
  };
  scope.onmessage = (event) => {
    const { id, method } = event.data;
    answer(event.data).then(
      (value) => {
        const buffers = new Set<Transferable>();
        if (!SHARED.has(method)) buffersOf(value, buffers);
        scope.postMessage({ id, value }, [...buffers]);
      },
      (error: unknown) => scope.postMessage({ id, error: error instanceof Error ? error.message : String(error) }, []),
    );
  };
}
