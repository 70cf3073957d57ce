// Package search finds what was said in sessions: it has a query language, an index in a file, and
// ranked answers with snippets.
// The index is a cache: it can be deleted at any time and is rebuilt if it is damaged or of another
// version. It contains only the text that [Index.Update] receives, so redacted text stays redacted.
// Several processes may use one file; one of them writes, and readers do not wait for it.
// This package splits texts and queries into words in the same way before SQLite's FTS5 sees them
// ([Words]). It finds identifiers and paths as a whole and by their parts, and English words in their
// other forms. A person's query is parsed ([Parse]) and never passed to FTS5 as typed.
// The package knows no store, branch or terminal; its callers read those.
package search
