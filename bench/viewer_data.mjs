// SPDX-License-Identifier: Apache-2.0
// The same synthetic recording twice: as the text of `perf script` on standard output, for wick, and as a speedscope
// file. SAMPLES samples of one thread over a call tree of about NODES nodes; the same bytes on every machine.
//
//     node viewer_data.mjs SAMPLES NODES OUT.speedscope.json | wick convert - -o OUT.wick
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';

const [samples, nodes] = process.argv.slice(2, 4).map(Number);
const FUNCTIONS = 4000;
const DEEPEST = 60;
const PERIOD_US = 1000;

let state = 1;
const random = (below) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};

const SPACES = ['net', 'store::index', 'sql::plan', 'std::__detail', 'rpc', 'codec::h2', 'app', 'io::ring'];
const CLASSES = ['Cursor', 'HashTable<Key, Value>', 'Session', 'PageCache', 'Decoder', 'WorkQueue<Task>', 'Arena', 'Planner'];
const METHODS = ['find', 'insert', 'on_readable', 'flush', 'decode_block', 'next', 'compare', 'operator()', 'grow', 'run'];
const pick = (words) => words[random(words.length)];
const names = Array.from({ length: FUNCTIONS }, (_, i) => `${pick(SPACES)}::${pick(CLASSES)}::${pick(METHODS)}_${i.toString(16)}`);

// The parent of a node is the previous one or any earlier one, as deep as real stacks are.
const parent = new Int32Array(nodes);
const depth = new Int32Array(nodes);
const label = new Int32Array(nodes);
for (let node = 1; node < nodes; ++node) {
  let above = random(4) > 0 ? node - 1 : random(node);
  while (depth[above] >= DEEPEST) above = random(node);
  parent[node] = above;
  depth[node] = depth[above] + 1;
  label[node] = above === 0 ? random(8) : random(FUNCTIONS);
}

function framesOf(node) { // leaf first
  const frames = [];
  for (let at = node; at !== 0; at = parent[at]) frames.push(label[at]);
  return frames;
}

const json = createWriteStream(process.argv[4]);
const write = async (stream, text) => { if (!stream.write(text)) await once(stream, 'drain'); };
await write(json, JSON.stringify({ frames: names.map((name) => ({ name })) }).replace(/^/, '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":')
  + `,"profiles":[{"type":"sampled","name":"made up","unit":"microseconds","startValue":0,"endValue":${samples * PERIOD_US},"samples":[\n`);
let script = '';
let list = '';
for (let sample = 0, node = 1; sample < samples; ++sample) {
  if (random(3) > 0) node = 1 + random(nodes - 1); // otherwise the same node again
  const frames = framesOf(node);
  const micros = sample * PERIOD_US;
  script += `server 100/100 [000] ${Math.floor(micros / 1e6)}.${String(micros % 1e6).padStart(6, '0')}: 1000000 cpu-clock:\n`;
  for (const frame of frames) script += `\t${(4096 + frame * 64).toString(16)} ${names[frame]}+0x4 (/usr/bin/server)\n`;
  script += '\n';
  list += `${sample === 0 ? '' : ',\n'}[${frames.reverse().join(',')}]`;
  if (script.length > 1 << 20) {
    await write(process.stdout, script);
    await write(json, list);
    script = list = '';
  }
}
await write(process.stdout, script);
await write(json, `${list}\n],"weights":[${new Array(samples).fill(PERIOD_US).join(',')}]}]}\n`);
json.end();
