// Shows who wrote each line: signs in the gutter, a text beside the first line of an owner, the prompt in a hover.
'use strict';

const path = require('node:path');
const fs = require('node:fs');
const vscode = require('vscode');
const { Client } = require('./client');
const { ShownFile } = require('./file');
const { Web } = require('./web');
const { hoverText } = require('./hover');

/** How many lines around the visible ones are drawn. */
const margin = 100;

/** @type {Map<string, Client>} by the worktree's top */
const clients = new Map();
/** @type {Map<string, Web>} by the worktree's top */
const webs = new Map();
/** @type {Map<string, ShownFile>} by the document's URI */
const files = new Map();
/** @type {Set<string>} what a person was warned of, once for a window */
const warned = new Set();
/** @type {Set<string>} the documents that a person has hidden */
const hidden = new Set();
/** @type {Record<'agent' | 'unknown' | 'text', vscode.TextEditorDecorationType>} */
let looks;

const command = () => vscode.workspace.getConfiguration('entire').get('command', 'entire');

/**
 * Returns the top of the worktree around a file; undefined outside of one.
 * @param {string} file
 */
function topOf(file) {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (fs.existsSync(path.join(folder, '.git'))) {
      return folder;
    }
    if (folder === path.dirname(folder)) {
      return undefined;
    }
  }
}

/** @param {string} top */
function clientOf(top) {
  let client = clients.get(top);
  if (!client) {
    const started = new Client(command(), top, (notice) => noticed(started, notice), (why) => {
      clients.delete(top);
      for (const [uri, file] of files) {
        if (file.client === started) {
          files.delete(uri);
        }
      }
      draw();
      if (why) {
        warnOnce(/** @type {NodeJS.ErrnoException} */ (why).code === 'ENOENT'
          ? `Entire: the program ${command()} was not found on PATH. Install it, or name it in the setting entire.command.`
          : `Entire could not be started: ${why.message}`);
      }
    });
    client = started;
    clients.set(top, client);
  }
  return client;
}

/** @param {string} text */
function warnOnce(text) {
  if (!warned.has(text)) {
    warned.add(text);
    vscode.window.showWarningMessage(text);
  }
}

/**
 * @param {Client} client
 * @param {import('./client').Notice} notice
 */
function noticed(client, notice) {
  for (const file of files.values()) {
    if (file.client === client && notice.notice === 'changed' && (!notice.path || notice.path === file.path)) {
      file.refresh().catch(() => {});
    }
  }
  if (notice.notice === 'prompts') {
    draw();
  }
}

/**
 * @param {vscode.TextDocument} document
 * @param {boolean} asked by a person
 */
async function show(document, asked) {
  const uri = document.uri.toString();
  const top = document.uri.scheme === 'file' ? topOf(document.uri.fsPath) : undefined;
  if (!top || files.has(uri) || (!asked && (hidden.has(uri) || !fs.existsSync(path.join(top, '.entire'))))) {
    return;
  }
  hidden.delete(uri);
  const client = clientOf(top);
  const name = path.relative(top, document.uri.fsPath).split(path.sep).join('/');
  const file = new ShownFile(client, name, document.getText(), draw);
  files.set(uri, file);
  try {
    await file.open();
  } catch (why) {
    if (files.get(uri) === file) {
      files.delete(uri);
    }
    if (asked && why instanceof Error) {
      vscode.window.showWarningMessage(`Entire: ${why.message}`);
    }
  }
}

/** @param {vscode.TextDocument} document */
function hide(document) {
  const uri = document.uri.toString();
  files.get(uri)?.close();
  files.delete(uri);
  draw();
}

/** Draws what is visible. */
function draw() {
  for (const editor of vscode.window.visibleTextEditors) {
    const file = files.get(editor.document.uri.toString());
    if (file && !file.settled) {
      continue; // the answers under way draw again
    }
    /** @type {Record<string, vscode.DecorationOptions[]>} */
    const found = { agent: [], unknown: [], text: [] };
    for (const visible of file ? editor.visibleRanges : []) {
      const last = Math.min(visible.end.line + margin, (file?.lines.length ?? 0) - 1);
      for (let i = Math.max(visible.start.line - margin, 0); i <= last; i++) {
        const owner = file?.owner(i + 1);
        if (!owner) {
          continue;
        }
        const range = new vscode.Range(i, 0, i, file?.lines[i].length ?? 0);
        found[owner.class]?.push({ range });
        if (file?.begins(i + 1)) {
          found.text.push({ range, renderOptions: { after: { contentText: words(owner) } } });
        }
      }
    }
    editor.setDecorations(looks.agent, found.agent);
    editor.setDecorations(looks.unknown, found.unknown);
    editor.setDecorations(looks.text, found.text);
  }
}

/** @param {import('./client').Owner} owner */
function words(owner) {
  return owner.prompt ? `${owner.who}: ${owner.prompt}` : owner.who;
}

/**
 * @param {vscode.TextDocument} document
 * @param {vscode.Position} position
 * @param {vscode.CancellationToken} token
 */
async function hover(document, position, token) {
  const file = files.get(document.uri.toString());
  if (!file || !file.settled || !file.owner(position.line + 1)) {
    return undefined;
  }
  const question = file.client.ask('why', { path: file.path, line: position.line + 1 });
  token.onCancellationRequested(() => question.cancel());
  try {
    return new vscode.Hover(hoverText(await question, vscode));
  } catch {
    return undefined;
  }
}

/**
 * Opens a page of `entire web`; without one, that of the line of the cursor.
 * @param {string} [page]
 */
async function openWeb(page) {
  const editor = vscode.window.activeTextEditor;
  const top = editor && topOf(editor.document.uri.fsPath);
  if (!editor || !top) {
    vscode.window.showWarningMessage('Entire: open a file of a repository first.');
    return;
  }
  const name = path.relative(top, editor.document.uri.fsPath).split(path.sep).join('/');
  page ??= `/why?${new URLSearchParams({ path: name, line: String(editor.selection.active.line + 1) })}`;
  let web = webs.get(top);
  if (!web) {
    web = new Web(command(), top, () => webs.delete(top));
    webs.set(top, web);
  }
  try {
    await vscode.env.openExternal(vscode.Uri.parse(await web.link(page)));
  } catch (why) {
    vscode.window.showWarningMessage(`Entire: ${why instanceof Error ? why.message : why}`);
  }
}

/** @param {vscode.ExtensionContext} context */
function activate(context) {
  const picture = (/** @type {string} */ name) => context.asAbsolutePath(path.join('media', name));
  const faint = new vscode.ThemeColor('editorCodeLens.foreground');
  looks = {
    agent: vscode.window.createTextEditorDecorationType({ gutterIconPath: picture('agent.svg'), gutterIconSize: 'contain' }),
    unknown: vscode.window.createTextEditorDecorationType({ gutterIconPath: picture('unknown.svg'), gutterIconSize: 'contain' }),
    text: vscode.window.createTextEditorDecorationType({ after: { margin: '0 0 0 3em', color: faint } }),
  };
  const atStart = () => vscode.workspace.getConfiguration('entire').get('showAtStart', true);
  const showVisible = () => {
    for (const editor of atStart() ? vscode.window.visibleTextEditors : []) {
      show(editor.document, false);
    }
    draw();
  };
  context.subscriptions.push(
    ...Object.values(looks),
    vscode.window.onDidChangeVisibleTextEditors(showVisible),
    vscode.window.onDidChangeTextEditorVisibleRanges(draw),
    vscode.workspace.onDidChangeTextDocument((event) => {
      const file = files.get(event.document.uri.toString());
      file?.edit(event.document.getText()).catch(() => {
        hide(event.document); // the program and the editor disagree: begin again
        show(event.document, true);
      });
    }),
    vscode.workspace.onDidSaveTextDocument((document) => {
      files.get(document.uri.toString())?.refresh().catch(() => {});
    }),
    vscode.workspace.onDidCloseTextDocument(hide),
    vscode.languages.registerHoverProvider({ scheme: 'file' }, { provideHover: hover }),
    vscode.commands.registerCommand('entire.openWeb', openWeb),
    vscode.commands.registerCommand('entire.toggleOwners', async () => {
      const document = vscode.window.activeTextEditor?.document;
      if (document && files.has(document.uri.toString())) {
        hidden.add(document.uri.toString());
        hide(document);
      } else if (document) {
        await show(document, true);
      }
    }),
    { dispose: deactivate },
  );
  showVisible();
}

function deactivate() {
  for (const client of clients.values()) {
    client.end();
  }
  for (const web of webs.values()) {
    web.end();
  }
}

module.exports = { activate, deactivate };
