// Package search finds what was said in sessions: it has a query language, an index in a file, and
// ranked answers with snippets.
//
// The index is a cache: it can be deleted at any time and is rebuilt if it is damaged or of another
// version. It contains only the text that [Index.Update] receives, so redacted text stays redacted.
// Several processes may use one file; one of them writes, and readers do not wait for it.
//
// The file is an SQLite database. It holds the texts, and in rows of bytes a text index in parts: each has,
// for every word, the documents with it, the newest first ([part]). A search goes through the newest parts
// first and stops when it has enough; how rare a word is, all parts tell together. A person's query is parsed
// ([Parse]), and texts and queries are split into words in the same way: identifiers and paths are
// found as a whole and by their parts, and English words in their other forms. Documents are ranked by bm25.
// The package knows no store, branch or terminal; its callers read those.
package search
