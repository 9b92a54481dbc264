// SPDX-License-Identifier: Apache-2.0
// The start of a sweep's page, which has its data as JSON.
import { showProblem } from '../ui/problem.ts';
import { startSweep } from './app.ts';
import { readSweep, readWords } from './data.ts';

const root = document.getElementById('app')!;
try {
  const text = (id: string): string | null => document.getElementById(id)?.textContent ?? null;
  startSweep(readSweep(text('sweep')), readWords(text('words')), root);
} catch (error) {
  showProblem(error instanceof Error ? error.message : String(error), root);
  document.documentElement.dataset['busy'] = 'false';
}
