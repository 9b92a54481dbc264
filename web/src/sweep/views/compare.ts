// SPDX-License-Identifier: Apache-2.0
// Compares any two points: their metrics, and their profiles by function.
import { compareRuns, corrected } from '../../model/statistics.ts';
import { toClipboard } from '../../ui/clipboard.ts';
import { el } from '../../ui/dom.ts';
import { button } from '../../ui/part.ts';
import { status } from '../../ui/status.ts';
import { chanceText, formsOfText, labelsOf, percent, plural, signed, verdictCounts, visible } from '../../ui/text.ts';
import { selector, table, toolbar } from '../controls.ts';
import type { Core, SweepView } from '../core.ts';
import { findPoint, numberOf, referenceText, type Metric, type Reference } from '../data.ts';
import { diffCommand, functionDiff, type FunctionChange } from '../function_diff.ts';
import { withUnit } from '../numbers.ts';
import { profileLink } from '../point_parts.ts';
import { countsThings } from '../series.ts';

const MAX_ROWS = 100;

function all(core: Core): Reference[] {
  return core.sweeps.flatMap((sweep) => sweep.points.map((point) => ({ sweep, point, other: sweep !== core.sweep })));
}

// The chosen points; else the first and the last with profiles, or with numbers.
function pair(core: Core): [Reference, Reference] {
  const points = all(core),
    profiled = points.filter(({ point }) => point.functions),
    from = profiled.length > 1 ? profiled : points;
  const before = findPoint(core.sweep, core.state.before) ?? from[0];
  const last = from.filter(({ point }) => point !== before.point).at(-1) ?? from[0];
  return [before, findPoint(core.sweep, core.state.after) ?? last];
}

const word = (metric: Metric, ratio: number): string => {
  if (metric.better === 'more') return ratio > 1 ? 'better' : 'worse';
  return ratio > 1 ? 'worse' : 'better';
};

function metricTable(core: Core, [before, after]: [Reference, Reference]): HTMLElement {
  const { metrics } = core.sweep.plan;
  const numbers = metrics.map((metric) => [numberOf(before.point, metric), numberOf(after.point, metric)] as const),
    changes = numbers.map(([one, two], i) =>
      one && two ? compareRuns(one.values, two.values, countsThings(core, metrics[i]), core.words) : null,
    ),
    { probabilities } = corrected(Float64Array.from(changes, (change) => change?.probability ?? NaN));
  const relative = (ratio: number): string =>
    Number.isFinite(ratio) ? signed(`${(100 * Math.abs(ratio - 1)).toFixed(1)} %`, ratio - 1) : '\u221e';
  const rows = metrics.map((metric, i) => {
    const [one, two] = numbers[i],
      change = changes[i];
    const sure = probabilities[i] < core.words.level;
    return [
      visible(metric.name),
      one ? withUnit(change?.before ?? one.median, metric.unit) : '\u2013',
      two ? withUnit(change?.after ?? two.median, metric.unit) : '\u2013',
      change
        ? el(
            'span',
            { class: sure ? (word(metric, change.ratio) === 'worse' ? 'up' : 'down') : '' },
            relative(change.ratio),
          )
        : '\u2013',
      change && Number.isFinite(change.ratio) && !Number.isNaN(change.probability) && !Number.isNaN(change.low)
        ? `${relative(change.low)} to ${relative(change.high)}`
        : '\u2013',
      !change
        ? '\u2013'
        : Number.isNaN(change.probability)
          ? 'one run each'
          : sure
            ? el('b', null, word(metric, change.ratio))
            : el('span', { class: 'faint' }, core.words.verdicts.none),
      chanceText(probabilities[i]),
    ];
  });
  return table(
    'Metrics of both points',
    ['Metric', 'Before', 'After', 'Change', `${core.words.confidence} interval`, 'Verdict', 'p'],
    rows,
    [1, 2, 3, 4, 6],
  );
}

const NAME_COLUMNS = 83;

function functionTable(core: Core, changes: FunctionChange[]): HTMLElement {
  const words = core.words.verdicts.share;
  const share = (value: number | null): string => (value === null ? 'small' : value > 0 ? percent(value) : '\u2013');
  const shown = changes.slice(0, MAX_ROWS),
    labels = labelsOf(
      shown.map(({ name }) => ({ forms: formsOfText(visible(name)), columns: NAME_COLUMNS })),
      'numbered',
    );
  const rows = shown.map(({ name, before, after, change, verdict, chance }, row) => [
    el(
      'span',
      { class: change > 0 ? 'up' : change < 0 ? 'down' : '' },
      signed(`${(100 * Math.abs(change)).toFixed(2)} pp`, change),
    ),
    share(before),
    share(after),
    verdict === 0
      ? el('span', { class: 'faint' }, core.words.verdicts.none)
      : el('b', null, words[verdict > 0 ? 1 : 0]),
    chanceText(chance),
    el(
      'span',
      null,
      el('span', { class: 'name', title: visible(name) }, labels[row]),
      before === 0 ? el('span', { class: 'tag' }, 'new') : after === 0 ? el('span', { class: 'tag' }, 'gone') : null,
    ),
  ]);
  return table('Changes by function', ['Change', 'Before', 'After', 'Verdict', 'p', 'Function'], rows, [0, 1, 2, 4]);
}

function verdictText(core: Core, changes: FunctionChange[]): string {
  const count = (sign: number): number => changes.filter(({ verdict }) => verdict === sign).length;
  return verdictCounts(count(-1), count(1), core.words.verdicts.share);
}

function profiles(core: Core, [before, after]: [Reference, Reference]): (HTMLElement | string)[] {
  const withoutProfile = [before, after].filter(({ point }) => !point.functions);
  if (withoutProfile.length > 0) {
    const names = withoutProfile.map(({ sweep, point }) => core.name(sweep, point)).join(' and ');
    return [
      el(
        'p',
        null,
        `There is no profile of ${names}. Set profile = "all" in the plan and run the sweep again; wick retains the results so far.`,
      ),
    ];
  }
  const changes = functionDiff(before.point, after.point, core.words),
    command = diffCommand(
      [before.sweep.plan.directory, after.sweep.plan.directory],
      [before.point.profile, after.point.profile],
    );
  const samples = ({ point }: Reference): string => plural(Math.round(point.samples ?? 0), 'sample');
  const run = (text: string): HTMLElement =>
    el(
      'div',
      { class: 'command' },
      el('code', null, visible(text)),
      button(
        'Copy',
        () =>
          void toClipboard(text).then((done) =>
            status.toast(done ? 'The command was copied.' : 'The browser did not allow copying.'),
          ),
      ),
    );
  return [
    el(
      'p',
      null,
      el('b', null, verdictText(core, changes)),
      ' Profiles: ',
      profileLink(before.point),
      ' before, ',
      profileLink(after.point),
      ` after, of ${samples(before)} and ${samples(after)}.`,
    ),
    run(command),
    run(command.replace('wick diff', 'wick view') + ' -o diff.html'),
    functionTable(core, changes),
    el(
      'p',
      { class: 'faint' },
      `Self as a share of each profile${changes.length > MAX_ROWS ? `; the first ${MAX_ROWS} of ${changes.length} functions` : ''}. Samples are treated as independent, and verdicts are corrected for all functions (Holm); ` +
        'wick diff also accounts for bursts, and its verdict takes precedence. \u201csmall\u201d means that the function is not among the largest of that profile, which are the only ones in this page.',
    ),
  ];
}

export const compare: SweepView = {
  id: 'compare',
  title: 'Two points',
  key: '6',
  about: 'compare the metrics and functions of two points',
  missing: (core) => (all(core).length > 1 ? null : 'There is only one point.'),
  draw: (core, root) => {
    const chosen = pair(core),
      [before, after] = chosen;
    const options = all(core).map(({ sweep, point, other }): [string, string] => [
      referenceText(point.id, other),
      core.name(sweep, point),
    ]);
    const reference = ({ point, other }: Reference): string => referenceText(point.id, other);
    root.append(
      toolbar(
        'Which points',
        selector('Before', options, reference(before), (value) =>
          core.change({ before: value, after: reference(after) }),
        ),
        selector('After', options, reference(after), (value) =>
          core.change({ before: reference(before), after: value }),
        ),
        button('Swap', () => core.change({ before: reference(after), after: reference(before) }), {
          'data-control': 'swap',
        }),
      ),
      el('h2', null, 'Metrics'),
      metricTable(core, chosen),
      el('h2', null, 'Profiles'),
    );
    root.append(...profiles(core, chosen));
  },
};
