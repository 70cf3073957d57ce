package review

import (
	"encoding/json"

	"entire/agent"
)

// Schema names the form of a Document. Readers refuse what they do not know.
const Schema = "entire-attribution/1"

// Classes of lines. Older are those that a change only moved or re-indented; they
// are nobody's part of it.
const (
	Agent   = "agent"
	Human   = "human"
	Unknown = "unknown"
	Older   = "older"
	Mixed   = "mixed" // of hunks and files: lines of several classes
	None    = "none"  // of files: no line changed
)

// Document says who wrote the lines that a commit, or a range of commits, adds and
// who removed those it removes. It has no text of any line. docs/attribution.md
// describes it; its JSON form is what `entire attribution --json` prints.
type Document struct {
	Schema   string    `json:"schema"`
	Range    Range     `json:"range"`
	Totals   Totals    `json:"totals"`
	Owners   []Owner   `json:"owners"`
	Commits  []Commit  `json:"commits"`
	Sessions []Session `json:"sessions"`
	Files    []File    `json:"files"` // in the order of their paths
	Groups   *Groups   `json:"groups,omitempty"`
	Checks   []Check   `json:"checks,omitempty"`
	Problems []string  `json:"problems,omitempty"` // what could not be read

	Place Place `json:"-"`
}

// Range is what the document is of. Base is "" for a root commit.
type Range struct {
	Name string `json:"name"` // as it was asked for
	Base string `json:"base"`
	Head string `json:"head"`
}

// Tally counts lines by class: Lines is the sum of the others.
type Tally struct {
	Lines   int `json:"lines"`
	Agent   int `json:"agent"`
	Human   int `json:"human"`
	Unknown int `json:"unknown"`
	Older   int `json:"older"`
}

// Totals are the sums of all files.
type Totals struct {
	Files   int   `json:"files"`
	Skipped int   `json:"skipped"` // files of which nothing is said
	Added   Tally `json:"added"`
	Removed Tally `json:"removed"`

	// Of the added lines that are not older, 0 to 100; 0 where there are none.
	AgentPercentage float64 `json:"agent_percentage"`

	Usage *agent.TokenUsage `json:"token_usage,omitempty"` // of the sessions
}

// Owner is who wrote or removed lines, and how that is known.
type Owner struct {
	Class      string `json:"class"` // agent, human, unknown or older
	Session    string `json:"session_id,omitempty"`
	Agent      string `json:"agent,omitempty"`
	Model      string `json:"model,omitempty"`
	Turn       int    `json:"turn,omitempty"`
	ToolUseID  string `json:"tool_use_id,omitempty"`
	Checkpoint string `json:"checkpoint_id,omitempty"`
	Evidence   string `json:"evidence,omitempty"`
	Prompt     int    `json:"prompt,omitempty"` // which of the session's prompts was behind it, from 1
	Asked      string `json:"-"`                // the key of the turn's prompt, where it was recorded
}

// Commit is one that brought or removed some of the lines, or belongs to the range.
type Commit struct {
	ID          string   `json:"id"`
	Author      string   `json:"author"`
	Email       string   `json:"email"`
	Time        string   `json:"time"` // RFC 3339
	Subject     string   `json:"subject"`
	Checkpoints []string `json:"checkpoint_ids,omitempty"`
	Unnamed     bool     `json:"linked_without_trailer,omitempty"` // its message does not name them
}

// Session is one whose agent wrote some of the lines, or whose checkpoints the
// commits name.
type Session struct {
	ID          string   `json:"session_id"`
	Agent       string   `json:"agent,omitempty"`
	Models      []string `json:"models,omitempty"`
	Checkpoints []string `json:"checkpoint_ids,omitempty"`
	Prompts     []string `json:"prompts,omitempty"` // of the checkpoints' parts of the conversation
	Added       int      `json:"added"`
	Removed     int      `json:"removed"`

	Usage *agent.TokenUsage `json:"token_usage,omitempty"` // of those parts

	// Counted is what those checkpoints say themselves that have no record of
	// lines: it does not tell which lines are meant.
	Counted *Counted `json:"counted,omitempty"`
}

// Counted is how many lines of a checkpoint's commit its session's agent wrote, by
// the checkpoint's own account.
type Counted struct {
	AgentLines     int `json:"agent_lines"`
	TotalCommitted int `json:"total_committed"`
}

// File is one file of the change.
type File struct {
	Path     string `json:"path"`
	OldPath  string `json:"old_path,omitempty"` // where it was before, if it was renamed
	Skipped  bool   `json:"skipped,omitempty"`  // binary, a submodule or too large
	Lines    int    `json:"lines"`
	OldLines int    `json:"old_lines"`
	Class    string `json:"class"` // of all its lines that are not older
	Added    Tally  `json:"added"`
	Removed  Tally  `json:"removed"`
	Ranges   []Rows `json:"ranges"`         // lines added, by their numbers in the new file
	Gone     []Rows `json:"removed_ranges"` // lines removed, by their numbers in the old one
	Hunks    []Hunk `json:"hunks"`

	text   map[int]string // of added lines
	gone   map[int]string
	around map[int]string // of unchanged lines near hunks, where Surround was called
}

// Rows are lines in a row of one owner and commit.
type Rows struct {
	Start  int `json:"start"` // from 1
	Count  int `json:"count"`
	Owner  int `json:"owner"`  // in Document.Owners
	Commit int `json:"commit"` // in Document.Commits, -1 where it is not known
}

// Hunk is a stretch of the new file with everything added and removed there. One
// that only removes has a Count of 0 and begins at the line that follows.
type Hunk struct {
	Start    int    `json:"start"`
	Count    int    `json:"count"`
	OldStart int    `json:"old_start"` // 0 where what was removed is not known to belong here
	Removed  int    `json:"removed"`
	Class    string `json:"class"`
}

// Encode is the document as it is printed. It ends with a newline.
func (d *Document) Encode() ([]byte, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(d, "", " ")
	return append(data, '\n'), err
}

func (t *Tally) add(class string, n int) {
	t.Lines += n
	switch class {
	case Agent:
		t.Agent += n
	case Human:
		t.Human += n
	case Older:
		t.Older += n
	default:
		t.Unknown += n
	}
}

func (t *Tally) sum(o Tally) {
	t.Lines, t.Agent, t.Human, t.Unknown, t.Older = t.Lines+o.Lines, t.Agent+o.Agent, t.Human+o.Human, t.Unknown+o.Unknown, t.Older+o.Older
}

// Written is how many lines count as somebody's or nobody's part: all but the
// older.
func (t Tally) Written() int { return t.Lines - t.Older }

// Share is n of the written lines, 0 to 100.
func (t Tally) Share(n int) float64 {
	if t.Written() == 0 {
		return 0
	}
	return float64(n) * 100 / float64(t.Written())
}

// class is the one class that all lines have, older ones aside.
func class(tallies ...Tally) string {
	var t Tally
	for _, one := range tallies {
		t.sum(one)
	}
	switch t.Written() {
	case 0:
		if t.Lines > 0 {
			return Older
		}
		return None
	case t.Agent:
		return Agent
	case t.Human:
		return Human
	case t.Unknown:
		return Unknown
	}
	return Mixed
}

// AddedText is what an added line of the file says, RemovedText a removed one; ""
// in a document that was read.
func (f *File) AddedText(line int) string { return f.text[line] }

// RemovedText is what a removed line says.
func (f *File) RemovedText(line int) string { return f.gone[line] }
