// SPDX-License-Identifier: Apache-2.0
// The raw table as CSV, in the same columns as `wick sweep --csv` (one line per point).
import { axisValue, numberOf, type Sweep } from './data.ts';

// Quoted if necessary, and never the start of a formula in a spreadsheet (base/escape.h).
export function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?[\d.]+(e[+-]?\d+)?$/i.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function sweepCsv(sweep: Sweep): string {
  const { axes, metrics } = sweep.plan;
  const head = [
    'point',
    ...axes.map(({ name }) => name),
    'status',
    'failed_checks',
    ...metrics.flatMap(({ name }) => [name, `${name}_low`, `${name}_high`, `${name}_runs`]),
    'profile',
  ];
  const lines = sweep.points.map((point) => [
    String(point.id),
    ...axes.map((axis, i) => axisValue(axis, point.at[i])),
    point.status,
    point.failed_checks.join('; '),
    ...metrics.flatMap((metric) => {
      const number = numberOf(point, metric);
      return number ? [number.median, number.low ?? '', number.high ?? '', number.n].map(String) : ['', '', '', '0'];
    }),
    point.profile,
  ]);
  return [head, ...lines].map((line) => line.map(csvField).join(',')).join('\n') + '\n';
}
