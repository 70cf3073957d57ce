package search

// version is the version of the schema and of the splitting into words. An index of another version is
// rebuilt.
const version = 4

// The columns of the text index. A message's role decides its column, so that filtering by role is
// cheap and each role has its own weight.
const (
	colTitle = iota // session: title and tags; checkpoint: the commit's subject
	colAsked        // text of a person
	colSaid         // text of the agent; checkpoint: the summary
	colDid          // the agent's tool calls
	colGot          // the tools' answers
	colNoted        // text of programs
	colFiles        // file names
	columns
)

// schema creates the file's tables. Tables said and words share rowids: the number of a session, then
// that of a message, so that a session's rows are contiguous. The first three letters of each word are indexed, too: they
// are what a search begins with while somebody types, and the words that begin so are many.
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
	content='', contentless_delete=1, tokenize='ascii', detail=full, prefix='3');
INSERT INTO words(words, rank) VALUES('hashsize', 67108864);
INSERT INTO words(words, rank) VALUES('automerge', 8);
`

// numberBits of a rowid are the message's number; 0 is the session's own row.
const numberBits = 24
