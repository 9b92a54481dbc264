// SPDX-License-Identifier: Apache-2.0
// A point in a line of text or a table: a button with its name that selects it, and a link to its profile.
import { el } from '../ui/dom.ts';
import { visible } from '../ui/text.ts';
import type { Core } from './core.ts';
import { pointName, profilePage, referenceText, troubleOf, type Point, type Sweep } from './data.ts';

export function pointButton(core: Core, sweep: Sweep, point: Point, name = pointName(sweep, point)): HTMLElement {
  const reference = referenceText(point.id, sweep !== core.sweep);
  return el(
    'button',
    {
      type: 'button',
      class: name === String(point.id) ? 'button-link name' : 'button-link name point-name',
      'data-control': `point ${reference}`,
      onclick: () => core.choose(reference),
    },
    visible(name),
  );
}

export function profileLink(point: Point): HTMLElement | string {
  const address = profilePage(point);
  return address ? el('a', { href: address }, 'profile') : '\u2013';
}

export function troubleText(point: Point): HTMLElement | string {
  const trouble = troubleOf(point);
  return trouble ? el('span', { class: 'bad' }, visible(trouble)) : 'ok';
}
