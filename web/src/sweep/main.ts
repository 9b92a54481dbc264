// The page of a sweep begins here: its data stand in the page as JSON.
import { showProblem } from '../ui/problem.ts';
import { startSweep } from './app.ts';
import { readSweep } from './data.ts';

const root = document.getElementById('app')!;
try {
  startSweep(readSweep(document.getElementById('sweep')?.textContent ?? null), root);
} catch (error) {
  showProblem(error instanceof Error ? error.message : String(error), root);
  document.documentElement.dataset['busy'] = 'false';
}
