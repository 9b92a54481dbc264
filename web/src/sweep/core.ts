// SPDX-License-Identifier: Apache-2.0
// Shared by the views: the data, the state, and the actions that work everywhere.
import type { Words } from '../model/words.ts';
import { status } from '../ui/status.ts';
import { visible } from '../ui/text.ts';
import {
  findPoint,
  metricQuantity,
  passes,
  pointName,
  profilePage,
  troubleOf,
  type Axis,
  type Metric,
  type Point,
  type Quantity,
  type Sweep,
} from './data.ts';
import { withUnit } from './numbers.ts';
import { fromFragment, toFragment, type SweepState } from './state.ts';

export interface SweepView {
  id: string;
  title: string;
  key: string;
  about: string;
  missing?: (core: Core) => string | null; // why there is nothing to show
  draw: (core: Core, root: HTMLElement) => void;
}

export class Core {
  state: SweepState;
  onChange: () => void = () => {};

  constructor(
    readonly sweep: Sweep,
    readonly words: Words,
  ) {
    this.state = fromFragment(location.hash, sweep);
    window.addEventListener('hashchange', () => {
      this.state = fromFragment(location.hash, sweep);
      this.onChange();
    });
  }

  // One sweep, or the two of a comparison.
  get sweeps(): Sweep[] {
    return this.sweep.other ? [this.sweep, this.sweep.other] : [this.sweep];
  }
  get axes(): Axis[] {
    return this.sweep.plan.axes;
  }
  get metric(): Metric | undefined {
    return this.sweep.plan.metrics[this.state.metric];
  }
  get quantity(): Quantity | null {
    return this.metric ? metricQuantity(this.metric) : null;
  }

  // A new view or point adds an entry to the history; other changes replace it.
  change(part: Partial<SweepState>): void {
    const step =
      (part.view !== undefined && part.view !== this.state.view) ||
      (part.point !== undefined && part.point !== this.state.point);
    this.state = { ...this.state, ...part };
    const fragment = `#${toFragment(this.state, this.sweep)}`;
    if (step) history.pushState(null, '', fragment);
    else history.replaceState(null, '', fragment);
    this.onChange();
  }

  // The points that pass the filter.
  points(sweep: Sweep): Point[] {
    return sweep.points.filter((point) => passes(point, this.state.filter));
  }

  // The name of a sweep, if there are two.
  sweepName(sweep: Sweep): string {
    return visible(sweep.plan.directory || sweep.plan.name || (sweep === this.sweep ? 'first' : 'second'));
  }
  name(sweep: Sweep, point: Point): string {
    const name = visible(pointName(sweep, point));
    return this.sweep.other ? `${name} (${this.sweepName(sweep)})` : name;
  }

  describe(sweep: Sweep, point: Point, quantity: Quantity): string {
    const number = quantity.of(point),
      trouble = troubleOf(point);
    const value = number
      ? `${visible(quantity.name)} ${withUnit(number.value, quantity.unit)} (${this.words.confidence}: ${withUnit(number.low, quantity.unit)} to ${withUnit(number.high, quantity.unit)})`
      : `no ${visible(quantity.name)}`;
    return `${this.name(sweep, point)}: ${value}${trouble ? `; ${visible(trouble)}` : ''}`;
  }

  choose(reference: string): void {
    const found = findPoint(this.sweep, reference);
    if (!found) return;
    status.announce(this.name(found.sweep, found.point));
    this.change({ point: reference });
  }

  // Opens the page of a point's profile.
  open(reference: string): void {
    const address = profilePage(findPoint(this.sweep, reference)?.point);
    if (address) location.assign(address);
    else status.toast('This point has no profile. Set profile = "all" in the plan to record one.');
  }
}
