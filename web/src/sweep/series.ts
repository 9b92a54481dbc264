// SPDX-License-Identifier: Apache-2.0
// Makes the series of a plot from points: along one axis, one series for each combination of the other axes.
import { visible } from '../ui/text.ts';
import { rangeOf, SLOTS, type ChartOptions, type ChartPoint, type ChartSeries } from './chart.ts';
import type { Core } from './core.ts';
import {
  axisValue,
  linesAlong,
  numberOf,
  referenceText,
  troubleOf,
  type Metric,
  type Point,
  type Quantity,
  type Sweep,
} from './data.ts';
import { status } from '../ui/status.ts';
import { seenHeight } from './scales.ts';
import { areCounts } from '../model/statistics.ts';

export function chartPoint(core: Core, sweep: Sweep, point: Point, axis: number, quantity: Quantity): ChartPoint {
  const { numeric, values } = core.axes[axis],
    number = quantity.of(point),
    metric = core.sweep.plan.metrics.find(({ name }) => name === quantity.name);
  return {
    x: numeric ? Number(values[point.at[axis]]) : point.at[axis],
    value: number ? number.value : null,
    low: number?.low ?? 0,
    high: number?.high ?? 0,
    runs: (metric && quantity.better !== '' && numberOf(point, metric)?.values) || [],
    reference: referenceText(point.id, sweep !== core.sweep),
    trouble: visible(troubleOf(point)),
    text: core.describe(sweep, point, quantity),
  };
}

// "engine=mmap payload=64", of the axes that are not fixed.
export function restName(core: Core, point: Point, without: readonly number[]): string {
  return core.axes
    .flatMap((axis, i) =>
      without.includes(i) || axis.values.length < 2 || core.state.filter[i] >= 0
        ? []
        : [`${axis.name}=${axisValue(axis, point.at[i])}`],
    )
    .join(' ');
}

// The series of one plot. Colours follow the colouring axis, or the order of series; lines of one colour have different
// shapes. The other sweep of a comparison has the same colours and shapes, dashed and hollow.
export function seriesOf(
  core: Core,
  points: [Sweep, Point[]][],
  quantity: Quantity,
  without: readonly number[],
): ChartSeries[] {
  const { axis, colour } = core.state;
  const series: ChartSeries[] = [];
  const slots = new Map<string, number>(),
    shapes = new Map<string, string[]>(); // by colour: the names of its lines
  for (const [sweep, some] of points) {
    for (const line of linesAlong(some, axis).values()) {
      const name = restName(core, line[0], [axis, ...without]),
        key = colour >= 0 && colour !== axis ? String(line[0].at[colour]) : name;
      if (!slots.has(key))
        slots.set(key, colour >= 0 && colour !== axis ? line[0].at[colour] % SLOTS : slots.size % SLOTS);
      const alike = shapes.get(key) ?? [];
      shapes.set(key, alike);
      if (!alike.includes(name)) alike.push(name);
      const other = sweep !== core.sweep;
      series.push({
        name: visible([name, core.sweep.other ? core.sweepName(sweep) : ''].filter(Boolean).join(' ')),
        slot: slots.get(key)!,
        shape: slots.get(key)! + alike.indexOf(name) * SHAPE_STEP,
        dashed: other,
        points: line.map((point) => chartPoint(core, sweep, point, axis, quantity)),
      });
    }
  }
  return series;
}

const SHAPE_STEP = 3; // with 8 shapes, all are used before one repeats

// Three runs of a ratio may all be 1, so all runs of a metric must be whole numbers for it to be a count.
export const countsThings = (core: Core, metric: Metric): boolean =>
  core.sweeps.every(({ points }) => points.every((point) => areCounts(numberOf(point, metric)?.values ?? [])));

export const wantsLog = (core: Core, axis: number): boolean => {
  const { numeric, log, values } = core.axes[axis];
  return (
    numeric &&
    values.every((value) => Number(value) > 0) &&
    (core.state.logX === 'auto' ? log : core.state.logX === 'yes')
  );
};

// The options of a plot but its series; `series` are those of all small multiples, which share one scale.
export function optionsFor(
  core: Core,
  axis: number,
  quantity: Quantity,
  series: ChartSeries[],
): Omit<ChartOptions, 'title'> {
  const { state } = core,
    { name, unit, numeric, values } = core.axes[axis],
    points = series.flatMap((one) => one.points),
    height = seenHeight(points),
    seen = points.flatMap((point) =>
      point.value === null
        ? []
        : [point.value, Math.max(point.low, 0), Math.min(point.high, height), ...(state.runs ? point.runs : [])],
    );
  const xs = numeric ? values.map(Number) : [];
  return {
    xTitle: visible(unit ? `${name} (${unit})` : name),
    yTitle: visible(quantity.name),
    yUnit: quantity.unit,
    names: numeric ? null : values.map((value) => visible(String(value))),
    xs,
    logX: wantsLog(core, axis),
    logY: state.logY && points.every(({ value }) => value === null || value > 0),
    xRange: rangeOf(xs, false, false),
    yRange: rangeOf(seen, state.zero, state.logY),
    selected: state.point,
    runs: state.runs,
    chosen: (reference) => core.choose(reference),
    opened: (reference) => core.open(reference),
    hovered: (text) => status.hover(text),
  };
}
