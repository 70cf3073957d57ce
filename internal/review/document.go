package review

import (
	"encoding/json"
	"strings"

	"entire/agent"
	"entire/internal/attribution"
)

// schemaName names the format of a Document. Readers refuse other schemas.
const schemaName = "entire-attribution/1"

// Classes of lines. Older lines were only moved or re-indented by the change; they count for no
// author.
const (
	Agent   = "agent"
	Human   = "human"
	Unknown = "unknown"
	Older   = "older"
	Mixed   = "mixed" // hunks and files only: lines of several classes
	None    = "none"  // files only: no line changed
)

// Document says who wrote the lines that a commit or a range of commits adds, and who removed the
// lines it removes. Its JSON form, which `entire report --json` prints, has no text of lines.
// docs/attribution.md describes it.
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
	Problems []string  `json:"problems,omitempty"` // errors while reading the repository

	Violations []Violation `json:"violations,omitempty"` // of a policy

	Order  []Item   `json:"order,omitempty"`  // what to review, the riskiest first
	Undone []Undone `json:"undone,omitempty"` // what was tried and undone

	Place Place `json:"-"`
}

// Range names the commits of the document. Base is "" for a root commit.
type Range struct {
	Name string `json:"name"` // as the user gave it
	Base string `json:"base"`
	Head string `json:"head"`
}

// ShortName returns the range's name with object IDs cut to seven digits.
func (r Range) ShortName() string {
	parts := strings.Split(r.Name, ".")
	for i, p := range parts {
		if attribution.IsObjectID(p) {
			parts[i] = p[:7]
		}
	}
	return strings.Join(parts, ".")
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
	Skipped int   `json:"skipped"` // files without attribution
	Added   Tally `json:"added"`
	Removed Tally `json:"removed"`

	// Claimed counts added lines of unknown authors whose commit says that an agent or a bot made it.
	Claimed int `json:"claimed,omitempty"`

	// AgentPercentage is the agents' share of the added lines that are not older, 0 to 100; 0 if there
	// are no such lines.
	AgentPercentage float64 `json:"agent_percentage"`

	Usage *agent.TokenUsage `json:"token_usage,omitempty"` // of the sessions
}

// Owner is the author of added or removed lines, and the evidence for it.
type Owner struct {
	Class      string `json:"class"` // agent, human, unknown or older
	Session    string `json:"session_id,omitempty"`
	Agent      string `json:"agent,omitempty"`
	Model      string `json:"model,omitempty"`
	Turn       int    `json:"turn,omitempty"`
	ToolUseID  string `json:"tool_use_id,omitempty"`
	Checkpoint string `json:"checkpoint_id,omitempty"`
	Evidence   string `json:"evidence,omitempty"`
	Prompt     int    `json:"prompt,omitempty"` // number of the prompt that led to the lines, from 1
	PromptKey  string `json:"-"`                // the key of the turn's prompt, if recorded
}

// Commit is a commit of the range, or one that added or removed some of its lines.
type Commit struct {
	ID          string   `json:"id"`
	Author      string   `json:"author"`
	Email       string   `json:"email"`
	Time        string   `json:"time"` // RFC 3339
	Subject     string   `json:"subject"`
	Checkpoints []string `json:"checkpoint_ids,omitempty"`
	Unnamed     bool     `json:"linked_without_trailer,omitempty"` // the message has no trailer for them
	Claim       *Claim   `json:"claim,omitempty"`
}

// Session is a session whose agent wrote some of the lines, or that has checkpoints named by the
// commits.
type Session struct {
	ID          string   `json:"session_id"`
	Agent       string   `json:"agent,omitempty"`
	Models      []string `json:"models,omitempty"`
	Checkpoints []string `json:"checkpoint_ids,omitempty"`
	Prompts     []string `json:"prompts,omitempty"` // from the parts of the conversation in the checkpoints
	Added       int      `json:"added"`
	Removed     int      `json:"removed"`

	Usage *agent.TokenUsage `json:"token_usage,omitempty"` // of the same parts

	// Counted sums the checkpoints that have counts of lines but no record of which lines.
	Counted *Counted `json:"counted,omitempty"`
}

// Counted is the number of lines in a checkpoint's commits that the session's agent wrote, as the
// checkpoints count them.
type Counted struct {
	AgentLines     int `json:"agent_lines"`
	TotalCommitted int `json:"total_committed"`
}

// File is one file of the change.
type File struct {
	Path     string `json:"path"`
	OldPath  string `json:"old_path,omitempty"` // the path before a rename
	Skipped  bool   `json:"skipped,omitempty"`  // binary, a submodule or too large
	Lines    int    `json:"lines"`
	OldLines int    `json:"old_lines"`
	Class    string `json:"class"` // of all lines that are not older
	Added    Tally  `json:"added"`
	Removed  Tally  `json:"removed"`
	Ranges   []Rows `json:"ranges"`         // added lines, numbered in the new file
	Gone     []Rows `json:"removed_ranges"` // removed lines, numbered in the old file
	Hunks    []Hunk `json:"hunks"`

	text    map[int]string // added lines
	gone    map[int]string
	context map[int]string // unchanged lines near hunks; set by AddContext
}

// Rows are consecutive lines with the same owner and commit.
type Rows struct {
	Start  int `json:"start"` // from 1
	Count  int `json:"count"`
	Owner  int `json:"owner"`  // in Document.Owners
	Commit int `json:"commit"` // in Document.Commits, -1 if not known
}

// Hunk is a stretch of the new file with all lines added and removed there. A hunk that only removes
// lines has Count 0 and starts at the line that follows.
type Hunk struct {
	Start    int    `json:"start"`
	Count    int    `json:"count"`
	OldStart int    `json:"old_start"` // 0 if the removed lines cannot be placed
	Removed  int    `json:"removed"`
	Class    string `json:"class"`
}

// Encode returns the document as JSON with a final newline.
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

// Written returns the number of lines that are not older.
func (t Tally) Written() int { return t.Lines - t.Older }

// Share returns n in percent of the written lines, 0 to 100.
func (t Tally) Share(n int) float64 {
	if t.Written() == 0 {
		return 0
	}
	return float64(n) * 100 / float64(t.Written())
}

// class returns the common class of all lines that are not older.
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

// addedText returns the text of an added line, or "" if the document was decoded from JSON.
func (f *File) addedText(line int) string { return f.text[line] }

// removedText returns the text of a removed line, or "" if the document was decoded from JSON.
func (f *File) removedText(line int) string { return f.gone[line] }
