// SPDX-License-Identifier: Apache-2.0
// How throughput scales: for each line of points the fit with its band and knee, in a plot and in words.
//
// wick computes the fits (src/experiment/sweep). This view draws the chosen pair of metric and axis, one plot per line,
// and lists the parameters of all fits.
import { el } from '../../ui/dom.ts';
import { visible } from '../../ui/text.ts';
import { status } from '../../ui/status.ts';
import { drawChart, rangeOf, type ChartMark, type ChartPoint } from '../chart.ts';
import { selector, table, toggle, toolbar } from '../controls.ts';
import type { Core, SweepView } from '../core.ts';
import {
  numberOf,
  passes,
  referenceText,
  troubleOf,
  type Estimate,
  type Fit,
  type Point,
  type Sweep,
} from '../data.ts';
import { figures, type Figure } from '../figures.ts';
import { plainNumber, withUnit } from '../numbers.ts';
import { seenHeight } from '../scales.ts';
import { wantsLog } from '../series.ts';
import { findingsNote } from './plots.ts';

interface Subject {
  metric: string;
  axis: string;
  as: Fit['as'];
}
interface Drawn {
  sweep: Sweep;
  fit: Fit;
  title: string;
  points: ChartPoint[];
}

// The pairs of metric and axis with a fit.
function subjects(core: Core): Subject[] {
  const found = new Map<string, Subject>();
  for (const { metric, axis, as } of core.sweep.fits)
    found.set(JSON.stringify([metric, axis, as]), { metric, axis, as });
  return [...found.values()];
}

const throughput = (value: number, n: number, as: Fit['as']): number =>
  as === 'value' ? value : as === 'inverse' ? 1 / value : n / value;
export const throughputName = ({ metric, axis, as }: Subject): string =>
  as === 'value' ? metric : as === 'inverse' ? `1 / ${metric}` : `${axis} / ${metric}`;

const isOnLine = (point: Point, fit: Fit): boolean =>
  Object.entries(fit.rest).every(([axis, value]) => point.axes[axis] === value);
export const restText = (fit: Fit): string =>
  Object.entries(fit.rest)
    .map(([axis, value]) => `${axis}=${value}`)
    .join(' ');

function pointsOf(core: Core, sweep: Sweep, fit: Fit, unit: string): ChartPoint[] {
  const metric = sweep.plan.metrics.find(({ name }) => name === fit.metric);
  if (!metric) return [];
  return sweep.points
    .filter((point) => isOnLine(point, fit) && passes(point, core.state.filter))
    .map((point): ChartPoint => {
      const number = numberOf(point, metric),
        n = Number(point.axes[fit.axis]),
        ends = number
          ? [number.low ?? number.median, number.high ?? number.median].map((end) => throughput(end, n, fit.as))
          : [0, 0],
        value = number ? throughput(number.median, n, fit.as) : null;
      return {
        x: n,
        value,
        low: Math.min(...ends),
        high: Math.max(...ends),
        runs: number ? number.values.map((run) => throughput(run, n, fit.as)) : [],
        reference: referenceText(point.id, sweep !== core.sweep),
        trouble: visible(troubleOf(point)),
        text: `${core.name(sweep, point)}: ${value === null ? 'no number' : withUnit(value, unit)}`,
      };
    });
}

const finite = (value: number | null): number => value ?? Infinity;
const range = ({ low, high }: Estimate, of: (value: number) => string): string =>
  `${of(low ?? 0)} to ${high === null ? 'unbounded' : of(high)}`;
const share = (value: number): string => `${Number((100 * value).toPrecision(3))} %`;

function marksOf(fit: Fit, sweep: Sweep): ChartMark[] {
  const marks: ChartMark[] = [];
  if (fit.knee)
    marks.push({
      kind: 'knee',
      x: fit.knee.at,
      low: fit.knee.low ?? 0,
      high: finite(fit.knee.high),
      text: `knee ${plainNumber(Number(fit.knee.at.toPrecision(3)))}`,
    });
  if (fit.half && fit.half.at >= 1 && !fit.ceiling)
    marks.push({
      kind: 'half',
      x: fit.half.at,
      low: fit.half.at,
      high: fit.half.at,
      text: `half gain ${plainNumber(Number(fit.half.at.toPrecision(3)))}`,
    });
  const { cpus } = sweep.machine;
  if (cpus > 0)
    marks.push({ kind: 'cpus', x: cpus, low: cpus, high: cpus, text: cpus === 1 ? '1 CPU' : `${cpus} CPUs` });
  return marks;
}

function halfText({ half }: Fit): string {
  if (!half) return 'never';
  return half.at < 1
    ? 'below 2'
    : `${plainNumber(Number(half.at.toPrecision(3)))} (${range(half, (value) => plainNumber(Number(value.toPrecision(3))))})`;
}

function parameterTable(drawn: Drawn[], unit: string, axis: string): HTMLElement {
  const rows = drawn.map(({ fit, title }) => {
    const of = (estimate: (Estimate & { value: number }) | undefined, text: (value: number) => string): string =>
      estimate ? `${text(estimate.value)} (${range(estimate, text)})` : '\u2013';
    const kneeText = (value: number): string => plainNumber(Number(value.toPrecision(3)));
    return [
      title || 'all points',
      fit.verdict,
      of(fit.lambda, (value) => withUnit(value, unit)),
      of(fit.sigma, share),
      of(fit.kappa, share),
      of(fit.ceiling, (value) => withUnit(value, unit)),
      fit.knee ? `${kneeText(fit.knee.at)} (${range(fit.knee, kneeText)})` : '\u2013',
      fit.lambda ? halfText(fit) : '\u2013',
      fit.r2 === undefined ? '\u2013' : fit.r2.toFixed(3),
    ];
  });
  return table(
    'Parameters of the fits',
    [
      'Line',
      'Verdict',
      'Throughput of one (\u03bb)',
      'Contention (\u03c3)',
      'Coherency (\u03ba)',
      'Ceiling',
      'Knee',
      `Half gain (${visible(axis)})`,
      'R\u00b2',
    ],
    rows,
    [2, 3, 4, 5, 6, 7, 8],
  );
}

export const scaling: SweepView = {
  id: 'scaling',
  title: 'Scaling',
  key: '3',
  about: 'contention, coherency and the knee',
  missing: (core) =>
    core.sweep.fits.length > 0
      ? null
      : 'There is no fit. A fit needs an axis with at least three numbers of workers, such as threads = [1, 2, 4, 8], or `scaling` in the plan.',
  draw: (core, root) => {
    const all = subjects(core),
      subject = all[Math.min(core.state.fit, all.length - 1)],
      axis = core.axes.findIndex(({ name }) => name === subject.axis),
      metric = core.sweep.plan.metrics.find(({ name }) => name === subject.metric);
    const unit = subject.as === 'value' ? (metric?.unit ?? '') : '';
    root.append(
      toolbar(
        'Scaling options',
        selector(
          'Throughput',
          all.map((one, i) => [String(i), visible(`${throughputName(one)} against ${one.axis}`)]),
          String(all.indexOf(subject)),
          (value) => core.change({ fit: Number(value) }),
        ),
        selector(
          'Axis',
          [
            ['auto', 'as planned'],
            ['no', 'linear'],
            ['yes', 'logarithmic'],
          ],
          core.state.logX,
          (logX) => core.change({ logX: logX as 'auto' | 'yes' | 'no' }),
        ),
        toggle('Log scale', core.state.logY, (logY) => core.change({ logY }), 'The vertical axis is logarithmic'),
        toggle(
          'Same scale',
          !core.state.ownScales,
          (same) => core.change({ ownScales: !same }),
          'All plots have one vertical scale',
        ),
        toggle('Runs', core.state.runs, (runs) => core.change({ runs }), 'Every run is drawn'),
      ),
    );
    const note = findingsNote(core);
    if (note) root.append(note);
    const drawn = core.sweeps.flatMap((sweep) =>
      sweep.fits
        .filter((fit) => fit.metric === subject.metric && fit.axis === subject.axis && fit.as === subject.as)
        .map((fit): Drawn => ({
          sweep,
          fit,
          title: visible([restText(fit), core.sweep.other ? core.sweepName(sweep) : ''].filter(Boolean).join(', ')),
          points: pointsOf(core, sweep, fit, unit),
        }))
        .filter(({ points }) => points.length > 0),
    );
    // The same line of two sweeps is side by side.
    const lines = [...new Set(drawn.map(({ fit }) => restText(fit)))];
    drawn.sort((a, b) => lines.indexOf(restText(a.fit)) - lines.indexOf(restText(b.fit)));
    const points = drawn.flatMap((one) => one.points),
      xs = [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b),
      last = Math.max(...xs, ...drawn.flatMap(({ fit }) => fit.curve.map(([x]) => x)));
    const options = {
      xTitle: visible(subject.axis),
      yTitle: visible(throughputName(subject)),
      yUnit: unit,
      names: null,
      xs,
      logX: axis >= 0 && wantsLog(core, axis),
      logY: core.state.logY,
      xRange: [Math.min(...xs), last] as [number, number],
      selected: core.state.point,
      runs: core.state.runs,
      chosen: (reference: string) => core.choose(reference),
      opened: (reference: string) => core.open(reference),
      hovered: (text: string) => status.hover(text),
    };
    const rangeFor = (some: ChartPoint[]): [number, number] => {
      const height = seenHeight(some);
      return rangeOf(
        some.flatMap(({ value, high }) => (value === null ? [] : [value, Math.min(high, height)])),
        true,
        core.state.logY,
      );
    };
    const list = drawn.map(({ sweep, fit, title, points: some }): Figure => ({
      title: title || visible(throughputName(subject)),
      draw: (width) =>
        drawChart(
          [{ name: title, slot: lines.indexOf(restText(fit)), dashed: sweep !== core.sweep, points: some }],
          {
            ...options,
            yRange: rangeFor(core.state.ownScales ? some : points),
            title: title || 'Scaling',
            band: fit.curve,
            marks: marksOf(fit, sweep),
          },
          width,
        ),
      below: [
        el('p', { class: 'verdict' }, visible(fit.summary)),
        fit.note.length > 0
          ? el('ul', { class: 'notes' }, ...fit.note.map((text) => el('li', null, visible(text))))
          : null,
      ],
    }));
    root.append(figures(core, list, root.clientWidth - 32), parameterTable(drawn, unit, subject.axis));
    root.append(
      el(
        'p',
        { class: 'faint' },
        `Curve: \u03bbN / (1 + \u03c3(N \u2212 1) + \u03baN(N \u2212 1)), fitted to all runs, with its ${core.words.confidence} band; or, if that is far more likely, a straight line up to a ceiling (saturation). ` +
          'The knee is where throughput is highest, or where it reaches the ceiling; it is marked only if there is evidence of one. The half gain is the last N at which one more still adds half of the throughput of one.',
      ),
    );
  },
};
