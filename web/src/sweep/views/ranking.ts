// SPDX-License-Identifier: Apache-2.0
// Points from worst to best: by what they cost, or by how far they are from linear scaling.
import { el } from '../../ui/dom.ts';
import { Segments } from '../../ui/part.ts';
import { visible } from '../../ui/text.ts';
import { filters, metricSelector, table, toolbar } from '../controls.ts';
import type { Core, SweepView } from '../core.ts';
import { numberOf, passes, type Point, type Sweep } from '../data.ts';
import { intervalText, withUnit } from '../numbers.ts';
import { pointButton, profileLink, troubleText } from '../point_parts.ts';
import { restText, throughputName } from './scaling.ts';

function bar(share: number, text: string): HTMLElement {
  const fill = el('i');
  fill.style.width = `${Math.max(0, Math.min(100, 100 * share))}%`;
  return el('div', { class: 'cell-bar' }, fill, el('span', null, text));
}

function byCost(core: Core): HTMLElement {
  const metric = core.metric!;
  const known = core.sweeps.flatMap((sweep) =>
    core.points(sweep).map((point) => ({ sweep, point, number: numberOf(point, metric) })),
  );
  const cost = ({ number }: (typeof known)[number]): number =>
    number ? (metric.better === 'more' ? -number.median : number.median) : Infinity;
  known.sort((a, b) => cost(b) - cost(a));
  const most = Math.max(...known.map(({ number }) => number?.median ?? 0));
  const rows = known.map(({ sweep, point, number }, i) => [
    String(i + 1),
    number ? bar(most > 0 ? number.median / most : 0, withUnit(number.median, metric.unit)) : '\u2013',
    number ? intervalText(number.low, number.high, metric.unit) : '',
    el('span', null, pointButton(core, sweep, point), core.sweep.other ? ` ${core.sweepName(sweep)}` : ''),
    troubleText(point),
    profileLink(point),
  ]);
  return table(
    `Points by ${visible(metric.name)}, worst first`,
    ['', visible(metric.name), `${core.words.confidence} interval`, 'Point', 'State', 'Profile'],
    rows,
    [0],
  );
}

function byScaling(core: Core): HTMLElement {
  const found = core.sweeps.flatMap((sweep) =>
    sweep.ranking.flatMap((rank) => {
      const point = sweep.points.find(({ id }) => id === rank.point);
      return point && passes(point, core.state.filter) ? [{ sweep, rank, point }] : [];
    }),
  );
  found.sort((a, b) => a.rank.efficiency - b.rank.efficiency);
  const rows = found.map(({ sweep, rank, point }: { sweep: Sweep; rank: Sweep['ranking'][number]; point: Point }) => {
    const fit = sweep.fits[rank.fit];
    return [
      bar(rank.efficiency, withUnit(rank.efficiency, 'share')),
      rank.high === null ? 'unknown' : intervalText(rank.low, rank.high, 'share'),
      el('span', null, pointButton(core, sweep, point), core.sweep.other ? ` ${core.sweepName(sweep)}` : ''),
      visible(`${throughputName(fit)} per ${fit.axis}${restText(fit) ? `, ${restText(fit)}` : ''}`),
      troubleText(point),
      profileLink(point),
    ];
  });
  return table(
    'Points by distance from linear scaling, furthest first',
    ['Of linear', `${core.words.confidence} interval`, 'Point', 'Throughput', 'State', 'Profile'],
    rows,
  );
}

export const ranking: SweepView = {
  id: 'ranking',
  title: 'Ranking',
  key: '7',
  about: 'points by cost, and by distance from linear scaling',
  missing: (core) => (core.metric ? null : 'The plan has no metrics.'),
  draw: (core, root) => {
    const by = new Segments<'cost' | 'scaling'>(
      'Rank by',
      [
        ['cost', 'By cost'],
        ['scaling', 'By distance from linear'],
      ],
      (rank) => core.change({ rank }),
    );
    by.show(core.state.rank);
    const scales = core.state.rank === 'scaling';
    root.append(toolbar('Ranking options', by.element, scales ? null : metricSelector(core), ...filters(core, [])));
    if (scales && core.sweep.ranking.length === 0)
      root.append(el('p', null, 'There is no fit. A fit needs an axis with at least three numbers.'));
    else root.append(scales ? byScaling(core) : byCost(core));
    if (scales)
      root.append(
        el(
          'p',
          { class: 'faint' },
          'Throughput per N, relative to the smallest N of the same line; 100 % is linear scaling.',
        ),
      );
  },
};
