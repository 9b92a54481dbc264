// SPDX-License-Identifier: Apache-2.0
// Any metric against any axis, with intervals; small multiples by another axis.
import { el } from '../../ui/dom.ts';
import { emptyMessage } from '../../ui/part.ts';
import { visible } from '../../ui/text.ts';
import { drawChart } from '../chart.ts';
import { axisSelector, filterToolbar, metricSelector, selector, toggle, toolbar } from '../controls.ts';
import type { Core, SweepView } from '../core.ts';
import { axisValue, type Point, type Quantity, type Sweep } from '../data.ts';
import { figures, legend, type Figure } from '../figures.ts';
import { optionsFor, seriesOf } from '../series.ts';

// The small multiples: one for each value of the splitting axis.
export function panels(core: Core): { title: string; points: [Sweep, Point[]][] }[] {
  const { split, axis } = core.state;
  const all = core.sweeps.map((sweep): [Sweep, Point[]] => [sweep, core.points(sweep)]);
  if (split < 0 || split === axis) return [{ title: '', points: all }];
  return core.axes[split].values
    .map((_, at) => ({
      title: visible(`${core.axes[split].name} = ${axisValue(core.axes[split], at)}`),
      points: all.map(([sweep, points]): [Sweep, Point[]] => [sweep, points.filter((point) => point.at[split] === at)]),
    }))
    .filter(({ points }) => points.some(([, some]) => some.length > 0));
}

// Without a metric to choose, each line has its own plot, so there is nothing to colour or split.
export function plotToolbar(core: Core, metric: HTMLElement | null): HTMLElement {
  const { state } = core,
    { numeric } = core.axes[state.axis];
  return toolbar(
    'Plot options',
    metric,
    axisSelector(core, 'Against', 'axis', null),
    metric && axisSelector(core, 'Colour', 'colour', 'each line'),
    metric && axisSelector(core, 'Small multiples', 'split', 'none'),
    numeric
      ? selector(
          'Axis',
          [
            ['auto', 'as planned'],
            ['no', 'linear'],
            ['yes', 'logarithmic'],
          ],
          state.logX,
          (logX) => core.change({ logX: logX as 'auto' | 'yes' | 'no' }),
        )
      : null,
    toggle('Log scale', state.logY, (logY) => core.change({ logY }), 'The vertical axis is logarithmic'),
    toggle('From 0', state.zero, (zero) => core.change({ zero }), 'The vertical axis begins at 0'),
    metric &&
      toggle(
        'Same scale',
        !state.ownScales,
        (same) => core.change({ ownScales: !same }),
        'All plots have one vertical scale',
      ),
    metric && toggle('Runs', state.runs, (runs) => core.change({ runs }), 'Every run is drawn'),
  );
}

// The machine's findings, next to the numbers that they affect.
export function findingsNote(core: Core): HTMLElement | null {
  const findings = core.sweeps.flatMap((sweep) => sweep.machine.findings.map(({ what }) => visible(what)));
  return findings.length === 0
    ? null
    : el(
        'p',
        { class: 'note' },
        `The machine affects these numbers: ${[...new Set(findings)].join(', ')}. The Overview explains how.`,
      );
}

export function drawPlots(core: Core, root: HTMLElement, quantity: Quantity): void {
  const parts = panels(core),
    series = parts.map(({ points }) =>
      seriesOf(core, points, quantity, core.state.split >= 0 ? [core.state.split] : []),
    ),
    options = (i: number): ReturnType<typeof optionsFor> =>
      optionsFor(core, core.state.axis, quantity, core.state.ownScales ? series[i] : series.flat());
  const list: Figure[] = parts.map(({ title }, i) => ({
    title: [visible(quantity.name), title].filter(Boolean).join(', '),
    draw: (width) => drawChart(series[i], { ...options(i), title: title || visible(quantity.name) }, width),
  }));
  const key = legend(series.flat());
  if (key) root.append(key);
  root.append(figures(core, list, root.clientWidth - 32));
}

export const plots: SweepView = {
  id: 'plots',
  title: 'Plots',
  key: '2',
  about: 'any metric against any axis, with intervals',
  missing: (core) =>
    core.axes.length === 0
      ? 'The plan has no axes, so there is nothing to plot against.'
      : core.quantity
        ? null
        : 'The plan has no metrics.',
  draw: (core, root) => {
    const { state } = core;
    root.append(plotToolbar(core, metricSelector(core)));
    root.append(...filterToolbar(core, [state.axis]));
    const note = findingsNote(core);
    if (note) root.append(note);
    if (core.sweeps.every((sweep) => core.points(sweep).length === 0))
      root.append(emptyMessage('No points', 'No point passes the filters above.'));
    else drawPlots(core, root, core.quantity!);
  },
};
