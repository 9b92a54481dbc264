// SPDX-License-Identifier: Apache-2.0
// Two axes at once: a metric as a table of colours; for two sweeps, also their change.
import { compareRuns } from '../../model/statistics.ts';
import { el } from '../../ui/dom.ts';
import { mixedHex, palette, type Theme } from '../../ui/palette.ts';
import { Segments } from '../../ui/part.ts';
import { status } from '../../ui/status.ts';
import { visible } from '../../ui/text.ts';
import { axisSelector, filters, metricSelector, toolbar } from '../controls.ts';
import type { Core, SweepView } from '../core.ts';
import { axisValue, counterpart, numberOf, referenceText, troubleOf, type Point } from '../data.ts';
import { withUnit } from '../numbers.ts';
import { countsThings } from '../series.ts';

interface Cell {
  value: number; // for the colour
  text: string;
  about: string;
  sure: boolean; // there is evidence for the change
}

function cellOf(core: Core, point: Point): Cell | null {
  const { show } = core.state,
    metric = core.metric!,
    { sweep } = core,
    other = sweep.other && counterpart(sweep, point, sweep.other);
  const shown = show === 'other' ? other : point;
  const number = shown ? numberOf(shown, metric) : null;
  if (show !== 'change') {
    if (!number) return null;
    return {
      value: number.median,
      text: withUnit(number.median, metric.unit),
      about: core.describe(show === 'other' ? sweep.other! : sweep, shown!, core.quantity!),
      sure: true,
    };
  }
  const after = other ? numberOf(other, metric) : null,
    change = number && after ? compareRuns(number.values, after.values, countsThings(core, metric), core.words) : null;
  if (!change || !(change.ratio > 0 && change.ratio < Infinity)) return null; // not on a logarithmic scale
  const percent = (ratio: number): string =>
    `${ratio >= 1 ? '+' : '\u2212'}${(100 * Math.abs(ratio - 1)).toFixed(1)} %`;
  const sure = change.probability < core.words.level;
  const words = Number.isNaN(change.probability)
    ? 'one run each: the variation between runs is unknown'
    : Number.isNaN(change.low)
      ? core.words.verdicts.none
      : `${core.words.confidence}: ${percent(change.low)} to ${percent(change.high)}, ${sure ? 'evidence of a change' : core.words.verdicts.none}`;
  return {
    value: Math.log(change.ratio),
    text: percent(change.ratio),
    about: `${core.name(sweep, point)}: ${percent(change.ratio)} (${words})`,
    sure,
  };
}

// Steps of the palette: heat from the smallest to the largest value (logarithmic if all are positive), change around 0.
function colours(core: Core, cells: readonly Cell[]): (cell: Cell) => string {
  const theme = (document.documentElement.dataset['theme'] ?? 'light') as Theme,
    { heat, change } = palette(theme),
    values = cells.map(({ value }) => value);
  if (core.state.show === 'change') {
    const most = Math.max(0.02, ...values.map(Math.abs)),
      middle = (change.length - 1) / 2;
    return ({ value, sure }) => {
      const colour = change[Math.round(middle + (value / most) * middle)];
      return sure ? colour : mixedHex(colour, palette(theme).background, 0.65);
    };
  }
  const log = values.every((value) => value > 0),
    of = (value: number): number => (log ? Math.log(value) : value),
    low = Math.min(...values.map(of)),
    span = Math.max(...values.map(of)) - low;
  return ({ value }) =>
    heat[span > 0 ? Math.min(heat.length - 1, Math.floor(((of(value) - low) / span) * heat.length)) : 0];
}

// Arrow keys move among the cells; one of them is in the tab order.
function moveInTable(event: KeyboardEvent): void {
  const cell = (event.target as Element).closest('td'),
    row = cell?.parentElement as HTMLTableRowElement | undefined;
  const [down, right] = (
    { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] } as Record<string, [number, number]>
  )[event.key] ?? [0, 0];
  if (!cell || !row || (down === 0 && right === 0)) return;
  const rows = [...(row.parentElement as HTMLTableSectionElement).rows];
  const next = rows[rows.indexOf(row) + down]?.cells[cell.cellIndex + right]?.querySelector('button');
  if (!next) return;
  event.preventDefault();
  next.focus();
}

export const heat: SweepView = {
  id: 'heat',
  title: 'Heat map',
  key: '4',
  about: 'a metric over two axes',
  missing: (core) =>
    core.axes.filter(({ values }) => values.length > 1).length > 1 && core.metric
      ? null
      : 'A heat map needs two axes with several values.',
  draw: (core, root) => {
    const { axis, across, filter } = core.state,
      other = core.axes.findIndex(({ values }, i) => i !== axis && values.length > 1),
      down = across >= 0 && across !== axis ? across : other;
    // Other axes show one value each: a cell is one point.
    const rest = core.axes.map((_, i) => i).filter((i) => i !== axis && i !== down);
    const fixed = filter.map((at, i) => (rest.includes(i) ? Math.max(0, at) : -1));
    const shows = new Segments<'this' | 'other' | 'change'>(
      'Show',
      [
        ['this', core.sweepName(core.sweep)],
        ['other', core.sweep.other ? core.sweepName(core.sweep.other) : ''],
        ['change', 'Change'],
      ],
      (show) => core.change({ show }),
    );
    shows.show(core.state.show);
    root.append(
      toolbar(
        'Heat map options',
        metricSelector(core),
        axisSelector(core, 'Across', 'axis', null),
        axisSelector(core, 'Down', 'across', 'the next axis'),
        core.sweep.other ? shows.element : null,
        ...filters(core, [axis, down], false),
      ),
    );
    const points = core.sweep.points.filter((point) => rest.every((i) => point.at[i] === fixed[i]));
    const cells = new Map(points.map((point) => [point, cellOf(core, point)])),
      known = [...cells.values()].filter((cell) => cell !== null),
      colour = colours(core, known);
    const body = core.axes[down].values.map((_, row) =>
      el(
        'tr',
        null,
        el('th', { scope: 'row' }, visible(axisValue(core.axes[down], row))),
        ...core.axes[axis].values.map((__, column) => {
          const point = points.find(({ at }) => at[axis] === column && at[down] === row);
          return point ? heatCell(core, point, cells.get(point) ?? null, colour) : el('td', { class: 'faint' }, '');
        }),
      ),
    );
    const shown = rest
      .filter((i) => core.axes[i].values.length > 1)
      .map((i) => `${core.axes[i].name}=${axisValue(core.axes[i], fixed[i])}`);
    root.append(
      el(
        'div',
        { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': 'Heat map' },
        el(
          'table',
          { class: 'heat', onkeydown: moveInTable },
          el(
            'caption',
            null,
            visible(
              `${core.metric!.name}${core.state.show === 'change' ? ', change from the first sweep to the second' : ''}${shown.length > 0 ? `, with ${shown.join(' ')}` : ''}`,
            ),
          ),
          el(
            'thead',
            null,
            el(
              'tr',
              null,
              el('th', null, `${visible(core.axes[down].name)} \\ ${visible(core.axes[axis].name)}`),
              ...core.axes[axis].values.map((_, i) =>
                el('th', { scope: 'col' }, visible(axisValue(core.axes[axis], i))),
              ),
            ),
          ),
          el('tbody', null, ...body),
        ),
      ),
      el(
        'p',
        { class: 'faint' },
        core.state.show === 'change'
          ? 'Blue is less, orange is more than in the first sweep; pale cells show no evidence of a change.'
          : 'Warmer colours are larger values, in even steps on a logarithmic scale. A red frame marks a failed point or check.',
      ),
    );
    root.querySelectorAll('.heat button').forEach((button, i) => button.setAttribute('tabindex', i === 0 ? '0' : '-1'));
  },
};

function heatCell(core: Core, point: Point, cell: Cell | null, colour: (cell: Cell) => string): HTMLElement {
  const trouble = visible(troubleOf(point)),
    about = `${cell ? cell.about : `${core.name(core.sweep, point)}: no number`}${trouble && !cell?.about.includes(trouble) ? `; ${trouble}` : ''}`;
  const reference = referenceText(point.id, false);
  const button = el(
    'button',
    {
      type: 'button',
      class: `heat-cell${trouble ? ' trouble' : ''}${reference === core.state.point ? ' selected' : ''}`,
      'aria-label': about,
      'data-control': `cell ${reference}`,
      onclick: () => core.choose(reference),
      ondblclick: () => core.open(reference),
      onmouseenter: () => status.hover(about),
      onfocus: () => status.hover(about),
    },
    cell ? cell.text : '\u00d7',
  );
  if (cell) button.style.background = colour(cell);
  return el('td', null, button);
}
