package rows

// A Checkpoint is one checkpoint of a repository.
type Checkpoint struct {
	Repo     int64
	ID       string
	Tree     string // its content: what has the same tree has the same rows
	At       int64  // in milliseconds since 1970
	Month    string
	Branch   string
	Author   string
	Email    string
	AuthorAt int64 // of the commit that named it first, in seconds since 1970
	Team     string
	Agent    string // of the latest session
	Sessions int64
	Files    int64
	Recorded bool // its lines have owners
	Lines
	Stated bool
	Signed bool
	Commit string
	Title  string // the last prompt, in one line
	Prompt string // the end of the prompts
}

// Lines are the lines that a commit added, by whom.
type Lines struct {
	AgentLines   int64
	PersonLines  int64
	UnknownLines int64
}

// A Session is the part of a checkpoint that one session made.
type Session struct {
	Repo       int64
	Checkpoint string
	Position   int64
	SessionID  string
	At         int64
	Day        string
	Email      string
	Team       string
	Agent      string
	Model      string
	Title      string
	Turns      int64
	Messages   int64
	Tokens
}

// Tokens are those of the checkpoint's part of a session, with its subagents.
type Tokens struct {
	Input      int64
	CacheRead  int64
	CacheWrite int64
	Output     int64
	Answers    int64
}

// A File is a file that a checkpoint's commit changed, with the lines that it added there.
type File struct {
	Repo       int64
	Checkpoint string
	Path       string
	At         int64 // of the checkpoint
	Month      string
	Folder     string // at most folderDepth folders deep
	Team       string
	Lines
	Removed int64
}

// A Statement is what a clone states about a checkpoint.
type Statement struct {
	Repo       int64
	Checkpoint string
	Clone      string
	Number     int64
	At         int64
	Person     string
	Email      string
	Commit     string
	Signed     bool
	Digest     string
	Previous   string
	Replaces   int64 // earlier statements of the clone about the checkpoint
}

// A Forgotten is a checkpoint that was removed on purpose.
type Forgotten struct {
	Repo       int64
	Checkpoint string
	At         int64
	Reason     string
}

// A Batch is the rows of some checkpoints.
type Batch struct {
	Checkpoints []Checkpoint
	Sessions    []Session
	Files       []File
	Statements  []Statement
}

// Add adds the rows of another batch.
func (b *Batch) Add(o Batch) {
	b.Checkpoints = append(b.Checkpoints, o.Checkpoints...)
	b.Sessions = append(b.Sessions, o.Sessions...)
	b.Files = append(b.Files, o.Files...)
	b.Statements = append(b.Statements, o.Statements...)
}
