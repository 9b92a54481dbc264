// SPDX-License-Identifier: Apache-2.0
// The data of a sweep's page (src/experiment/sweep/json.h describes the format), and functions that look things up.
//
// A point has a reference: its number, with "o" before it in the other sweep of a comparison. Axes, metrics and areas
// are identified by position.

import type { Words } from '../model/words.ts';
import { plural } from '../ui/text.ts';

export interface Estimate {
  low: number | null;
  high: number | null;
}
export interface Axis {
  name: string;
  unit: string;
  values: (string | number)[];
  numeric: boolean;
  log: boolean;
}
export interface Metric {
  name: string;
  unit: string;
  better: 'less' | 'more';
  hidden: boolean; // a part of other metrics
}
export interface MetricNumber extends Estimate {
  median: number;
  mark: 'best' | 'worst' | '';
  n: number;
  values: number[];
}
export interface Point {
  id: number;
  axes: Record<string, string | number>;
  at: number[];
  status: string;
  why: string;
  cut: string;
  failed_checks: string[];
  metrics: Record<string, MetricNumber>;
  profile: string;
  page: string;
  samples?: number;
  weight?: number;
  unit?: string;
  areas?: Record<string, Estimate & { share: number }>;
  functions?: [name: string, self: number, total: number][];
  least_self?: number;
}
export interface Fit {
  metric: string;
  axis: string;
  as: 'value' | 'inverse' | 'per N';
  rest: Record<string, string | number>;
  verdict: string;
  summary: string;
  note: string[];
  lambda?: Estimate & { value: number };
  sigma?: Estimate & { value: number };
  kappa?: Estimate & { value: number };
  ceiling?: Estimate & { value: number };
  r2?: number;
  knee: (Estimate & { at: number }) | null;
  half: (Estimate & { at: number }) | null;
  curve: [n: number, value: number, low: number, high: number][];
}
export interface Rank extends Estimate {
  fit: number;
  point: number;
  efficiency: number;
}
export interface Sweep {
  plan: { name: string; directory: string; axes: Axis[]; metrics: Metric[]; areas: string[] };
  machine: {
    cpus: number;
    facts: { name: string; value: string }[];
    findings: { what: string; why: string; advice: string }[];
  };
  notes: string[];
  points: Point[];
  fits: Fit[];
  ranking: Rank[];
  other?: Sweep;
}

// Keys are untrusted names: only own properties count.
const own = <T>(record: Record<string, T> | undefined, key: string): T | null =>
  record && Object.hasOwn(record, key) ? record[key] : null;

// Puts two sweeps on the axes of the first, with the values of both. Points of the second that do not fit on them are
// left out, with a note.
function align(sweep: Sweep, other: Sweep): void {
  for (const axis of sweep.plan.axes) {
    const otherValues = other.plan.axes.find(({ name }) => name === axis.name)?.values ?? [];
    axis.values = [...new Set([...axis.values, ...otherValues])];
    axis.numeric = axis.values.every((value) => typeof value === 'number');
    if (axis.numeric) axis.values.sort((a, b) => Number(a) - Number(b));
  }
  const positionsOf = (point: Point): number[] =>
    sweep.plan.axes.map((axis) => axis.values.indexOf(own(point.axes, axis.name) ?? ''));
  for (const one of [sweep, other]) for (const point of one.points) point.at = positionsOf(point);
  const shared = other.points.filter(
    ({ at, axes }) => at.every((position) => position >= 0) && Object.keys(axes).length === sweep.plan.axes.length,
  );
  if (shared.length < other.points.length)
    other.notes.push(
      `${plural(other.points.length - shared.length, 'point is', 'points are')} not shown: the first sweep has different axes.`,
    );
  other.points = shared;
  other.plan.axes = sweep.plan.axes;
}

// The quantity of a plot: a metric, or the share of an area.
export interface Quantity {
  name: string;
  unit: string;
  better: 'less' | 'more' | '';
  of: (point: Point) => { value: number; low: number; high: number } | null;
}

const damaged = (): Error =>
  new Error('The data in this page is damaged. Write the page again with wick sweep DIRECTORY.');

export function readWords(text: string | null): Words {
  try {
    return JSON.parse(text ?? '') as Words;
  } catch {
    throw damaged();
  }
}

export function readSweep(text: string | null): Sweep {
  try {
    const sweep = JSON.parse(text ?? '') as Sweep;
    if (Array.isArray(sweep.points) && Array.isArray(sweep.plan.axes)) {
      if (sweep.other) align(sweep, sweep.other);
      return sweep;
    }
  } catch {
    // Shown below.
  }
  throw damaged();
}

export const numberOf = (point: Point, metric: Metric): MetricNumber | null => own(point.metrics, metric.name);

export function metricQuantity(metric: Metric): Quantity {
  return {
    name: metric.name,
    unit: metric.unit,
    better: metric.better,
    of: (point) => {
      const number = numberOf(point, metric);
      return number && { value: number.median, low: number.low ?? number.median, high: number.high ?? number.median };
    },
  };
}

export function areaQuantity(area: string): Quantity {
  return {
    name: area,
    unit: 'share',
    better: '',
    of: (point) => {
      const found = own(point.areas, area);
      return found && { value: found.share, low: found.low ?? 0, high: found.high ?? 1 };
    },
  };
}

// One value per axis, or -1 for all.
export type Filter = readonly number[];

export const passes = (point: Point, filter: Filter): boolean =>
  point.at.every((at, axis) => filter[axis] === undefined || filter[axis] < 0 || filter[axis] === at);

export const isOk = (point: Point): boolean => point.status === 'ok' && point.failed_checks.length === 0;

// The failures of a point in words; empty if there are none.
export function troubleOf(point: Point): string {
  const parts: string[] = [];
  if (point.status !== 'ok') parts.push(point.why ? `${point.status}: ${point.why}` : point.status);
  if (point.failed_checks.length > 0) parts.push(`failed: ${point.failed_checks.join(', ')}`);
  if (point.cut) parts.push(`output cut: ${point.cut}`);
  return parts.join('; ');
}

export const axisValue = (axis: Axis, at: number): string => String(axis.values[at] ?? '');

// "threads=4 engine=mmap".
export function pointName(sweep: Sweep, point: Point): string {
  const parts = sweep.plan.axes.map((axis, i) => `${axis.name}=${axisValue(axis, point.at[i])}`);
  return parts.length > 0 ? parts.join(' ') : 'the only point';
}

// The point of `other` with the same values.
export function counterpart(sweep: Sweep, point: Point, other: Sweep): Point | null {
  const named = sweep.plan.axes.map((axis, i) => [axis.name, axis.values[point.at[i]]] as const);
  return other.points.find((one) => named.every(([name, value]) => own(one.axes, name) === value)) ?? null;
}

export interface Reference {
  sweep: Sweep;
  point: Point;
  other: boolean;
}
export const referenceText = (id: number, other: boolean): string => `${other ? 'o' : ''}${id}`;

export function findPoint(sweep: Sweep, reference: string): Reference | null {
  const other = reference.startsWith('o'),
    of = other ? sweep.other : sweep;
  const point = of?.points.find(({ id }) => referenceText(id, other) === reference);
  return of && point ? { sweep: of, point, other } : null;
}

// Lines along an axis: points that differ in this axis only, in its order, by the positions on the other axes.
export function linesAlong(points: readonly Point[], axis: number): Map<string, Point[]> {
  const lines = new Map<string, Point[]>();
  for (const point of points) {
    const rest = point.at.map((at, i) => (i === axis ? '' : at)).join('.');
    lines.get(rest)?.push(point) ?? lines.set(rest, [point]);
  }
  for (const line of lines.values()) line.sort((a, b) => a.at[axis] - b.at[axis]);
  return lines;
}

// The address of a point's profile, relative to this page. It is encoded, so it is a path whatever its characters.
export const profilePage = (point: Point | undefined): string | null =>
  point?.page ? point.page.split('/').map(encodeURIComponent).join('/') : null;
