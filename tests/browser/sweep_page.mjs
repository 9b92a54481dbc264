// SPDX-License-Identifier: Apache-2.0
// A generated sweep for tests of its page: 5 threads x 2 engines x 2 payloads, with a lock in one engine, a failed
// point, a failed check, profiles and areas. The page is the one that wick embeds, built here from web/.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { file, pageOf } from './viewer_page.mjs';

const THREADS = [1, 2, 4, 8, 16],
  ENGINES = ['plain', 'locked'],
  PAYLOADS = [64, 4096];
const SIGMA = { plain: 0.01, locked: 0.3 },
  KAPPA = { plain: 0.004, locked: 0 };

const rate = (threads, engine, payload, faster) => {
  const slow = 1 + SIGMA[engine] * (threads - 1) + KAPPA[engine] * threads * (threads - 1);
  return (faster * (payload === 64 ? 1000 : 400) * threads) / slow;
};
const number = (values) => {
  const sorted = [...values].sort((a, b) => a - b),
    median = sorted[Math.floor(sorted.length / 2)];
  return { median, low: sorted[0] * 0.98, high: sorted.at(-1) * 1.02, mark: '', n: values.length, values };
};
const NOISE = [0.99, 1, 1.012];

function point(id, at, faster) {
  const [threads, engine, payload] = [THREADS[at[0]], ENGINES[at[1]], PAYLOADS[at[2]]];
  const value = rate(threads, engine, payload, faster),
    lock = engine === 'locked' ? 0.1 + 0.05 * at[0] : 0.01;
  const made = {
    id,
    axes: { threads, engine, payload },
    at,
    status: 'ok',
    why: '',
    cut: '',
    failed_checks: [],
    metrics: {
      wall: number(NOISE.map((noise) => 1000 / value / noise)),
      throughput: number(NOISE.map((noise) => value * noise)),
      switches: number([4 * threads, 4 * threads, 5 * threads]),
    },
    profile: `profiles/point-${id}.wick`,
    page: `profiles/point-${id}.html`,
    samples: 2000,
    weight: 2e9,
    unit: 'nanoseconds',
    areas: {
      crc: { share: 0.5 - lock / 2, low: 0.47 - lock / 2, high: 0.53 - lock / 2 },
      lock: { share: lock, low: lock * 0.8, high: lock * 1.2 },
    },
    functions: [
      ['crc32', 0.5 - lock / 2, 0.5],
      ['futex_wait', lock, lock],
      ['main', 0.3, 1],
      ['memcpy', 0.2 - lock / 2, 0.2],
    ],
    least_self: 0,
  };
  if (id === 20)
    Object.assign(made, {
      status: 'failed',
      why: 'the client ended with status 1',
      metrics: {},
      profile: '',
      page: '',
      areas: undefined,
      functions: undefined,
    });
  if (id === 19) made.failed_checks = ['no blocking'];
  return made;
}

function fit(engine, payload, faster) {
  const [sigma, kappa, lambda] = [SIGMA[engine], KAPPA[engine], rate(1, engine, payload, faster)];
  const curve = Array.from({ length: 49 }, (_, i) => {
    const n = 24 ** (i / 48),
      value = (lambda * n) / (1 + sigma * (n - 1) + kappa * n * (n - 1));
    return [n, value, value * 0.96, value * 1.04];
  });
  const about = (value) => ({ value, low: value * 0.9, high: value * 1.1 });
  return {
    metric: 'throughput',
    axis: 'threads',
    as: 'value',
    rest: { engine, payload },
    verdict: kappa > 0 ? 'contention and coherency' : 'contention',
    summary:
      kappa > 0
        ? 'Contention and coherency: 1 % waits; each pays 0.4 %.'
        : 'Contention: 30 % of the work runs one at a time (95 %: 27 % to 33 %).',
    note: ['threads goes up to 16 on 2 CPUs: if each needs a CPU, the machine causes flattening beyond 2.'],
    lambda: about(lambda),
    sigma: about(sigma),
    kappa: about(kappa),
    r2: 0.998,
    knee: kappa > 0 ? { at: Math.sqrt((1 - sigma) / kappa), low: 13, high: null } : null,
    half: { at: kappa > 0 ? 9.8 : 1.6, low: 1.5, high: 11 },
    curve,
  };
}

export function madeUpSweep(faster = 1, directory = 'results/first') {
  const points = THREADS.flatMap((_, t) => ENGINES.flatMap((__, e) => PAYLOADS.map((___, p) => [t, e, p]))).map(
    (at, i) => point(i + 1, at, faster),
  );
  // As wick marks them: the best and the worst, and points that cannot be distinguished from them.
  for (const metric of ['wall', 'throughput', 'switches']) {
    const known = points.filter(
        ({ status, failed_checks, metrics }) => status === 'ok' && failed_checks.length === 0 && metrics[metric],
      ),
      values = known.map(({ metrics }) => metrics[metric].median);
    const [low, high] = metric === 'throughput' ? ['worst', 'best'] : ['best', 'worst'];
    for (const { metrics } of known) {
      const { median } = metrics[metric];
      metrics[metric].mark =
        median < 1.01 * Math.min(...values) ? low : median > 0.99 * Math.max(...values) ? high : '';
    }
  }
  const fits = ENGINES.flatMap((engine) => PAYLOADS.map((payload) => fit(engine, payload, faster)));
  const ranking = fits
    .flatMap((one, at) =>
      points
        .filter(
          ({ axes, status }) => status === 'ok' && axes.engine === one.rest.engine && axes.payload === one.rest.payload,
        )
        .map(({ id, axes }) => {
          const efficiency =
            rate(axes.threads, axes.engine, axes.payload, 1) / rate(1, axes.engine, axes.payload, 1) / axes.threads;
          return { fit: at, point: id, efficiency, low: efficiency * 0.95, high: efficiency * 1.05 };
        }),
    )
    .sort((a, b) => a.efficiency - b.efficiency);
  return {
    plan: {
      name: 'engines',
      directory,
      axes: [
        { name: 'threads', unit: '', values: THREADS, numeric: true, log: true },
        { name: 'engine', unit: '', values: ENGINES, numeric: false, log: false },
        { name: 'payload', unit: 'bytes', values: PAYLOADS, numeric: true, log: true },
      ],
      metrics: [
        { name: 'wall', unit: 's', better: 'less', hidden: false },
        { name: 'throughput', unit: 'ops/s', better: 'more', hidden: false },
        { name: 'switches', unit: '', better: 'less', hidden: false },
      ],
      areas: ['crc', 'lock'],
    },
    machine: {
      cpus: 2,
      facts: [
        { name: 'CPUs', value: '2' },
        { name: 'kernel', value: '6.1.0' },
      ],
      findings: [
        {
          what: 'too few CPUs',
          why: 'the plan keeps 16 busy at a time, and there are 2',
          advice: 'taskset or a larger machine',
        },
      ],
    },
    notes: [],
    points,
    fits,
    ranking,
  };
}

// The words of the program, as a page that it writes has them (src/viewer/page_words.h).
function words() {
  const written = readFileSync(pageOf(file('words.folded', 'a 1\n')), 'utf8');
  const [, part] = /class="wick-part">([^<]*)</.exec(written);
  const bytes = gunzipSync(Buffer.from(part, 'base64'));
  return JSON.parse(bytes.toString('utf8', 16, 16 + bytes.readUInt32LE(12))).words;
}

let template;
let programWords;
export function sweepPage(sweep, name = 'sweep.html') {
  if (template === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'wick-sweep-page-'));
    execFileSync(process.execPath, [
      new URL('../../web/build.mjs', import.meta.url).pathname,
      join(folder, 'viewer.html'),
      join(folder, 'sweep.html'),
    ]);
    template = readFileSync(join(folder, 'sweep.html'), 'utf8');
    rmSync(folder, { recursive: true });
  }
  programWords ??= words();
  const escape = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };
  const element = (id, value) => {
    const json = typeof value === 'string' ? value : JSON.stringify(value);
    return `<script type="application/json" id="${id}">${json.replace(/[<>&]/g, (one) => escape[one])}</script>`;
  };
  const values = {
    title: 'sweep',
    connect: "'none'",
    data: element('sweep', sweep) + element('words', programWords),
  };
  return file(
    name,
    template.replace(/\{\{(title|connect|data)\}\}/g, (_, key) => values[key]),
  );
}
