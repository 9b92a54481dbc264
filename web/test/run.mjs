// SPDX-License-Identifier: Apache-2.0
// Bundles the tests with esbuild (Node 20 does not read TypeScript) and runs them with node:test.
//
//     node test/run.mjs WICK     WICK is the program whose answers the model must match
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const wick = process.argv[2];
if (wick === undefined) {
  console.error('Usage: node test/run.mjs WICK');
  process.exit(2);
}
const out = mkdtempSync(join(tmpdir(), 'wick-web-test-'));
try {
  const tests = readdirSync(here).filter((name) => name.endsWith('.test.ts'));
  await build({
    entryPoints: tests.map((name) => join(here, name)),
    outdir: out,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node18',
    outExtension: { '.js': '.mjs' },
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  const files = tests.map((name) => join(out, name.replace(/\.ts$/, '.mjs')));
  const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...files], {
    stdio: 'inherit',
    env: { ...process.env, WICK: resolve(wick), WICK_SOURCE: resolve(here, '../..') },
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(out, { recursive: true });
}
