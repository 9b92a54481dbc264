// SPDX-License-Identifier: Apache-2.0
// The last question of a part of the page, so that it asks the engine only after a change.
//
// A question that failed is forgotten, and so is one whose answer arrived while another view was shown (the hidden view
// must not draw or change the state). The part then asks again at the next update.

export class Question {
  private key = '';
  private turn = 0;

  constructor(private readonly inFront: () => boolean = () => true) {}

  // True if this differs from the last question, which it then replaces.
  isNew(...key: unknown[]): boolean {
    const written = JSON.stringify(key);
    if (written === this.key) return false;
    this.key = written;
    this.turn++;
    return true;
  }

  async answer<T>(pending: Promise<T | null>): Promise<T | null> {
    const { turn } = this;
    const answer = await pending;
    if (answer !== null && this.inFront()) return answer;
    if (this.turn === turn) this.key = '';
    return null;
  }
}
