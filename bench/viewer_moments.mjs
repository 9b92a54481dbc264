// SPDX-License-Identifier: Apache-2.0
// A trace with many spans and marks, as trace events: 100,000 nested spans on 200 threads and a million marks. The same
// bytes on every machine.
//
//     node viewer_moments.mjs OUT.json
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';

const [SPANS, MARKS, THREADS] = [100_000, 1_000_000, 200];
const OUTER_US = 40_000; // between the outer spans of a thread
const NAMES = ['parse', 'load', 'send', 'hash'];

const out = createWriteStream(process.argv[2]);
let text = '{"traceEvents":[';
async function add(event, isFirst) {
  text += `${isFirst ? '' : ','}${JSON.stringify(event)}\n`;
  if (text.length < 1 << 20) return;
  if (!out.write(text)) await once(out, 'drain');
  text = '';
}

for (let i = 0; i < SPANS; i++) {
  const tid = 1 + (i % THREADS),
    turn = Math.floor(i / THREADS),
    inner = turn % 2,
    ts = ((turn - inner) / 2) * OUTER_US + tid * 13 + inner * 5000;
  const name = `${NAMES[turn % NAMES.length]} ${turn % 9}`;
  await add({ ph: 'X', name, pid: 1, tid, ts, dur: inner ? 12_000 : 30_000 }, i === 0);
}
for (let i = 0; i < MARKS; i++)
  await add({ ph: 'i', name: `frame ${i % 1000}`, pid: 1, tid: 1 + (i % THREADS), ts: i * 10, s: 't' }, false);
out.end(`${text}]}`);
