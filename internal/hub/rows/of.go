package rows

import (
	"strings"
	"time"
	"unicode/utf8"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/checkpoint/statement"
	"entire/internal/attribution"
)

// A Stored is what a checkpoint's files say.
type Stored struct {
	Folder      *metadata.Folder
	Prompts     [][]string          // of each slot
	Record      *attribution.Record // nil without one
	Statements  []*statement.Statement
	Digests     []string        // of the statements
	SignedBy    map[string]bool // the clones whose statements have a signature
	AuthorName  string
	AuthorEmail string
	AuthorAt    int64
}

// Of returns the rows of one checkpoint.
func Of(repo int64, s Stored, teams Teams) Batch {
	c := Checkpoint{Repo: repo, ID: s.Folder.ID.String(), Tree: s.Folder.Tree.String(), Author: text(s.AuthorName, 200), Email: text(s.AuthorEmail, 200), AuthorAt: s.AuthorAt}
	summary := s.Folder.FullSummary()
	c.Branch, c.Team = text(summary.Branch, 200), teams.ofPerson(c.Email)
	var b Batch
	b.Sessions = sessionsOf(&c, s)
	b.Files = filesOf(&c, s.Record, summary.FilesTouched, teams)
	b.Statements = statementsOf(&c, s)
	c.Sessions, c.Files = int64(len(b.Sessions)), int64(len(b.Files))
	if c.Team == "" {
		c.Team = mostOf(b.Files)
	}
	for i := range b.Sessions {
		b.Sessions[i].Team = c.Team
	}
	if s.Record == nil {
		c.Lines = linesOfSessions(s.Folder)
	}
	b.Checkpoints = []Checkpoint{c}
	return b
}

// sessionsOf returns the rows of the sessions, and notes in c when it was made and what was asked.
func sessionsOf(c *Checkpoint, s Stored) []Session {
	var out []Session
	var prompts []string
	for i := range s.Folder.Slots {
		slot := &s.Folder.Slots[i]
		if slot.Err != nil || slot.Meta.SessionID == "" {
			continue
		}
		m := slot.Meta
		row := Session{Repo: c.Repo, Checkpoint: c.ID, Position: int64(i), SessionID: text(m.SessionID, 255), At: m.CreatedAt.UnixMilli(), Email: c.Email, Agent: text(string(m.Agent), 100)}
		row.Day = m.CreatedAt.UTC().Format(time.DateOnly)
		if m.TokenUsage != nil {
			row.Tokens = tokensOf(*m.TokenUsage)
		}
		if set := s.Folder.Messages(m.SessionID); set != nil {
			row.Model, row.Title = text(set.Info.Model, 100), oneLine(set.Info.Title)
			row.Turns, row.Messages = int64(set.Info.TurnCount), int64(set.Info.MessageCount)
		}
		if i < len(s.Prompts) {
			prompts = append(prompts, s.Prompts[i]...)
		}
		if row.At >= c.At {
			c.At, c.Agent = row.At, row.Agent
		}
		out = append(out, row)
	}
	c.Month = time.UnixMilli(c.At).UTC().Format("2006-01")
	if len(prompts) > 0 {
		c.Title, c.Prompt = oneLine(prompts[len(prompts)-1]), ending(strings.Join(prompts, "\n\n"), promptMax)
	}
	return out
}

func tokensOf(u agent.TokenUsage) Tokens {
	t := Tokens{int64(u.InputTokens), int64(u.CacheReadTokens), int64(u.CacheCreationTokens), int64(u.OutputTokens), int64(u.APICallCount)}
	if u.SubagentTokens != nil {
		s := tokensOf(*u.SubagentTokens)
		t = Tokens{t.Input + s.Input, t.CacheRead + s.CacheRead, t.CacheWrite + s.CacheWrite, t.Output + s.Output, t.Answers + s.Answers}
	}
	return t
}

// filesOf returns the rows of the files: those of the record, or else those that were touched.
func filesOf(c *Checkpoint, rec *attribution.Record, touched []string, teams Teams) []File {
	row := func(path string) File {
		path = text(path, 1000)
		return File{Repo: c.Repo, Checkpoint: c.ID, Path: path, At: c.At, Month: c.Month, Folder: folderOf(path), Team: teams.ofFile(path, c.Email)}
	}
	seen := map[string]bool{}
	var out []File
	if rec != nil {
		c.Recorded = true
		for i := range rec.Files {
			f := row(rec.Files[i].Path)
			if seen[f.Path] {
				continue
			}
			seen[f.Path] = true
			f.Lines, f.Removed = linesOf(rec, &rec.Files[i])
			c.AgentLines += f.AgentLines
			c.PersonLines += f.PersonLines
			c.UnknownLines += f.UnknownLines
			out = append(out, f)
		}
	}
	for _, path := range touched {
		if f := row(path); !seen[f.Path] {
			seen[f.Path] = true
			out = append(out, f)
		}
	}
	return out
}

func linesOf(rec *attribution.Record, f *attribution.RecordFile) (l Lines, removed int64) {
	for _, r := range f.Ranges {
		n := int64(r.Count)
		switch rec.Owners[r.Owner].Class {
		case attribution.ClassAgent:
			l.AgentLines += n
		case attribution.ClassHuman:
			l.PersonLines += n
		default:
			l.UnknownLines += n
		}
	}
	for _, r := range f.Removed {
		removed += int64(r.Count)
	}
	return l, removed
}

// linesOfSessions returns the sums that checkpoints of other programs have in place of a record.
func linesOfSessions(f *metadata.Folder) (l Lines) {
	var total int64
	for i := range f.Slots {
		if a := f.Slots[i].Meta.InitialAttribution; a != nil && f.Slots[i].Err == nil {
			l.AgentLines += int64(max(a.AgentLines, 0))
			l.PersonLines = max(l.PersonLines, int64(a.HumanAdded+a.HumanModified))
			total = max(total, int64(a.TotalCommitted))
		}
	}
	l.UnknownLines = max(total-l.AgentLines-l.PersonLines, 0)
	return l
}

func statementsOf(c *Checkpoint, s Stored) []Statement {
	var out []Statement
	for i, st := range s.Statements {
		p := &st.Predicate
		row := Statement{Repo: c.Repo, Checkpoint: c.ID, Clone: p.Chain.Clone, Number: int64(p.Chain.Number), At: p.Time.UnixMilli(),
			Person: text(p.Person.Name, 200), Email: text(p.Person.Email, 200), Commit: text(st.Object("commit"), 64), Digest: s.Digests[i], Replaces: int64(len(p.Chain.Replaces))}
		row.Signed = s.SignedBy[row.Clone]
		if p.Chain.Previous != nil {
			row.Previous = text(p.Chain.Previous.Digest, 100)
		}
		c.Stated, c.Signed, c.Commit = true, c.Signed || row.Signed, row.Commit
		out = append(out, row)
	}
	return out
}

// mostOf returns the team with the most files, the first by name of several.
func mostOf(files []File) (most string) {
	count := map[string]int{}
	for _, f := range files {
		if f.Team == "" {
			continue
		}
		count[f.Team]++
		if n := count[f.Team]; most == "" || n > count[most] || n == count[most] && f.Team < most {
			most = f.Team
		}
	}
	return most
}

// promptMax is how much of the prompts is kept: their end, since a session's later checkpoints repeat its beginning.
const promptMax = 4000

// oneLine returns a text as the title of something.
func oneLine(s string) string { return text(strings.Join(strings.Fields(s), " "), 200) }

// ending returns the last part of a text, from a character's beginning on.
func ending(s string, most int) string {
	if len(s) > most {
		s = s[len(s)-most:]
		for i := range s {
			if utf8.RuneStart(s[i]) {
				s = s[i:]
				break
			}
		}
	}
	return text(s, most)
}

// text returns a text that any database takes: valid, without zero bytes, not above most bytes.
func text(s string, most int) string {
	return agent.Clip(strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD"), most)
}
