package search

// version is the version of the schema and of the splitting into words. An index of another version is
// rebuilt.
const version = 6

// schema creates the file's tables. Rowids of said are the number of a session, then that of a message, so that
// a session's rows are contiguous. The other tables from total on are the text index: see [part].
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
	size INTEGER NOT NULL,
	uuid TEXT NOT NULL,
	text BLOB NOT NULL);
CREATE INDEX latest ON said(at) WHERE (id & 16777215) = 0;
CREATE TABLE total(docs INTEGER NOT NULL, words INTEGER NOT NULL);
INSERT INTO total VALUES(0, 0);
CREATE TABLE part(number INTEGER PRIMARY KEY, docs INTEGER NOT NULL, words INTEGER NOT NULL);
CREATE TABLE block(id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE dict(part INTEGER NOT NULL, first TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY(part, first)) WITHOUT ROWID;
CREATE TABLE dead(number INTEGER PRIMARY KEY, whole INTEGER NOT NULL, entry INTEGER NOT NULL);
`
