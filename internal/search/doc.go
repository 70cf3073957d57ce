// Package search finds what was said in sessions: a query language of its own, an
// index in a file, ranked answers with snippets.
//
// The index is a cache: it may be deleted at any time, is made anew when it is torn
// or of another version, and holds nothing but what it was given ([Index.Update]),
// so what is redacted there is redacted here. Several processes may use one file;
// one of them writes, and nobody waits for it to read.
//
// Words are taken apart by this package, on both sides alike, before SQLite's FTS5
// sees them ([Words]): identifiers and paths are found whole and by their parts,
// English words in their other forms. What a person typed never reaches FTS5: it is
// parsed ([Parse]) and written anew.
//
// It knows no store, branch or terminal: whoever calls it reads those.
package search
