package agent

// FileTeller is a RecordReader whose lines tell, beyond its records, what the content of files was.
type FileTeller interface {
	// FilesIn returns what the results of calls in the line tell of files.
	FilesIn(line []byte) []FileFact
}

// FileFactKind is what a FileFact says.
type FileFactKind uint8

// The kinds of facts.
const (
	FileWhole   FileFactKind = iota // the content was Text
	FileShown                       // the lines from First on were Text
	FileChanged                     // Changes changed the content
	FileGone                        // the file was removed
	FileMoved                       // the file's content, with Changes, is that of To from then on
)

// FileFact is what a transcript tells of the content of a file at one moment.
type FileFact struct {
	Kind   FileFactKind
	Path   string // as the agent named it
	CallID string // of the call whose result tells it; "" for the last result in the line
	Before bool   // it was so before the call, not after it
	Time   string // of a fact that belongs to no call, as written
	// Stored is the file below the home directory that has the content, with slashes and a `*` for the session's
	// ID; "" if Text has it.
	Stored string

	// Text is the content, or the lines. Loose says that its line ends, byte order mark and last line end may not be
	// those of the file.
	Text  string
	Loose bool
	// First is the number of the first of the lines that are shown, from 1. Total is the number of lines of the file,
	// 0 if unknown; a text with a final line end has an empty line after it.
	First, Total int

	Changes []FileChange // FileChanged, in order
	To      string       // FileMoved: the new name, as the agent wrote it
	Stay    bool         // FileMoved: the file was copied
	// Base and Result are the beginnings of git's hashes of the content before and after the Changes, of a difference
	// that was shown and not made; FromTop says that Path is relative to the top of the worktree.
	Base, Result string
	FromTop      bool
}

// FileChange is one change of a content: a text that was replaced, or the hunks of a difference, where the text
// is not told or does not fit.
type FileChange struct {
	Old, New string
	All      bool   // every occurrence was replaced
	Append   string // otherwise: this was added at the end
	// EachLine says that Old was replaced in each line that has it: once, or with All every time. Begins and Ends say that
	// it is at the line's beginning and end.
	EachLine, Begins, Ends bool
	Hunks                  []FileHunk
}

// FileHunk is a run of lines of a difference, each with its sign ' ', '-', '+' or '\' and without line end. Index
// is the number of lines before the hunk in the old content. If that is unknown, Index is -1, and the hunk stands at
// the first place that has its lines, after the line After if there is one.
type FileHunk struct {
	Index int
	After string
	Lines []string
}

// SnapshotKeeper is an agent whose program keeps the worktree in git repositories of its own.
type SnapshotKeeper interface {
	// SnapshotRepos returns patterns of the git directories that may have snapshots of the worktree at top. One
	// that a pattern with a `*` finds counts only if its configuration names the worktree.
	SnapshotRepos(home, top string) []string
}

// CopyKeeper is an agent whose program keeps copies of files under names that tell the file's path only to those who
// know it.
type CopyKeeper interface {
	// CopyFolders returns patterns of the folders that have copies.
	CopyFolders(home string) []string
	// CopyOf returns what the names of the copies of the file at path begin with.
	CopyOf(path string) string
}
