// SPDX-License-Identifier: Apache-2.0
// Shared by the tests: pages written by wick, read back into a model, and wick's own answers to the same question.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Model } from '../src/model/model.ts';
import { readPage } from '../src/model/page_data.ts';

export const WICK = process.env['WICK'] as string;
export const SOURCE = process.env['WICK_SOURCE'] as string;
export const directory = mkdtempSync(join(tmpdir(), 'wick-web-'));

export function file(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

export function wick(...words: string[]): string {
  return execFileSync(WICK, words, { encoding: 'utf8', maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] });
}

export interface Row {
  [key: string]: number | string;
}
export interface Report {
  total: number;
  samples: number;
  rows: Row[];
  sections?: Record<string, Row[]>;
  [figure: string]: unknown;
}
// An answer of `wick VERB --json` (docs/json.md): the rows of the first section, those of the others by name, and the
// figures beside them.
export function report(verb: string, ...words: string[]): Report {
  const answer = JSON.parse(wick(verb, '--json', '--allow-loss', '100', ...words));
  const sections = Object.entries(answer.sections as Record<string, { rows: Row[] }>).map(
    ([name, { rows }]) => [name, rows] as const,
  );
  return {
    ...answer,
    ...answer.figures,
    rows: sections[0]?.[1] ?? [],
    sections: Object.fromEntries(sections.slice(1)),
  } as Report;
}

export function partsOf(page: string): Uint8Array[] {
  const parts = page.matchAll(/class="wick-part">([^<]*)<\/script>/g);
  return Array.from(parts, ([, text]) => Uint8Array.from(Buffer.from(text, 'base64')));
}

export async function modelOf(...words: string[]): Promise<Model> {
  const path = join(directory, 'page.html');
  wick('view', '-o', path, '--allow-loss', '100', ...words);
  return new Model(await readPage(partsOf(readFileSync(path, 'utf8'))));
}

// The words that wick writes into pages.
export const words = (await modelOf(file('words.folded', 'a 1\n'))).profile.words;

export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

// A recording with all features: processes, threads, CPUs, two events, user and kernel, modules, lines, recursion.
// As `perf script` prints it.
export function perfText(seed: number, samples: number): string {
  const random = randomNumbers(seed);
  const functions = [
    'main',
    'loop',
    'parse',
    'lookup',
    'hash',
    'encode',
    'send',
    'fib',
    'fib',
    'std::sort<int*>',
    'operator new',
  ];
  const modules = ['/usr/bin/server', '/usr/lib/libcore.so', '/usr/lib/libc.so.6'];
  const threads = [
    ['server', 10, 10],
    ['worker-1', 10, 11],
    ['worker-2', 10, 12],
    ['client', 20, 20],
  ] as const;
  let text = '';
  let micros = 1_000_000;
  for (let i = 0; i < samples; ++i) {
    const [comm, pid, tid] = threads[random(threads.length)];
    micros += random(900) + 1;
    const time = `${Math.floor(micros / 1e6)}.${String(micros % 1e6).padStart(6, '0')}`;
    const [event, period] = random(5) === 0 ? ['page-faults', 1 + random(3)] : ['cycles', 1000 + random(5000)];
    text += `${comm} ${pid}/${tid} [${String(random(3)).padStart(3, '0')}] ${time}: ${period} ${event}:\n`;
    if (random(4) === 0) {
      text +=
        '\tffffffff81000100 copy_page+0x10 ([kernel.kallsyms])\n\tffffffff81000200 do_syscall_64+0x20 ([kernel.kallsyms])\n';
    }
    const depth = 1 + random(7);
    for (let level = 0; level < depth; ++level) {
      const which = random(functions.length);
      const module = modules[which % 4 === 3 ? random(2) : which % 3];
      if (random(12) === 0) text += `\t${(0x9000 + 16 * random(4)).toString(16)} [unknown] (${module})\n`;
      else
        text += `\t${(0x1000 * which + 16 * random(3)).toString(16)} ${functions[which]}+0x${random(3)}0 (${module})\n`;
    }
    text += '\t1000 main+0x0 (/usr/bin/server)\n\n';
  }
  return text;
}
