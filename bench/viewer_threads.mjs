// SPDX-License-Identifier: Apache-2.0
// A recording of many threads as Firefox's profiler writes it: a million samples and 100,000 nested spans on 200
// threads, and a counter for each thread. The same bytes on every machine.
//
//     node viewer_threads.mjs OUT.json
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';

const [THREADS, SAMPLES, SPANS] = [200, 5000, 500]; // samples and spans of each thread
const [FUNCTIONS, NODES] = [120, 600];

let state = 1;
const random = (below) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const list = (length, value) => Array.from({ length }, (_, i) => value(i));
const same = (length, value) => new Array(length).fill(value);

function threadOf(number) {
  const names = list(FUNCTIONS, (i) => `module${number % 7}::Class${i % 17}::method_${i}`),
    tasks = list(9, (i) => `task ${i}`),
    begin = (span) => span * 10 + (number % 10) / 10; // milliseconds
  const table = (length, columns) => ({ length, ...columns });
  return {
    processType: 'default',
    processStartupTime: 0,
    processShutdownTime: null,
    registerTime: 0,
    unregisterTime: null,
    pausedRanges: [],
    name: `worker ${number}`,
    isMainThread: number === 0,
    pid: '1',
    tid: 100 + number,
    stringArray: [...names, ...tasks],
    samples: table(SAMPLES, {
      stack: list(SAMPLES, () => random(NODES)),
      time: list(SAMPLES, (i) => number * 0.01 + i),
      weight: null,
      weightType: 'samples',
      threadCPUDelta: list(SAMPLES, () => 100 + random(900)),
    }),
    // Every second span is within the one before it.
    markers: table(SPANS, {
      name: list(SPANS, (i) => FUNCTIONS + (i % tasks.length)),
      startTime: list(SPANS, (i) => begin(i)),
      endTime: list(SPANS, (i) => begin(i) + (i % 2 === 0 ? 18 : 6)),
      phase: same(SPANS, 1),
      category: same(SPANS, 0),
      data: same(SPANS, null),
    }),
    stackTable: table(NODES, {
      frame: list(NODES, () => random(FUNCTIONS)),
      prefix: list(NODES, (i) => (i === 0 ? null : Math.max(0, i - 1 - random(30)))),
      category: same(NODES, 0),
      subcategory: same(NODES, 0),
    }),
    frameTable: table(FUNCTIONS, {
      address: same(FUNCTIONS, -1),
      inlineDepth: same(FUNCTIONS, 0),
      category: same(FUNCTIONS, 0),
      subcategory: same(FUNCTIONS, 0),
      func: list(FUNCTIONS, (i) => i),
      nativeSymbol: same(FUNCTIONS, null),
      innerWindowID: same(FUNCTIONS, 0),
      implementation: same(FUNCTIONS, null),
      line: same(FUNCTIONS, null),
      column: same(FUNCTIONS, null),
    }),
    funcTable: table(FUNCTIONS, {
      name: list(FUNCTIONS, (i) => i),
      isJS: same(FUNCTIONS, false),
      relevantForJS: same(FUNCTIONS, false),
      resource: same(FUNCTIONS, -1),
      fileName: same(FUNCTIONS, null),
      lineNumber: same(FUNCTIONS, null),
      columnNumber: same(FUNCTIONS, null),
    }),
    resourceTable: table(0, { lib: [], name: [], host: [], type: [] }),
    nativeSymbols: table(0, { address: [], functionSize: [], libIndex: [], name: [] }),
  };
}

const out = createWriteStream(process.argv[2]);
const meta = {
  interval: 1,
  startTime: 0,
  processType: 0,
  product: 'made up',
  stackwalk: 1,
  version: 27,
  preprocessedProfileVersion: 47,
  categories: [{ name: 'Other', color: 'grey', subcategories: ['Other'] }],
  markerSchema: [],
  symbolicated: true,
  sampleUnits: { time: 'ms', eventDelay: 'ms', threadCPUDelta: '\u00b5s' },
};
out.write(`{"meta":${JSON.stringify(meta)},"libs":[],"pages":[],"counters":[],"profilerOverhead":[],"threads":[\n`);
for (let number = 0; number < THREADS; number++)
  if (!out.write(`${number === 0 ? '' : ',\n'}${JSON.stringify(threadOf(number))}`)) await once(out, 'drain');
out.end(']}\n');
