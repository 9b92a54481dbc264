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
      ['n  N', 'go to the next or previous hit'],
      ['i', 'invert the stacks'],
      ['Backspace', 'remove the last transform'],
      [
        'Escape',
        'close the menu, clear the search, unselect, reset the zoom, clear the time range: one step at a time',
      ],
      ['T', 'go to the time range; arrows move it, Shift and arrows move its end'],
      ['z', 'show only the time range in the tracks'],
      ['P', 'save the picture of the view as an SVG file'],
      ['D', 'switch between dark and light'],
      ['Alt+\u2190  Alt+\u2192', 'go back or forward'],
      ['?', 'show this help'],
    ],
  ],
  [
    'Flame graphs and charts',
    () => [
      ['arrows', 'go to the parent, a child or a neighbour'],
      ['Enter  double click', 'zoom to the frame'],
      ['+  -  0', 'zoom in, zoom out, show all'],
      ['Shift+arrows', 'move sideways or zoom'],
      ['wheel  drag', 'scroll or move'],
      ['Ctrl+wheel  pinch', 'zoom'],
      ['Menu  right click', 'open the menu of a frame'],
      ['l', 'order by weight or by name'],
      ['v', 'draw as icicle or as flame'],
      ['b', 'change the colours'],
      ['[  ]', 'show the previous or next thread (Time order)'],
    ],
  ],
  [
    'Tables and trees',
    () => [
      ['\u2191 \u2193  Page', 'go to another row'],
      ['\u2192 \u2190', 'open or close a row'],
      ['*', 'open all rows below'],
      ['Enter', 'open or close a row; in tracks: filter by this row'],
      ['Space', 'add the threads of a track to the filter, or remove them'],
    ],
  ],
  [
    'For the selected frame',
    () => COMMANDS.filter((command) => command.group !== 'transform').map(({ key, help }) => [key, help]),
  ],
  [
    'Transforms for the selected frame',
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
