// A worktree with a poem of three lines, the last two an agent's; git and entire are the real ones.
'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const session = '5e55104f-0000-4000-8000-000000000001';

/** @param {import('node:test').TestContext} t */
function newRepo(t) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'entire-editor-')));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  const home = path.join(folder, 'home');
  const top = path.join(folder, 'repo');
  fs.mkdirSync(home);
  fs.mkdirSync(top);
  process.env.HOME = home;
  process.env.USERPROFILE = home;
  process.env.GIT_CONFIG_GLOBAL = path.join(home, '.gitconfig');
  process.env.GIT_CONFIG_NOSYSTEM = '1';
  fs.writeFileSync(path.join(home, '.gitconfig'), '[user]\n\tname = Tess Ter\n\temail = tess@example.com\n[init]\n\tdefaultBranch = main\n');
  /** @type {(stdin: string, name: string, ...args: string[]) => string} */
  const run = (stdin, name, ...args) => execFileSync(name, args, { cwd: top, input: stdin, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
  /** @type {(name: string, text: string) => void} */
  const write = (name, text) => fs.writeFileSync(path.join(top, name), text);
  /** @type {(message: string) => void} */
  const commit = (message) => {
    run('', 'git', 'add', '-A');
    run('', 'git', 'commit', '-q', '-m', message);
  };
  /** @type {(prompt: string, name: string, text: string) => void} */
  const turn = (prompt, name, text) => {
    const payload = { session_id: session, cwd: top, agent: 'My Agent' };
    run(JSON.stringify({ ...payload, prompt }), 'entire', 'hooks', 'generic', 'turn-start');
    write(name, text);
    run(JSON.stringify({ ...payload, response: 'Done.', files: [name] }), 'entire', 'hooks', 'generic', 'turn-end');
  };
  write('poem.txt', 'the first line\n');
  run('', 'git', 'init', '-q');
  commit('first');
  run('', 'entire', 'enable', '--agent', 'generic');
  commit('use entire');
  turn('Add two [lines](command:evil) to the poem', 'poem.txt', 'the first line\nthe rose of the garden is red\nthe violet in the meadow is blue\n');
  commit('Write a poem');
  return { top, run, write, commit, turn };
}

/**
 * Waits until a condition holds.
 * @param {string} what
 * @param {() => unknown} condition
 */
async function until(what, condition) {
  for (let i = 0; i < 1000; i++) {
    if (condition()) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`waited for ${what}`);
}

module.exports = { newRepo, until };
