// SPDX-License-Identifier: Apache-2.0
// The parts of the page. A view is one row in views.ts: its name, why it cannot be shown, how it is made.

import { initialState, type State } from '../model/interface.ts';
import type { AppCore } from './app_core.ts';
import type { PageState } from './page_state.ts';
import { el, fill } from './dom.ts';
import type { Picture } from './picture/document.ts';

export interface ViewPart {
  element: HTMLElement;
  update(before: PageState | null): void; // the state has changed, or the view is now shown (null)
  focus(): void;
  step?(direction: 1 | -1): void; // to the next or previous search hit
  theme?(): void;
  keys?: Record<string, () => void>; // of this view only
  savedPicture?(): Picture | null; // for saving; null while there is none
  timeColumn?(): HTMLElement | null; // the head of the column that shows time; null while there is none
}

export interface ViewRow {
  id: string;
  title: string;
  key: string;
  about: string;
  hasPicture?: boolean; // the view can be saved (ViewPart.savedPicture)
  missing?: (app: AppCore) => string | null; // a sentence: why it cannot be shown, and what to do
  create: (app: AppCore) => ViewPart;
}

// A view: its toolbar, then its content.
export function viewSection(label: string, tools: (Node | string)[], ...parts: Node[]): HTMLElement {
  return el(
    'section',
    { 'aria-label': label },
    el('div', { class: 'toolbar', role: 'toolbar', 'aria-label': `${label} options` }, ...tools),
    ...parts,
  );
}

export function emptyMessage(title: string, text: string, ...actions: HTMLElement[]): HTMLElement {
  return el('div', { class: 'empty' }, el('h2', null, title), el('p', null, text), ...actions);
}

export function button(label: string, run: () => void, props: Record<string, unknown> = {}): HTMLButtonElement {
  return el('button', { type: 'button', class: 'button', onclick: run, ...props }, label);
}

export const saveButton = (app: AppCore): HTMLButtonElement =>
  button('Save SVG', () => app.savePicture?.(), { title: 'Save this picture as an SVG file (P)' });

// The state without filters and transforms.
export function unfiltered({ profile, event, groupBy }: State): State {
  return { ...initialState(), profile, event, groupBy };
}

export function clearFilters(app: AppCore): void {
  app.change({ zoom: [] }, unfiltered(app.state.model));
}

export function nothingLeft(app: AppCore): HTMLElement {
  const empty = app.info.rows === 0;
  return empty
    ? emptyMessage(
        'This profile has no samples',
        'Nothing was recorded, or all samples were lost. The Quality view lists what was lost.',
      )
    : emptyMessage(
        'No samples are left',
        'No sample passes the filters and transforms.',
        button('Clear all filters', () => clearFilters(app)),
      );
}

// A choice of few: adjacent buttons, one of which is pressed.
export class Segments<T extends string> {
  readonly element: HTMLElement;

  constructor(
    label: string,
    private readonly choices: readonly (readonly [T, string, string?])[],
    private readonly chosen: (value: T) => void,
  ) {
    this.element = el('div', { class: 'segments', role: 'radiogroup', 'aria-label': label });
    this.element.addEventListener('keydown', (event) => this.move(event));
  }

  show(value: T): void {
    if (this.element.childElementCount > 0 && this.element.dataset['value'] === value) return;
    const hadFocus = this.element.contains(document.activeElement);
    this.element.dataset['value'] = value;
    fill(
      this.element,
      ...this.choices.map(([id, text, title]) =>
        el(
          'button',
          {
            type: 'button',
            class: 'button',
            role: 'radio',
            title,
            'data-value': id,
            'aria-checked': id === value ? 'true' : 'false',
            tabindex: id === value ? '0' : '-1',
            onclick: () => this.chosen(id),
          },
          text,
        ),
      ),
    );
    if (hadFocus) this.element.querySelector<HTMLElement>('[aria-checked=true]')?.focus();
  }

  private move(event: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const at = this.choices.findIndex(([id]) => id === this.element.dataset['value']);
    this.chosen(this.choices[(at + by + this.choices.length) % this.choices.length][0]);
  }
}

export function labelled(text: string, ...controls: HTMLElement[]): HTMLElement {
  return el('div', { class: 'group' }, el('span', null, text), ...controls);
}

export const LONGEST_LIST = 2000; // of choices

export function choice(
  label: string,
  options: readonly (readonly [string, string])[],
  value: string,
  chosen: (value: string) => void,
): HTMLSelectElement {
  const select = el(
    'select',
    { 'aria-label': label, onchange: () => chosen(select.value) },
    ...options.map(([id, text]) => el('option', { value: id }, text)),
  );
  select.value = value;
  return select;
}

// To the next or previous element of the search's hits in a page of elements, after the one that has the focus.
export function stepThroughHits(page: HTMLElement, direction: 1 | -1): void {
  const hits = [...page.querySelectorAll<HTMLElement>('[data-hit]')],
    at = hits.indexOf(document.activeElement as HTMLElement);
  hits[at < 0 ? (direction > 0 ? 0 : hits.length - 1) : (at + direction + hits.length) % hits.length]?.focus();
}

export const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i]);
