// SPDX-License-Identifier: Apache-2.0
// The results of the sweep in short, the failures, and the machine.
import { el } from '../../ui/dom.ts';
import { plural, visible } from '../../ui/text.ts';
import { table } from '../controls.ts';
import type { Core, SweepView } from '../core.ts';
import { isOk, numberOf, pointName, type Metric, type Point, type Sweep } from '../data.ts';
import { intervalText, withUnit } from '../numbers.ts';
import { pointButton, profileLink, troubleText } from '../point_parts.ts';
import { restText, throughputName } from './scaling.ts';

const MAX_ALIKE = 12;
const ALIKE =
  'Points are alike if these runs cannot distinguish them from the best (or the worst): compared as wick diff compares runs, corrected for the number of points.';

// The points that are marked as best (or worst) by a metric, the best median first. wick marks that point and all
// points that its runs cannot distinguish from it.
function marked(sweep: Sweep, metric: Metric, mark: 'best' | 'worst'): Point[] {
  const found = sweep.points.filter((point) => numberOf(point, metric)?.mark === mark);
  const sign = (metric.better === 'more') === (mark === 'best') ? -1 : 1;
  return found.sort((a, b) => (numberOf(a, metric)!.median - numberOf(b, metric)!.median) * sign);
}

// The first point as a button, and the number of the others.
function markedPoints(core: Core, sweep: Sweep, points: readonly Point[]): HTMLElement {
  const more = points.slice(1).map((point) => pointName(sweep, point));
  const shown = more.length > MAX_ALIKE ? [...more.slice(0, MAX_ALIKE), `${more.length - MAX_ALIKE} more`] : more;
  const alike =
    more.length === 0
      ? null
      : el('span', { class: 'faint', title: visible(shown.join('\n')) }, ` or ${plural(more.length, 'other')} alike`);
  return el('span', null, pointButton(core, sweep, points[0]), alike);
}

function headline(core: Core, sweep: Sweep): HTMLElement {
  const { plan, points } = sweep,
    done = points.filter(({ status }) => status === 'ok').length;
  const metric = plan.metrics[core.state.metric] as Metric | undefined,
    best = metric ? marked(sweep, metric, 'best') : [],
    worst = metric ? marked(sweep, metric, 'worst') : [];
  const size = `${plural(points.length, 'point')} over ${plan.axes.map(({ name, values }) => `${visible(name)} (${values.length})`).join(' \u00d7 ') || 'no axis'}`;
  const headline = el('p', { class: 'headline' });
  if (metric && best.length > 0 && worst.length > 0) {
    const value = (point: Point): string => withUnit(numberOf(point, metric)!.median, metric.unit);
    headline.append(
      'Best ',
      el('b', null, visible(metric.name)),
      ` ${value(best[0])} at `,
      markedPoints(core, sweep, best),
      `, worst ${value(worst[0])} at `,
      markedPoints(core, sweep, worst),
      '.',
    );
  } else if (metric && points.filter((point) => isOk(point) && numberOf(point, metric)).length > 1) {
    headline.append(
      'These runs cannot distinguish any point from the others by ',
      el('b', null, visible(metric.name)),
      '.',
    );
  } else {
    headline.append('There is nothing to compare yet.');
  }
  const bad = points.filter((point) => !isOk(point)).length;
  return el(
    'section',
    { class: 'card' },
    core.sweep.other ? el('h2', null, core.sweepName(sweep)) : null,
    headline,
    el('p', { class: 'faint' }, `${size}; ${done} finished${bad > 0 ? `, ${bad} with problems` : ''}.`),
    ...sweep.notes.map((note) => el('p', { class: 'note' }, visible(note))),
  );
}

function troubles(core: Core): HTMLElement | null {
  const bad = core.sweeps.flatMap((sweep) =>
    sweep.points
      .filter((point) => !isOk(point))
      .map((point) => [
        pointButton(core, sweep, point),
        core.sweep.other ? core.sweepName(sweep) : '',
        troubleText(point),
        profileLink(point),
      ]),
  );
  return bad.length === 0
    ? null
    : el(
        'section',
        { class: 'card' },
        el('h2', null, 'Failed points and checks'),
        table('Failed points and checks', ['Point', '', 'What', 'Profile'], bad),
      );
}

function fits(core: Core): HTMLElement | null {
  const fits = core.sweeps.flatMap((sweep) => sweep.fits.map((fit) => ({ sweep, fit })));
  if (fits.length === 0) return null;
  const most = 12,
    fitted = core.sweeps.map((sweep) => sweep.fits.filter(({ lambda }) => lambda).length);
  return el(
    'section',
    { class: 'card' },
    el(
      'h2',
      null,
      'Scaling',
      el(
        'button',
        {
          type: 'button',
          class: 'button-link more',
          'data-control': 'to scaling',
          onclick: () => core.change({ view: 'scaling' }),
        },
        'Plots',
      ),
    ),
    el(
      'ul',
      { class: 'findings' },
      ...fits.slice(0, most).map(({ sweep, fit }) => {
        const of = [
          `${throughputName(fit)} against ${fit.axis}`,
          restText(fit),
          core.sweep.other ? core.sweepName(sweep) : '',
        ]
          .filter(Boolean)
          .join(', ');
        return el('li', null, el('b', null, visible(of)), ': ', visible(fit.summary));
      }),
    ),
    fits.length > most ? el('p', { class: 'faint' }, `${fits.length - most} more in the Scaling view.`) : null,
    fitted.some((lines) => lines > 1)
      ? el(
          'p',
          { class: 'faint' },
          `${fitted.map((lines) => plural(lines, 'line')).join(' and ')} of points fitted; verdicts are corrected for that number (Holm), each ${core.words.confidence} interval is for its fit alone.`,
        )
      : null,
  );
}

function machine(core: Core, sweep: Sweep): HTMLElement {
  const { facts, findings } = sweep.machine;
  return el(
    'section',
    { class: 'card' },
    el('h2', null, core.sweep.other ? `Machine of ${core.sweepName(sweep)}` : 'Machine'),
    findings.length > 0
      ? null
      : el(
          'p',
          null,
          facts.length > 0 ? 'wick detected nothing that disturbs timing.' : 'Nothing is known about the machine.',
        ),
    ...findings.map(({ what, why, advice }) =>
      el(
        'p',
        { class: 'note' },
        el('b', null, visible(what)),
        `: ${visible(why)}`,
        advice ? el('span', { class: 'advice' }, visible(advice)) : null,
      ),
    ),
    facts.length > 0
      ? el(
          'dl',
          { class: 'facts-list' },
          ...facts.flatMap(({ name, value }) => [el('dt', null, visible(name)), el('dd', null, visible(value))]),
        )
      : null,
  );
}

function bestTable(core: Core): HTMLElement | null {
  const rows = core.sweeps.flatMap((sweep) =>
    sweep.plan.metrics.flatMap((metric, i) => {
      const ends = [marked(sweep, metric, 'best'), marked(sweep, metric, 'worst')];
      if (metric.hidden || ends.some((points) => points.length === 0)) return [];
      const cells = (points: readonly Point[]): (string | HTMLElement)[] => {
        const { median, low, high } = numberOf(points[0], metric)!;
        return [
          el('span', { title: intervalText(low, high, metric.unit) }, withUnit(median, metric.unit)),
          markedPoints(core, sweep, points),
        ];
      };
      const name = el(
        'button',
        {
          type: 'button',
          class: 'button-link metric-name',
          'data-control': `metric ${i}`,
          onclick: () => core.change({ view: 'plots', metric: i }),
        },
        visible(metric.name),
      );
      return [[name, core.sweep.other ? core.sweepName(sweep) : '', ...ends.flatMap(cells)]];
    }),
  );
  return rows.length === 0
    ? null
    : el(
        'section',
        { class: 'card' },
        el('h2', null, 'Metrics'),
        table('Best and worst by metric', ['Metric', '', 'Best', 'at', 'Worst', 'at'], rows, [2, 4]),
        el('p', { class: 'faint' }, ALIKE),
      );
}

export const overview: SweepView = {
  id: 'overview',
  title: 'Overview',
  key: '1',
  about: 'results, failures and the machine',
  draw: (core, root) => {
    const parts = [
      ...core.sweeps.map((sweep) => headline(core, sweep)),
      troubles(core),
      fits(core),
      bestTable(core),
      ...core.sweeps.map((sweep) => machine(core, sweep)),
    ];
    root.append(el('div', { class: 'overview-cards' }, ...parts));
  },
};
