// A file that is shown: the lines that the program knows, and their owners as it told them.
'use strict';

/** @typedef {import('./client').Change} Change */

/**
 * Returns the lines of a text. A line end at its end ends the last line and begins no other.
 * @param {string} text
 */
function split(text) {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines[lines.length - 1] === '') {
    lines.pop();
  }
  return lines;
}

/**
 * Returns what changed from one list of lines to another; undefined for nothing.
 * @param {string[]} before
 * @param {string[]} now
 * @returns {Change | undefined}
 */
function changed(before, now) {
  let head = 0;
  while (head < before.length && head < now.length && before[head] === now[head]) {
    head++;
  }
  let tail = 0;
  while (tail < before.length - head && tail < now.length - head && before[before.length - 1 - tail] === now[now.length - 1 - tail]) {
    tail++;
  }
  if (head + tail === before.length && head + tail === now.length) {
    return undefined;
  }
  return { from: head + 1, to: before.length - tail + 1, lines: now.slice(head, now.length - tail) };
}

class ShownFile {
  /**
   * @param {import('./client').Client} client
   * @param {string} path
   * @param {string} text
   * @param {() => void} drawn is called when owners have changed
   */
  constructor(client, path, text, drawn) {
    this.client = client;
    this.path = path;
    this.lines = split(text);
    /** @type {(string | undefined)[]} the number of the owner of each line */
    this.told = [];
    this.waiting = 0;
    this.drawn = drawn;
  }

  /** Whether the owners are those of the text. */
  get settled() {
    return this.waiting === 0 && this.told.length === this.lines.length;
  }

  open() {
    return this.ask('open', { text: this.lines.map((line) => line + '\n').join('') });
  }

  refresh() {
    return this.ask('refresh', {});
  }

  /** @param {string} text */
  edit(text) {
    const now = split(text);
    const change = changed(this.lines, now);
    this.lines = now;
    return change ? this.ask('edit', { changes: [change] }, change) : Promise.resolve();
  }

  close() {
    this.client.ask('close', { path: this.path }).catch(() => {});
  }

  /**
   * The owner of a line, from 1.
   * @param {number} line
   */
  owner(line) {
    const number = this.told[line - 1];
    return number === undefined ? undefined : this.client.owners[number];
  }

  /**
   * Whether a line is the first one of its owner's.
   * @param {number} line
   */
  begins(line) {
    return this.told[line - 1] !== this.told[line - 2];
  }

  /**
   * @param {string} method
   * @param {object} params
   * @param {Change} [change]
   */
  async ask(method, params, change) {
    this.waiting++;
    try {
      this.learn(await this.client.ask(method, { path: this.path, ...params }), change);
    } catch (why) {
      const code = why instanceof Error && 'code' in why ? why.code : '';
      if (code !== 'outdated' && code !== 'cancelled') {
        throw why;
      }
    } finally {
      this.waiting--;
    }
    if (this.settled) {
      this.drawn();
    }
  }

  /**
   * @param {import('./client').Lines} result
   * @param {Change} [change]
   */
  learn(result, change) {
    if (result.all) {
      this.told = new Array(result.lines).fill(undefined);
    } else if (change) {
      this.told.splice(change.from - 1, change.to - change.from, ...new Array(change.lines.length).fill(undefined));
    }
    for (const [first, count, owner] of result.runs) {
      this.told.fill(String(owner), first - 1, first - 1 + count);
    }
  }
}

module.exports = { ShownFile, split, changed };
