// The web view: `entire web` of a worktree, started when it is wanted.
'use strict';

const { spawn } = require('node:child_process');

class Web {
  /**
   * @param {string} command
   * @param {string} folder
   * @param {() => void} ended
   */
  constructor(command, folder, ended) {
    this.rest = '';
    this.latest = ''; // a link works once; after it was used, the program prints another one
    /** @type {((link: string) => void)[]} */
    this.wanted = [];
    this.program = spawn(command, ['web', '--no-open'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.program.stdout, this.program.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text) => this.take(text));
    }
    this.failed = new Promise((_, reject) => {
      this.program.on('error', reject);
      this.program.on('close', () => reject(new Error('entire web has ended')));
    });
    this.failed.catch(() => ended());
  }

  /** @param {string} text */
  take(text) {
    this.rest = (this.rest + text).slice(-4096);
    for (let found; (found = /(https?:\/\/\S+#\S+)\s/.exec(this.rest)); ) {
      this.rest = this.rest.slice(found.index + found[0].length);
      this.latest = found[1];
      this.wanted.splice(0).forEach((asked) => asked(this.latest));
    }
  }

  /**
   * Returns a link to a page, such as /why?path=a&line=1.
   * @param {string} page
   * @returns {Promise<string>}
   */
  async link(page) {
    const link = this.latest || (await Promise.race([this.failed, new Promise((resolve) => this.wanted.push(resolve))]));
    const [start, secret] = String(link).split('#');
    return start.replace(/\/$/, '') + page + '#' + secret;
  }

  end() {
    this.program.kill();
  }
}

module.exports = { Web };
