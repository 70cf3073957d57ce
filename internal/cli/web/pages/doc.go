// Package pages answers requests for the pages of one worktree: it gathers the values of a page and
// gives them to package view, or prints them as JSON.
//
// Its nouns: [Pages] is the handler of all pages. An answer is what one page shows: a template with its
// values, which are also the page's JSON. A past is the timeline of the worktree, opened for reading
// only; the pages of actions open the worktree for themselves.
//
// Every page is a URL, and the same URL with .json after its path has the values. What a page shows comes
// from the packages that commands use, so that both say the same.
//
// It guarantees that a GET changes nothing but what every command finishes after a crash, and that reading ends
// when the browser that asked has gone. An action, once it has begun, is carried out.
package pages
