// SPDX-License-Identifier: Apache-2.0
// Scales: from values to pixels, with round numbers for ticks.

export interface Scale {
  at: (value: number) => number;
  ticks: number[];
}

const STEPS = [1, 2, 2.5, 5, 10];

export function linearTicks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / Math.max(1, count);
  if (!(raw > 0) || !Number.isFinite(raw)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * (STEPS.find((one) => one * power >= raw * 0.999) ?? 10);
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
    ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

export function logTicks(low: number, high: number, count: number): number[] {
  const first = Math.floor(Math.log10(low)),
    last = Math.ceil(Math.log10(high));
  const of = (digits: number[], every: number): number[] => {
    const ticks: number[] = [];
    for (let power = first; power <= last; power += every)
      for (const digit of digits) ticks.push(Number((digit * 10 ** power).toPrecision(12)));
    return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
  };
  for (const digits of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1]]) {
    const ticks = of(digits, 1);
    if (ticks.length <= count * 1.5)
      return ticks.length >= 2 ? ticks : linearTicks(low, high, count).filter((tick) => tick > 0);
  }
  return of([1], Math.ceil((last - first) / count));
}

// With a margin at both ends, so that markers are not cut off.
export function makeScale(low: number, high: number, log: boolean, from: number, to: number): Scale {
  const count = Math.max(2, Math.abs(to - from) / 44);
  if (log && low > 0) {
    const margin = Math.max(Math.log(high / low), 0.1) * 0.04,
      start = Math.log(low) - margin,
      end = Math.log(high) + margin;
    return {
      at: (value) => from + ((Math.log(Math.max(value, 1e-300)) - start) / (end - start)) * (to - from),
      ticks: logTicks(Math.exp(start), Math.exp(end), count),
    };
  }
  const margin = (high > low ? high - low : Math.abs(high) || 1) * 0.05,
    start = low === 0 ? 0 : low - margin,
    end = high + margin;
  return {
    at: (value) => from + ((value - start) / (end - start)) * (to - from),
    ticks: linearTicks(start, end, count),
  };
}

// Names side by side.
export function bandScale(count: number, from: number, to: number): Scale {
  const width = (to - from) / Math.max(1, count);
  return { at: (value) => from + (value + 0.5) * width, ticks: Array.from({ length: count }, (_, i) => i) };
}

// The highest value to show. Intervals of few runs can be so wide that nothing else would be visible.
export function seenHeight(points: readonly { value: number | null }[]): number {
  const largest = points.reduce((most, { value }) => Math.max(most, value ?? 0), 0);
  return largest > 0 ? 3 * largest : Infinity;
}
