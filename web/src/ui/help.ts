// SPDX-License-Identifier: Apache-2.0
// The help overlay: keys and gestures, made from the same rows that handle them.

import { COMMANDS } from './commands.ts';
import { el } from './dom.ts';
import { showDialog } from './page_frame.ts';
import { button } from './part.ts';
import { VIEWS } from './views.ts';

type Keys = [string, string][];

const SECTIONS: [string, () => Keys][] = [
  ['Views', () => VIEWS.map(({ key, title, about }) => [key, `${title}: ${about}`])],
  [
    'Everywhere',
    () => [
      ['/  Ctrl+F', 'search by regular expression'],
      ['n  N', 'next, previous hit'],
      ['i', 'invert stacks'],
      ['Backspace', 'take off the last transform'],
      ['Escape', 'close, clear the search, unselect, all time: one at a time'],
      ['T', 'to the time range: arrows move it, Shift and arrows its end'],
      ['D', 'dark or light'],
      ['Alt+\u2190  Alt+\u2192', 'back, forward'],
      ['?', 'this page'],
    ],
  ],
  [
    'Pictures',
    () => [
      ['arrows', 'to parent, child, neighbours'],
      ['Enter  double click', 'zoom to the frame'],
      ['+  -  0', 'zoom in, out, all'],
      ['Shift+arrows', 'move sideways, zoom'],
      ['wheel  drag', 'scroll and move'],
      ['Ctrl+wheel  pinch', 'zoom'],
      ['Menu  right click', 'actions for a frame'],
      ['l', 'left heavy or by name'],
      ['v', 'icicle or flame'],
      ['b', 'next colouring'],
      ['[  ]', 'previous, next thread (time order)'],
    ],
  ],
  [
    'Tables and trees',
    () => [
      ['\u2191 \u2193  Page', 'to other rows'],
      ['\u2192 \u2190', 'open, close'],
      ['*', 'open all below'],
      ['Enter', 'open or close; in the timeline: show only this lane'],
    ],
  ],
  [
    'With the selected frame',
    () => COMMANDS.filter((command) => command.group !== 'transform').map(({ key, help }) => [key, help]),
  ],
  [
    'Transforms of the stacks',
    () =>
      COMMANDS.filter((command) => command.group === 'transform').map(({ key, label, help }) => [
        key,
        `${label}: ${help}`,
      ]),
  ],
];

export function showHelp(): void {
  const dialog = el('dialog', { class: 'help', 'aria-labelledby': 'help-title' });
  const close = button('Close', () => dialog.close());
  dialog.append(
    el('h2', { id: 'help-title' }, 'Keys and gestures', close),
    el(
      'div',
      { class: 'help-columns' },
      ...SECTIONS.map(([title, rows]) =>
        el(
          'section',
          null,
          el('h3', null, title),
          el(
            'dl',
            null,
            ...rows().flatMap(([keys, what]) => [
              el('dt', null, ...keys.split('  ').map((key) => el('kbd', null, key))),
              el('dd', null, what),
            ]),
          ),
        ),
      ),
    ),
  );
  showDialog(dialog);
  close.focus();
}
