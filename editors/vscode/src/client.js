// A client of `entire blame --serve`, whose protocol docs/editors.md of Entire describes.
'use strict';

const { spawn } = require('node:child_process');

/**
 * @typedef {[number, number, number]} Run a line, how many, the number of their owner
 * @typedef {{commit: string, class: string, agent: string, session_id: string, turn: number, evidence: string,
 *   who: string, reason: string, subject?: string, prompt?: string}} Owner
 * @typedef {{path: string, lines: number, all: boolean, runs: Run[], owners?: Record<string, Owner>}} Lines
 * @typedef {{from: number, to: number, lines: string[]}} Change
 * @typedef {{path: string, line: number, owner: Owner, prompt?: string, how?: string, task?: string, said?: string,
 *   call?: string, diff?: string, page?: string, problem?: string}} Why
 * @typedef {{notice: string, path?: string, what?: string, prompts?: Record<string, string>}} Notice
 */

/** An error that the program answered. */
class Refused extends Error {
  /** @param {{code: string, message: string}} failure */
  constructor(failure) {
    super(failure.message);
    this.code = failure.code;
  }
}

class Client {
  /**
   * @param {string} command
   * @param {string} folder in the worktree
   * @param {(notice: Notice) => void} noticed
   * @param {(why?: Error) => void} ended
   */
  constructor(command, folder, noticed, ended) {
    /** @type {Map<number, {resolve: (result: any) => void, reject: (why: Error) => void}>} */
    this.waiting = new Map();
    /** @type {Record<string, Owner>} */
    this.owners = {};
    this.last = 0;
    this.rest = '';
    this.noticed = noticed;
    this.program = spawn(command, ['blame', '--serve'], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
    this.program.stdout.setEncoding('utf8');
    this.program.stdout.on('data', (text) => this.take(text));
    this.program.stdin.on('error', () => {}); // the end is told below
    /** @type {(why?: Error) => void} */
    const end = (why) => {
      for (const one of this.waiting.values()) {
        one.reject(why ?? new Error('entire has ended'));
      }
      this.waiting.clear();
      ended(why);
    };
    this.program.on('error', end);
    this.program.on('close', () => end());
    /** @type {Promise<{top: string}>} */
    this.ready = this.ask('hello', { version: 1 });
    this.ready.catch(() => {});
  }

  /**
   * Sends a request. Its promise has the method cancel.
   * @param {string} method
   * @param {object} params
   * @returns {Promise<any> & {cancel: () => void}}
   */
  ask(method, params) {
    const id = ++this.last;
    const answer = new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.program.stdin.write(JSON.stringify({ id, method, params }) + '\n');
    });
    return Object.assign(answer, {
      cancel: () => {
        if (this.waiting.has(id)) {
          this.ask('cancel', { id }).catch(() => {});
        }
      },
    });
  }

  /** @param {string} text */
  take(text) {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.notice === 'prompts') {
        for (const [number, prompt] of Object.entries(message.prompts)) {
          if (this.owners[number]) {
            this.owners[number].prompt = prompt;
          }
        }
      }
      if (message.notice) {
        this.noticed(message);
        continue;
      }
      Object.assign(this.owners, message.result?.owners);
      const one = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) {
        one?.reject(new Refused(message.error));
      } else {
        one?.resolve(message.result);
      }
    }
  }

  end() {
    this.program.stdin.end();
  }
}

module.exports = { Client, Refused };
