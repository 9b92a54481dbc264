// What the sweep found in short, what went wrong, and what the machine was like.
import { el } from '../../ui/dom.ts';
import { plural, visible } from '../../ui/text.ts';
import { table } from '../controls.ts';
import type { Core, SweepView } from '../core.ts';
import { isWell, metricQuantity, type Point, type Sweep } from '../data.ts';
import { intervalText, withUnit } from '../numbers.ts';
import { pointButton, profileLink, troubleText } from '../point_parts.ts';
import { restText, throughputName } from './scaling.ts';

// Best and worst by a metric, among the points that are well.
function ends(sweep: Sweep, metric: number): [best: Point, worst: Point] | null {
  const quantity = metricQuantity(sweep.plan.metrics[metric]),
    known = sweep.points.filter((point) => isWell(point) && quantity.of(point));
  if (known.length < 2) return null;
  known.sort((a, b) => (quantity.of(a)!.value - quantity.of(b)!.value) * (quantity.better === 'more' ? -1 : 1));
  return [known[0], known[known.length - 1]];
}

function headline(core: Core, sweep: Sweep): HTMLElement {
  const { plan, points } = sweep,
    done = points.filter(({ status }) => status === 'ok').length;
  const found = core.state.metric < plan.metrics.length ? ends(sweep, core.state.metric) : null;
  const size = `${plural(points.length, 'point')} over ${plan.axes.map(({ name, values }) => `${visible(name)} (${values.length})`).join(' \u00d7 ') || 'no axis'}`;
  const told = el('p', { class: 'headline' });
  if (found) {
    const metric = plan.metrics[core.state.metric],
      [best, worst] = found;
    const value = (point: Point): string => withUnit(metricQuantity(metric).of(point)!.value, metric.unit);
    told.append('Best ', el('b', null, visible(metric.name)), ` ${value(best)} at `, pointButton(core, sweep, best), `, worst ${value(worst)} at `, pointButton(core, sweep, worst), '.');
  } else {
    told.append('There is nothing to compare yet.');
  }
  const bad = points.filter((point) => !isWell(point)).length;
  return el('section', { class: 'card' }, core.sweep.other ? el('h2', null, core.sweepName(sweep)) : null, told, el('p', { class: 'faint' }, `${size}; ${done} finished${bad > 0 ? `, ${bad} with something wrong` : ''}.`), ...sweep.notes.map((note) => el('p', { class: 'note' }, visible(note))));
}

function troubles(core: Core): HTMLElement | null {
  const bad = core.sweeps.flatMap((sweep) => sweep.points.filter((point) => !isWell(point)).map((point) => [pointButton(core, sweep, point), core.sweep.other ? core.sweepName(sweep) : '', troubleText(point), profileLink(point)]));
  return bad.length === 0 ? null : el('section', { class: 'card' }, el('h2', null, 'Failed points and checks'), table('Failed points and checks', ['Point', '', 'What', 'Profile'], bad));
}

function fits(core: Core): HTMLElement | null {
  const told = core.sweeps.flatMap((sweep) => sweep.fits.map((fit) => ({ sweep, fit })));
  if (told.length === 0) return null;
  const most = 12;
  return el(
    'section',
    { class: 'card' },
    el('h2', null, 'Scaling', el('button', { type: 'button', class: 'button-link more', 'data-control': 'to scaling', onclick: () => core.change({ view: 'scaling' }) }, 'Plots')),
    el(
      'ul',
      { class: 'findings' },
      ...told.slice(0, most).map(({ sweep, fit }) => {
        const of = [`${throughputName(fit)} against ${fit.axis}`, restText(fit), core.sweep.other ? core.sweepName(sweep) : ''].filter(Boolean).join(', ');
        return el('li', null, el('b', null, visible(of)), ': ', visible(fit.summary));
      }),
    ),
    told.length > most ? el('p', { class: 'faint' }, `${told.length - most} more in the view Scaling.`) : null,
  );
}

function machine(core: Core, sweep: Sweep): HTMLElement {
  const { facts, findings } = sweep.machine;
  return el(
    'section',
    { class: 'card' },
    el('h2', null, core.sweep.other ? `Machine of ${core.sweepName(sweep)}` : 'Machine'),
    findings.length > 0 ? null : el('p', null, facts.length > 0 ? 'Nothing was found that disturbs timing.' : 'Nothing is known about the machine.'),
    ...findings.map(({ what, why, advice }) => el('p', { class: 'note' }, el('b', null, visible(what)), `: ${visible(why)}`, advice ? el('span', { class: 'advice' }, visible(advice)) : null)),
    facts.length > 0 ? el('dl', { class: 'facts-list' }, ...facts.flatMap(({ name, value }) => [el('dt', null, visible(name)), el('dd', null, visible(value))])) : null,
  );
}

function bestTable(core: Core): HTMLElement | null {
  const rows = core.sweeps.flatMap((sweep) =>
    sweep.plan.metrics.flatMap((metric, i) => {
      const found = ends(sweep, i);
      if (!found) return [];
      const cell = (point: Point): (string | HTMLElement)[] => {
        const { value, low, high } = metricQuantity(metric).of(point)!;
        return [el('span', { title: intervalText(low, high, metric.unit) }, withUnit(value, metric.unit)), pointButton(core, sweep, point)];
      };
      const name = el('button', { type: 'button', class: 'button-link', 'data-control': `metric ${i}`, onclick: () => core.change({ view: 'plots', metric: i }) }, visible(metric.name));
      return [[name, core.sweep.other ? core.sweepName(sweep) : '', ...cell(found[0]), ...cell(found[1])]];
    }),
  );
  return rows.length === 0 ? null : el('section', { class: 'card' }, el('h2', null, 'Metrics'), table('Best and worst by metric', ['Metric', '', 'Best', 'at', 'Worst', 'at'], rows, [2, 4]));
}

export const overview: SweepView = {
  id: 'overview',
  title: 'Overview',
  key: '1',
  about: 'what was found, what went wrong, the machine',
  draw: (core, root) => {
    const parts = [...core.sweeps.map((sweep) => headline(core, sweep)), troubles(core), fits(core), bestTable(core), ...core.sweeps.map((sweep) => machine(core, sweep))];
    root.append(el('div', { class: 'overview-cards' }, ...parts));
  },
};
