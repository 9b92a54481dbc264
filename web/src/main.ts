// SPDX-License-Identifier: Apache-2.0
// The start of the script. The page and its worker run the same script.
import { fakeProfile } from './model/fake.ts';
import { startEngine } from './model/client.ts';
import { serveModel } from './model/worker.ts';
import { showFailure, showWaiting, startApp } from './ui/app.ts';

declare const FAKE_PROFILE: boolean;

async function startPage(): Promise<void> {
  const root = document.getElementById('app') as HTMLElement;
  showWaiting(root);
  try {
    await startApp(await startEngine(), root);
  } catch (error) {
    showFailure(error, root);
  }
}

if (typeof document === 'undefined') {
  serveModel(FAKE_PROFILE ? fakeProfile : null);
} else {
  void startPage();
}
