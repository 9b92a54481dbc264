// The user interface; so far only a list that shows that data arrives.
import { render } from 'preact';
import type { Engine } from '../model/interface.ts';
import { initialState } from '../model/interface.ts';

export async function startApp(engine: Engine, root: HTMLElement): Promise<void> {
  const state = initialState();
  const labels = await engine.labels(state);
  const table = await engine.functions(state);
  const rows = table === null ? [] : [...table.func].slice(0, 20);
  render(<ol>{rows.map((func, row) => <li>{labels.name[func]} {table?.self[row]}</li>)}</ol>, root);
}

// Said instead of the views when the page's data cannot be read.
export function showProblem(message: string, root: HTMLElement): void {
  render(<p role="alert">{message}</p>, root);
}
