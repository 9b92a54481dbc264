// SPDX-License-Identifier: Apache-2.0
// The views, in the order of their tabs. To add one: a file in views/ and a row here.

import type { AppCore } from './app_core.ts';
import type { ViewRow } from './part.ts';
import { ChartView } from './views/chart.ts';
import { DiffView } from './views/diff.ts';
import { FlameView } from './views/flame.ts';
import { FunctionsView } from './views/functions.ts';
import { QualityView } from './views/quality.ts';
import { SourceView } from './views/source.ts';
import { SummaryView } from './views/summary.ts';
import { TimelineView } from './views/timeline.ts';
import { TreeView } from './views/tree.ts';

// A trace can have marks, spans and counters alone: the Timeline view shows these.
const hasMoments = ({ info }: AppCore): boolean =>
  info.marks.time.length + info.spans.begin.length + info.counters.length > 0;

const noTime = (app: AppCore): string | null =>
  app.info.hasTime
    ? null
    : app.info.rows === 0
      ? hasMoments(app)
        ? 'This profile has no samples. The Timeline view shows its spans, marks and counters.'
        : 'This profile has no samples, so there is nothing to show over time. The Quality view lists what was lost.'
      : 'This profile has no times: folded text and flame graphs do not contain them. Record with wick record, or open the original perf.data.';

const noSpan = (app: AppCore): string | null =>
  app.info.duration > 0
    ? null
    : app.info.hasTime || hasMoments(app)
      ? 'All that this profile has is at one time, so there is nothing to show over time.'
      : noTime(app);

export const VIEWS: ViewRow[] = [
  { id: 'summary', title: 'Summary', key: '1', about: 'where the time went', create: (app) => new SummaryView(app) },
  {
    id: 'flame',
    title: 'Flame graph',
    key: '2',
    about: 'the call tree as a picture',
    hasPicture: true,
    create: (app) => new FlameView(app),
  },
  {
    id: 'functions',
    title: 'Functions',
    key: '3',
    about: 'a table of functions, with callers and callees (sandwich)',
    hasPicture: true,
    create: (app) => new FunctionsView(app),
  },
  {
    id: 'tree',
    title: 'Call tree',
    key: '4',
    about: 'the call tree as a table',
    hasPicture: true,
    create: (app) => new TreeView(app),
  },
  {
    id: 'chart',
    title: 'Time order',
    key: '5',
    about: 'what threads did, in time order',
    hasPicture: true,
    missing: noTime,
    create: (app) => new ChartView(app),
  },
  {
    id: 'timeline',
    title: 'Timeline',
    key: '6',
    about: 'the activity of threads and CPUs over time',
    hasPicture: true,
    missing: noSpan,
    create: (app) => new TimelineView(app),
  },
  {
    id: 'source',
    title: 'Source',
    key: '7',
    about: 'the source lines and instructions of a function',
    create: (app) => new SourceView(app),
  },
  {
    id: 'quality',
    title: 'Quality',
    key: '8',
    about: 'losses, incomplete stacks and missing names',
    create: (app) => new QualityView(app),
  },
  {
    id: 'diff',
    title: 'Differences',
    key: '9',
    about: 'the changes between two profiles',
    hasPicture: true,
    missing: (app) =>
      app.engine.loaded.profiles.length > 1
        ? null
        : 'This view needs two profiles. Open them with wick view BEFORE AFTER.',
    create: (app) => new DiffView(app),
  },
];
