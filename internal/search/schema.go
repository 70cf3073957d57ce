package search

// version is that of the schema and of how words are taken apart: an index of
// another one is made anew.
const version = 2

// The columns of the text index, in order: who says something is told by the column
// it is in, so that a role costs nothing to filter by and has a weight of its own.
const (
	colTitle = iota // of a session: title, tags; of a checkpoint: the commit's subject
	colAsked        // what a person said
	colSaid         // what the agent said; of a checkpoint its summary
	colDid          // what the agent called tools with
	colGot          // what tools answered
	colNoted        // what programs said in between
	colFiles        // names of files
	columns
)

// columnNames are the columns in FTS5's own syntax.
var columnNames = [columns]string{"title", "asked", "said", "did", "got", "noted", "files"}

// schema is everything in the file. Rowids of said and words are alike: the number
// of a session, and below it that of a message, so that what is of one session is
// in one stretch.
const schema = `
CREATE TABLE fact(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE session(
	number INTEGER PRIMARY KEY,
	kind INTEGER NOT NULL,
	name TEXT NOT NULL,
	mark TEXT NOT NULL,
	ends INTEGER NOT NULL,
	count INTEGER NOT NULL,
	card TEXT NOT NULL,
	UNIQUE(kind, name));
CREATE TABLE said(
	id INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	flags INTEGER NOT NULL,
	same INTEGER NOT NULL,
	uuid TEXT NOT NULL,
	text BLOB NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(
	title, asked, said, did, got, noted, files,
	content='', contentless_delete=1, tokenize='ascii', detail=full);
INSERT INTO words(words, rank) VALUES('hashsize', 67108864);
INSERT INTO words(words, rank) VALUES('automerge', 8);
`

// numberBits of a rowid are the message's number; 0 is the session's own row.
const numberBits = 24
