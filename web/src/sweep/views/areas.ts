// SPDX-License-Identifier: Apache-2.0
// The share of chosen areas of the program against an axis, from the points' profiles.
import { el } from '../../ui/dom.ts';
import { status } from '../../ui/status.ts';
import { visible } from '../../ui/text.ts';
import { drawChart, type ChartSeries } from '../chart.ts';
import { filterToolbar } from '../controls.ts';
import type { SweepView } from '../core.ts';
import { areaQuantity, linesAlong } from '../data.ts';
import { figures, legend } from '../figures.ts';
import { chartPoint, optionsFor, restName } from '../series.ts';
import { plotToolbar } from './plots.ts';

const NO_AREAS =
  'No point has a profile with areas. Set profile = "all" in the plan, and define areas in its table [areas] or with --areas FILE.';

export const areas: SweepView = {
  id: 'areas',
  title: 'Areas',
  key: '5',
  about: 'the share of chosen functions against an axis',
  missing: (core) =>
    core.axes.length > 0 &&
    core.sweeps.some(({ points }) => points.some((point) => Object.keys(point.areas ?? {}).length > 0))
      ? null
      : NO_AREAS,
  draw: (core, root) => {
    const { axis } = core.state,
      { areas: names } = core.sweep.plan,
      quantities = names.map(areaQuantity);
    root.append(plotToolbar(core, null));
    root.append(...filterToolbar(core, [axis]));
    // One plot per line of points, with one series per area.
    const lines = core.sweeps.flatMap((sweep) =>
      [
        ...linesAlong(
          core.points(sweep).filter((point) => point.areas),
          axis,
        ).values(),
      ].map((line) => ({ sweep, line })),
    );
    const series = lines.map(({ sweep, line }) =>
      quantities.map((quantity, slot): ChartSeries => ({
        name: visible(quantity.name),
        slot,
        dashed: false,
        points: line.map((point) => chartPoint(core, sweep, point, axis, quantity)),
      })),
    );
    const options = { ...optionsFor(core, axis, quantities[0], series.flat(2)), yTitle: 'share of the profile' };
    const key = legend(series.flat());
    if (key) root.append(key);
    root.append(
      figures(
        core,
        lines.map(({ sweep, line }, i) => {
          const title =
            visible(
              [restName(core, line[0], [axis]), core.sweep.other ? core.sweepName(sweep) : '']
                .filter(Boolean)
                .join(' '),
            ) || 'All';
          return { title, draw: (width) => drawChart(series[i], { ...options, title }, width) };
        }),
        root.clientWidth - 32,
      ),
      el(
        'p',
        { class: 'faint' },
        `Share of the profile\u2019s samples with the area anywhere in the stack, with its ${core.words.confidence} interval; areas may overlap.`,
      ),
    );
    status.hover('');
  },
};
