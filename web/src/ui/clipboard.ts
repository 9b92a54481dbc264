// SPDX-License-Identifier: Apache-2.0
// Copies text to the clipboard; false if the browser does not allow it.

export async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByCommand(text);
  }
}

// Pages opened from disk may lack the clipboard interface.
function copyByCommand(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}
