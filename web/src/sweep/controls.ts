// SPDX-License-Identifier: Apache-2.0
// Controls above a view. Views are drawn again after each change; data-control lets the page restore the focus.
import { el } from '../ui/dom.ts';
import { choice, labelled } from '../ui/part.ts';
import { visible } from '../ui/text.ts';
import { axisValue } from './data.ts';
import type { Core } from './core.ts';

export function selector(
  label: string,
  options: readonly (readonly [string, string])[],
  value: string,
  chosen: (value: string) => void,
): HTMLElement {
  const select = choice(label, options, value, chosen);
  select.dataset['control'] = label;
  return labelled(label, select);
}

export function toggle(label: string, on: boolean, switched: (on: boolean) => void, title = ''): HTMLElement {
  return el(
    'button',
    {
      type: 'button',
      class: 'button',
      'aria-pressed': on ? 'true' : 'false',
      'data-control': label,
      title: title || undefined,
      onclick: () => switched(!on),
    },
    label,
  );
}

export function toolbar(label: string, ...controls: (HTMLElement | null)[]): HTMLElement {
  return el('div', { class: 'toolbar', role: 'toolbar', 'aria-label': label }, ...controls);
}

export function metricSelector(core: Core): HTMLElement {
  const { metrics } = core.sweep.plan;
  return selector(
    'Metric',
    metrics.map(({ name }, i) => [String(i), visible(name)]),
    String(core.state.metric),
    (value) => core.change({ metric: Number(value) }),
  );
}

export function axisSelector(
  core: Core,
  label: string,
  key: 'axis' | 'colour' | 'split' | 'across',
  none: string | null,
): HTMLElement {
  const options: [string, string][] = core.axes.map(({ name }, i) => [String(i), visible(name)]);
  if (none !== null) options.unshift(['-1', none]);
  return selector(label, options, String(core.state[key]), (value) => core.change({ [key]: Number(value) }));
}

// A choice of one value, or all, for each axis with several; not for the axes `without`, which the view shows in full.
export function filters(core: Core, without: readonly number[], orAll = true): HTMLElement[] {
  return core.axes.flatMap((axis, i) => {
    if (axis.values.length < 2 || without.includes(i)) return [];
    const options = axis.values.map((_, at): [string, string] => [String(at), visible(axisValue(axis, at))]);
    if (orAll) options.unshift(['-1', 'all']);
    return [
      selector(
        visible(axis.name),
        options,
        String(orAll ? core.state.filter[i] : Math.max(0, core.state.filter[i])),
        (value) => core.change({ filter: core.state.filter.map((at, one) => (one === i ? Number(value) : at)) }),
      ),
    ];
  });
}

// A row with these filters, or nothing if there are none.
export function filterToolbar(core: Core, without: readonly number[]): HTMLElement[] {
  const controls = filters(core, without);
  if (controls.length === 0) return [];
  const props = { class: 'toolbar', role: 'group', 'aria-label': 'Only these points' };
  return [el('div', props, el('span', { class: 'faint' }, 'Only'), ...controls)];
}

const MAX_ROWS = 1000;

// A table with a caption for screen readers; cells are nodes or text.
export function table(
  caption: string,
  head: readonly (string | HTMLElement)[],
  rows: readonly (readonly (string | Node)[])[],
  numbers: readonly number[] = [],
): HTMLElement {
  const right = (i: number): string | undefined => (numbers.includes(i) ? 'right number' : undefined);
  return el(
    'div',
    { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    el(
      'table',
      null,
      el('caption', { class: 'sr' }, caption),
      el('thead', null, el('tr', null, ...head.map((cell, i) => el('th', { scope: 'col', class: right(i) }, cell)))),
      el(
        'tbody',
        null,
        ...rows
          .slice(0, MAX_ROWS)
          .map((row) => el('tr', null, ...row.map((cell, i) => el('td', { class: right(i) }, cell)))),
      ),
    ),
    rows.length > MAX_ROWS
      ? el(
          'p',
          { class: 'faint' },
          `The first ${MAX_ROWS} of ${rows.length} rows; choose some of them above, or download the CSV.`,
        )
      : null,
  );
}
