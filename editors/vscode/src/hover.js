// What a hover says of a line. Everything that others wrote goes in as text or as code, never as Markdown.
'use strict';

/**
 * @param {import('./client').Why} why
 * @param {typeof import('vscode')} vscode
 */
function hoverText(why, vscode) {
  const out = new vscode.MarkdownString();
  out.isTrusted = { enabledCommands: ['entire.openWeb'] };
  out.appendText(why.owner.who).appendText('\n').appendText(why.owner.reason);
  if (why.owner.commit) {
    out.appendText('\n').appendText(`${why.owner.commit.slice(0, 7)} ${why.owner.subject ?? ''}`);
  }
  /** @type {(title: string, text: string | undefined, language: string) => void} */
  const block = (title, text, language) => {
    if (text) {
      out.appendMarkdown('\n\n').appendText(title);
      out.appendCodeblock(text, language);
    }
  };
  block('Prompt', why.prompt, 'text');
  block('Task', why.task, 'text');
  block('It said', why.said, 'text');
  block(why.call ? `Call: ${why.call}` : 'Call', why.diff, 'diff');
  if (why.problem) {
    out.appendMarkdown('\n\n').appendText(why.problem);
  }
  if (why.page) {
    const target = encodeURIComponent(JSON.stringify([why.page])).replace(/[()']/g, (c) => '%' + c.charCodeAt(0).toString(16));
    out.appendMarkdown(`\n\n[Open in the web view](command:entire.openWeb?${target})`);
  }
  return out;
}

module.exports = { hoverText };
