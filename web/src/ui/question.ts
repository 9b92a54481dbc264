// SPDX-License-Identifier: Apache-2.0
// What a part of the page last asked the engine, so that it asks only when something has changed.
//
// A question without an answer is forgotten: one that failed, or whose answer came while another view was in front
// (which must not draw, nor change the state). The part then asks again when it is next told of a change.

export class Question {
  private key = '';
  private turn = 0;

  constructor(private readonly inFront: () => boolean = () => true) {}

  // True when this is not what was asked last; it is from now on.
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
