// SPDX-License-Identifier: Apache-2.0
// Keys that the user presses while the page loads. They are stored, and act when the page can answer them: one after
// the other, each when the page has answered the one before, so "2 / hash" does the same early and late.

const NAMED = /^(.|Enter|Escape|Backspace|Home|End|PageUp|PageDown|Arrow(Up|Down|Left|Right))$/u;

export class EarlyKeys {
  private readonly keys: KeyboardEventInit[] = [];
  private readonly listener = (event: KeyboardEvent): void => this.store(event);

  start(): void {
    document.addEventListener('keydown', this.listener, true);
  }

  stop(): void {
    document.removeEventListener('keydown', this.listener, true);
  }

  private store(event: KeyboardEvent): void {
    const { key, shiftKey, ctrlKey, metaKey, altKey, isTrusted } = event,
      isSearch = (ctrlKey || metaKey) && key === 'f';
    if (!isTrusted || altKey || !NAMED.test(key) || ((ctrlKey || metaKey) && !isSearch)) return;
    event.preventDefault();
    event.stopPropagation();
    this.keys.push({ key, shiftKey, ctrlKey, metaKey, bubbles: true, cancelable: true });
  }

  // `answered` waits until the page has answered all that it was asked. Keys that arrive in the meantime wait, too.
  async replay(answered: () => Promise<void>): Promise<void> {
    await answered();
    for (let next = this.keys.shift(); next; next = this.keys.shift()) {
      press(next);
      await answered();
    }
    this.stop();
  }
}

// Browsers do not type the text of an event that a script made.
function press(key: KeyboardEventInit): void {
  const target = document.activeElement ?? document.body;
  const handled = !target.dispatchEvent(new KeyboardEvent('keydown', key));
  if (handled || !(target instanceof HTMLInputElement)) return;
  if (key.key === 'Backspace') target.value = target.value.slice(0, -1);
  else if ([...(key.key ?? '')].length === 1) target.value += key.key;
  else return;
  target.dispatchEvent(new Event('input'));
}
