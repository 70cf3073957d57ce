'use strict';

const { test } = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const Module = require('node:module');
const { newRepo, until } = require('./lib/repo');
const { newVSCode, Page, Position } = require('./lib/vscode');

/** Loads the extension with a stand-in for the API. @param {object} api */
function load(api) {
  const loader = /** @type {{_load: (request: string, ...rest: unknown[]) => unknown}} */ (/** @type {unknown} */ (Module));
  delete require.cache[require.resolve('../src/extension')];
  const real = loader._load;
  loader._load = (request, ...rest) => (request === 'vscode' ? api : real(request, ...rest));
  try {
    return require('../src/extension');
  } finally {
    loader._load = real;
  }
}

test('package.json declares what the extension registers', () => {
  const manifest = JSON.parse(fs.readFileSync(path.join(__dirname, '..', 'package.json'), 'utf8'));
  const source = fs.readFileSync(path.join(__dirname, '..', 'src', 'extension.js'), 'utf8');
  const registered = [...source.matchAll(/registerCommand\('([^']+)'/g)].map((found) => found[1]).sort();
  assert.deepStrictEqual(manifest.contributes.commands.map((/** @type {{command: string}} */ c) => c.command).sort(), registered);
  assert.ok(fs.existsSync(path.join(__dirname, '..', manifest.main)));
});

test('owners, hover and web view', async (t) => {
  const repo = newRepo(t);
  const { api, state } = newVSCode();
  const page = new Page(path.join(repo.top, 'poem.txt'));
  api.window.visibleTextEditors.push(page.editor);
  api.window.activeTextEditor = page.editor;
  const extension = load(api);
  const context = /** @type {import('vscode').ExtensionContext} */ (/** @type {unknown} */ ({
    subscriptions: [], asAbsolutePath: (/** @type {string} */ name) => path.join(__dirname, '..', name),
  }));
  extension.activate(context);
  t.after(() => extension.deactivate());
  const [agent, unknown, text] = state.types;
  for (const type of [agent, unknown]) {
    assert.ok(fs.existsSync(String(type.options.gutterIconPath)), 'the picture is there');
  }
  const lines = (/** @type {object} */ type) => (page.drawn.get(type) ?? []).map((option) => option.range.start.line + 1);
  const words = () => (page.drawn.get(text) ?? []).map((option) => option.renderOptions?.after?.contentText);

  await until('owners', () => lines(agent).length === 2);
  assert.deepStrictEqual([lines(agent), lines(unknown)], [[2, 3], [1]]);
  await until('the prompt', () => words().some((one) => one?.endsWith(', turn 1: Add two [lines](command:evil) to the poem')));

  page.text = page.text.replace('the violet', 'typed by a person\nthe violet');
  state.changed.fire(/** @type {import('vscode').TextDocumentChangeEvent} */ (/** @type {unknown} */ ({ document: page.document })));
  await until('an edit', () => String(lines(agent)) === '2,4');
  assert.deepStrictEqual(words().slice(2, 3), ['a person at this editor, not saved']);

  fs.writeFileSync(path.join(repo.top, 'poem.txt'), page.text);
  state.saved.fire(page.document);
  repo.commit('by hand');
  await until('HEAD', () => words()[2] === 'a person: Tess Ter');

  const token = /** @type {import('vscode').CancellationToken} */ (/** @type {unknown} */ ({ onCancellationRequested: () => {} }));
  const hover = await state.hovers[0].provideHover(page.document, /** @type {import('vscode').Position} */ (/** @type {unknown} */ (new Position(1, 3))), token);
  const shown = /** @type {import('vscode').MarkdownString} */ (hover?.contents[0]);
  assert.match(shown.value, /\n```text\nAdd two \[lines\]\(command:evil\) to the poem\n```/);
  assert.match(shown.value, /\]\(command:entire\.openWeb\?[^)\s]+\)$/);
  assert.deepStrictEqual(shown.isTrusted, { enabledCommands: ['entire.openWeb'] });
  const target = /openWeb\?([^)]+)\)$/.exec(shown.value)?.[1] ?? '';

  await state.commands.get('entire.openWeb')?.(...JSON.parse(decodeURIComponent(target)));
  assert.match(state.opened[0] ?? state.warnings.join(), /^http:\/\/127\.0\.0\.1:\d+\/.*why\?line=2&path=poem\.txt#\S+$/);
  const answer = await fetch(state.opened[0]);
  assert.ok(answer.status < 500, `the page answers ${answer.status}`);

  await state.commands.get('entire.toggleOwners')?.();
  assert.deepStrictEqual([lines(agent), lines(unknown), words()], [[], [], []]);
  await state.commands.get('entire.toggleOwners')?.();
  await until('owners again', () => lines(agent).length === 2);
  state.closed.fire(page.document);
  assert.deepStrictEqual(lines(agent), []);
  assert.deepStrictEqual(state.warnings, []);
});

test('a program that is not there is said once', async (t) => {
  const repo = newRepo(t);
  const { api, state } = newVSCode();
  state.settings.command = path.join(repo.top, 'no-such-entire');
  const page = new Page(path.join(repo.top, 'poem.txt'));
  api.window.visibleTextEditors.push(page.editor);
  const extension = load(api);
  extension.activate(/** @type {import('vscode').ExtensionContext} */ (/** @type {unknown} */ ({
    subscriptions: [], asAbsolutePath: (/** @type {string} */ name) => path.join(__dirname, '..', name),
  })));
  t.after(() => extension.deactivate());
  await until('a warning', () => state.warnings.length > 0);
  assert.match(state.warnings[0], /no-such-entire was not found on PATH.*entire\.command/);
  state.shown.fire(api.window.visibleTextEditors);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.strictEqual(state.warnings.length, 1);
});
