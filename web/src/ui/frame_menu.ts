// SPDX-License-Identifier: Apache-2.0
// The menu of the selected frame: the items of its view, then the commands that apply to it (commands.ts).

import type { AppCore } from './app_core.ts';
import { COMMANDS } from './commands.ts';
import { openMenu, type MenuItem } from './menu.ts';
import { tooltip } from './frame_text.ts';

export function openFrameMenu(app: AppCore, x: number, y: number, own: MenuItem[] = []): void {
  const { selection } = app;
  if (!selection) return;
  tooltip.show(null, 0, 0);
  const items = (group: string): MenuItem[] =>
    COMMANDS.filter((command) => command.group === group && (command.usable?.(app, selection) ?? true)).map(
      (command) => ({ label: command.label, key: command.key, run: () => command.run(app, selection) }),
    );
  const save = app.savePicture ? [{ label: 'Save the picture as SVG', key: 'P', run: app.savePicture }] : [];
  openMenu(
    app.shortName(selection.func, 60),
    [[...own, ...items('look')], items('transform'), items('filter'), [...items('copy'), ...save]],
    x,
    y,
  );
}
