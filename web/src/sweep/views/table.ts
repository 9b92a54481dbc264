// SPDX-License-Identifier: Apache-2.0
// A table of every point and every number, also as CSV.
import { el } from '../../ui/dom.ts';
import { download, fileName } from '../../ui/download.ts';
import { button } from '../../ui/part.ts';
import { visible } from '../../ui/text.ts';
import { filters, table, toolbar } from '../controls.ts';
import type { Core, SweepView } from '../core.ts';
import { sweepCsv } from '../csv.ts';
import { axisValue, numberOf, type Sweep } from '../data.ts';
import { intervalText, withUnit } from '../numbers.ts';
import { pointButton, profileLink, troubleText } from '../point_parts.ts';

function downloadCsv(sweep: Sweep): void {
  download(fileName([sweep.plan.name || 'sweep'], 'csv'), sweepCsv(sweep), 'text/csv');
}

// Marked if it is the best or the worst, or cannot be distinguished from it.
const markedNumber = (text: string, mark: string): HTMLElement | string =>
  mark ? el('span', null, el('small', { class: 'faint' }, `${mark} `), text) : text;

function tableOf(core: Core, sweep: Sweep): HTMLElement {
  const { axes, metrics } = sweep.plan,
    points = sweep === core.sweep ? core.points(sweep) : sweep.points,
    first = axes.length + 2;
  const rows = points.map((point) => [
    pointButton(core, sweep, point, String(point.id)),
    ...axes.map((axis, i) => visible(axisValue(axis, point.at[i]))),
    troubleText(point),
    ...metrics.flatMap((metric) => {
      const number = numberOf(point, metric);
      return number
        ? [
            markedNumber(withUnit(number.median, metric.unit), number.mark),
            el('span', { class: 'faint' }, intervalText(number.low, number.high, metric.unit)),
            String(number.n),
          ]
        : ['\u2013', '', '0'];
    }),
    profileLink(point),
  ]);
  const head = [
    'Point',
    ...axes.map(({ name }) => visible(name)),
    'State',
    ...metrics.flatMap(({ name }) => [visible(name), `${core.words.confidence} interval`, 'runs']),
    'Profile',
  ];
  return table(
    `All points of ${core.sweepName(sweep)}`,
    head,
    rows,
    metrics.flatMap((_, i) => [first + 3 * i, first + 3 * i + 1, first + 3 * i + 2]),
  );
}

export const raw: SweepView = {
  id: 'table',
  title: 'Table',
  key: '8',
  about: 'every number, also as CSV',
  draw: (core, root) => {
    const downloads = core.sweeps.map((sweep) =>
      button(core.sweep.other ? `CSV of ${core.sweepName(sweep)}` : 'Download CSV', () => downloadCsv(sweep)),
    );
    root.append(toolbar('Table options', ...downloads, ...filters(core, [])));
    for (const sweep of core.sweeps) {
      if (core.sweep.other) root.append(el('h2', null, core.sweepName(sweep)));
      root.append(tableOf(core, sweep));
    }
  },
};
