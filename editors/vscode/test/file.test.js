'use strict';

const { test } = require('node:test');
const assert = require('node:assert');
const path = require('node:path');
const { Client } = require('../src/client');
const { ShownFile, split, changed } = require('../src/file');
const { newRepo, until } = require('./lib/repo');

test('lines of a text', () => {
  assert.deepStrictEqual(split('a\r\nb\n\n'), ['a', 'b', '']);
  assert.deepStrictEqual(split(''), []);
});

test('the change between two texts, applied, gives the second', () => {
  let seed = 7;
  const random = (/** @type {number} */ n) => (seed = (seed * 48271) % 2147483647) % n;
  const text = () => Array.from({ length: random(6) }, () => 'abc'[random(3)]);
  for (let i = 0; i < 2000; i++) {
    const before = text();
    const now = text();
    const change = changed(before, now);
    const got = [...before];
    if (change) {
      got.splice(change.from - 1, change.to - change.from, ...change.lines);
    }
    assert.deepStrictEqual(got, now);
  }
});

test('owners stay right while the text is edited', async (t) => {
  const repo = newRepo(t);
  /** @type {import('../src/client').Notice[]} */
  const notices = [];
  const client = new Client('entire', repo.top, (notice) => notices.push(notice), () => {});
  t.after(() => client.end());
  assert.strictEqual(path.resolve((await client.ready).top), repo.top);
  const agent = 'the rose of the garden is red\nthe violet in the meadow is blue\n';
  const file = new ShownFile(client, 'poem.txt', 'the first line\n' + agent, () => {});
  const classes = () => file.lines.map((_, i) => `${file.owner(i + 1)?.class}/${file.owner(i + 1)?.evidence}`);
  await file.open();
  assert.deepStrictEqual(classes(), ['unknown/not-enabled', 'agent/recorded', 'agent/recorded']);
  await file.edit('typed\nthe first line\n' + agent);
  assert.deepStrictEqual(classes(), ['human/unsaved', 'unknown/not-enabled', 'agent/recorded', 'agent/recorded']);
  await Promise.all([file.edit('typed\n' + agent), file.edit('typed\n' + agent + 'more'), file.refresh()]);
  assert.deepStrictEqual(classes(), ['human/unsaved', 'agent/recorded', 'agent/recorded', 'human/unsaved']);
  await until('the prompt', () => file.owner(2)?.prompt?.startsWith('Add two'));
  repo.write('poem.txt', agent);
  await until('a notice', () => notices.some((notice) => notice.what === 'file' && notice.path === 'poem.txt'));
  repo.commit('less');
  await until('a notice', () => notices.some((notice) => notice.what === 'head' || notice.what === 'records'));
});

test('an error is an error of its request', async (t) => {
  const repo = newRepo(t);
  const client = new Client('entire', repo.top, () => {}, () => {});
  t.after(() => client.end());
  await assert.rejects(client.ask('open', { path: '../x' }), { code: 'outside' });
  await assert.rejects(client.ask('why', { path: 'poem.txt', line: 1 }), { code: 'not-open' });
  await client.ask('open', { path: 'poem.txt' });
});

test('a program that is not there is told', async (t) => {
  const repo = newRepo(t);
  const why = await new Promise((resolve) => {
    new Client(path.join(repo.top, 'no-such-program'), repo.top, () => {}, (problem) => problem && resolve(problem));
  });
  assert.match(String(why), /ENOENT/);
});
