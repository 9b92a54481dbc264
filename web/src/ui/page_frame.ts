// SPDX-License-Identifier: Apache-2.0
// Parts around the views that the pages of a profile and of a sweep share: header, tabs, footer, dialogs.

import { el } from './dom.ts';
import { button } from './part.ts';
import { status } from './status.ts';
import { logo } from './svg.ts';
import { visible } from './text.ts';

export interface Tab {
  id: string;
  title: string;
  key: string;
  about: string;
}

export const pageHeader = (title: string, facts: string, ...controls: HTMLElement[]): HTMLElement =>
  el(
    'header',
    { class: 'header' },
    el('div', { class: 'logo' }, logo(), 'wick'),
    el('div', { class: 'title' }, el('h1', { title }, title), el('span', { class: 'faint' }, facts)),
    ...controls,
  );

// Above all numbers of the page; null when there is nothing to say.
export const cautions = (sentences: string[]): HTMLElement | null =>
  sentences.length === 0
    ? null
    : el('div', { class: 'cautions', role: 'note' }, ...sentences.map((text) => el('p', null, visible(text))));

export function viewTab({ id, title, key, about }: Tab, choose: () => void): HTMLElement {
  return el(
    'button',
    {
      type: 'button',
      class: 'tab',
      role: 'tab',
      id: `tab-${id}`,
      'aria-controls': 'view',
      title: about,
      onclick: choose,
    },
    title,
    el('kbd', { 'aria-hidden': 'true' }, key),
  );
}

export const viewTabs = (tabs: HTMLElement[]): HTMLElement =>
  el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Views' }, ...tabs);

export const themeButton = (switched: () => void): HTMLElement =>
  button('\u25d0', switched, { class: 'button icon', title: 'Dark or light (D)', 'aria-label': 'Dark or light' });

export const footer = (): HTMLElement =>
  el(
    'footer',
    { class: 'status' },
    status.line,
    el('span', { class: 'faint optional' }, 'Press ', el('kbd', null, '?'), ' for keys'),
  );

export function showDialog(dialog: HTMLDialogElement): void {
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}
