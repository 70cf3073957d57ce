// Stands in for the part of VS Code's API that the extension uses. The compiler checks its namespaces against
// @types/vscode; its classes have the members that the extension and the tests use.
'use strict';

const fs = require('node:fs');

/** @typedef {import('vscode').TextDocument} TextDocument */

class Position {
  /** @param {number} line @param {number} character */
  constructor(line, character) {
    this.line = line;
    this.character = character;
  }
}

class Range {
  /** @param {number} a @param {number} b @param {number} c @param {number} d */
  constructor(a, b, c, d) {
    this.start = new Position(a, b);
    this.end = new Position(c, d);
  }
}

class MarkdownString {
  constructor() {
    this.value = '';
    /** @type {import('vscode').MarkdownString['isTrusted'] | {enabledCommands: readonly string[]}} */
    this.isTrusted = undefined;
  }
  /** @param {string} text */
  appendText(text) {
    this.value += text.replace(/[\\`*_{}[\]()#+\-!~]/g, '\\$&').replace(/\n/g, '\n\n'); // as VS Code does
    return this;
  }
  /** @param {string} text */
  appendMarkdown(text) {
    this.value += text;
    return this;
  }
  /** @param {string} text @param {string} [language] */
  appendCodeblock(text, language) {
    this.value += `\n\`\`\`${language}\n${text}\n\`\`\`\n`;
    return this;
  }
}

class Hover {
  /** @param {MarkdownString} contents */
  constructor(contents) {
    this.contents = [contents];
  }
}

class ThemeColor {
  /** @param {string} id */
  constructor(id) {
    this.id = id;
  }
}

class Uri {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.scheme = text.split(':')[0];
    this.fsPath = text.replace(/^file:\/\//, '');
  }
  toString() {
    return this.text;
  }
  /** @param {string} text */
  static parse(text) {
    return new Uri(text);
  }
}

/** @template T */
class Emitter {
  constructor() {
    /** @type {((value: T) => unknown)[]} */
    this.listeners = [];
    /** @type {import('vscode').Event<T>} */
    this.event = (listener) => {
      this.listeners.push(listener);
      return { dispose: () => {} };
    };
  }
  /** @param {T} value */
  fire(value) {
    this.listeners.forEach((listener) => listener(value));
  }
}

/** A document with an editor, as a test drives it. */
class Page {
  /** @param {string} file */
  constructor(file) {
    this.text = fs.readFileSync(file, 'utf8');
    this.document = /** @type {TextDocument} */ (/** @type {unknown} */ ({ uri: new Uri(`file://${file}`), getText: () => this.text }));
    /** @type {Map<object, import('vscode').DecorationOptions[]>} */
    this.drawn = new Map();
    this.editor = /** @type {import('vscode').TextEditor} */ (/** @type {unknown} */ ({
      document: this.document,
      visibleRanges: [new Range(0, 0, 50, 0)],
      selection: { active: new Position(1, 0) },
      setDecorations: (/** @type {object} */ type, /** @type {import('vscode').DecorationOptions[]} */ list) => this.drawn.set(type, list),
    }));
  }
}

function newVSCode() {
  const changed = /** @type {Emitter<import('vscode').TextDocumentChangeEvent>} */ (new Emitter());
  const saved = /** @type {Emitter<TextDocument>} */ (new Emitter());
  const closed = /** @type {Emitter<TextDocument>} */ (new Emitter());
  const shown = /** @type {Emitter<readonly import('vscode').TextEditor[]>} */ (new Emitter());
  const scrolled = /** @type {Emitter<import('vscode').TextEditorVisibleRangesChangeEvent>} */ (new Emitter());
  const state = {
    changed, saved, closed, shown, scrolled,
    /** @type {Map<string, (...args: any[]) => any>} */
    commands: new Map(),
    /** @type {import('vscode').HoverProvider[]} */
    hovers: [],
    /** @type {{options: import('vscode').DecorationRenderOptions}[]} */
    types: [],
    /** @type {string[]} */
    opened: [],
    /** @type {string[]} */
    warnings: [],
    /** @type {Record<string, unknown>} */
    settings: {},
  };
  /** @type {Pick<typeof import('vscode').window, 'createTextEditorDecorationType' | 'onDidChangeVisibleTextEditors' | 'onDidChangeTextEditorVisibleRanges'> & {visibleTextEditors: import('vscode').TextEditor[], activeTextEditor: import('vscode').TextEditor | undefined, showWarningMessage: (text: string) => Thenable<undefined>}} */
  const window = {
    visibleTextEditors: [],
    activeTextEditor: undefined,
    createTextEditorDecorationType: (options) => {
      const type = { key: String(state.types.length), dispose: () => {}, options };
      state.types.push(type);
      return type;
    },
    onDidChangeVisibleTextEditors: shown.event,
    onDidChangeTextEditorVisibleRanges: scrolled.event,
    showWarningMessage: (text) => {
      state.warnings.push(text);
      return Promise.resolve(undefined);
    },
  };
  const settings = /** @type {import('vscode').WorkspaceConfiguration} */ (/** @type {unknown} */ ({ get: (/** @type {string} */ name, /** @type {unknown} */ otherwise) => state.settings[name] ?? otherwise }));
  /** @type {Pick<typeof import('vscode').workspace, 'getConfiguration' | 'onDidChangeTextDocument' | 'onDidSaveTextDocument' | 'onDidCloseTextDocument'>} */
  const workspace = {
    getConfiguration: () => settings,
    onDidChangeTextDocument: changed.event,
    onDidSaveTextDocument: saved.event,
    onDidCloseTextDocument: closed.event,
  };
  /** @type {Pick<typeof import('vscode').languages, 'registerHoverProvider'>} */
  const languages = {
    registerHoverProvider: (_, provider) => {
      state.hovers.push(provider);
      return { dispose: () => {} };
    },
  };
  /** @type {Pick<typeof import('vscode').commands, 'registerCommand'>} */
  const commands = {
    registerCommand: (name, run) => {
      state.commands.set(name, run);
      return { dispose: () => {} };
    },
  };
  /** @type {Pick<typeof import('vscode').env, 'openExternal'>} */
  const env = {
    openExternal: (target) => {
      state.opened.push(target.toString());
      return Promise.resolve(true);
    },
  };
  return { api: { window, workspace, languages, commands, env, Position, Range, MarkdownString, Hover, ThemeColor, Uri }, state };
}

module.exports = { newVSCode, Page, Position };
