package index

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"entire/internal/hub/rows"
)

// A Listed is a checkpoint in a list.
type Listed struct {
	Repository string
	rows.Checkpoint
}

// ErrCursor says that Filter.After is not what an answer has said.
var ErrCursor = errors.New("the place to go on from is not one that an answer has named")

// A cursor is the last row of an answer.
type cursor struct {
	At   int64  `json:"a"`
	Repo int64  `json:"r"`
	ID   string `json:"i"`
}

func (c cursor) String() string {
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // two numbers and a text
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

func parseCursor(text string) (c cursor, err error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return c, ErrCursor
	}
	return c, nil
}

// Checkpoints returns the checkpoints that a filter chooses, newest first, and where to go on; "" at the end.
func (v *View) Checkpoints(f Filter) (list []Listed, next string, err error) {
	names, err := v.Names()
	if err != nil {
		return nil, "", err
	}
	var after cursor
	if f.After != "" {
		if after, err = parseCursor(f.After); err != nil {
			return nil, "", err
		}
	}
	f.Limit = min(max(f.Limit, 1), MaxLimit)
	query, args := v.listQuery(f, after)
	if v.x.Postgres() && len(terms(f.Query)) > 0 {
		query, args = v.searchQuery(f, after)
	}
	err = v.rows(query, args, func(scan func(...any) error) error {
		var l Listed
		if err := scan(l.fields()...); err != nil {
			return err
		}
		l.Repository = names[l.Repo]
		list = append(list, l)
		return nil
	})
	if len(list) > f.Limit {
		list = list[:f.Limit]
		last := list[f.Limit-1]
		next = cursor{last.At, last.Repo, last.ID}.String()
	}
	return list, next, err
}

// searchQuery returns the query for checkpoints whose prompts fit f.Query, in PostgreSQL.
func (v *View) searchQuery(f Filter, after cursor) (string, []any) {
	words, args := tsquery(f.Query)
	args = append(args, f.Author, f.Agent, f.Team, f.Branch, f.Path, f.Since, f.Until, after.At, after.Repo, after.ID, f.Limit+1)
	w := v.scoped("c.repo")
	return "SELECT " + listedColumns + " FROM search_checkpoints(" + words + strings.Repeat(", ?", 11) + ") k JOIN checkpoint c ON c.repo = k.repo AND c.id = k.id" +
		w.String() + " ORDER BY c.at DESC, c.repo, c.id", append(args, w.args...)
}

// listQuery returns the query for the checkpoints that a filter chooses.
func (v *View) listQuery(f Filter, after cursor) (string, []any) {
	w := v.scoped("c.repo")
	w.search(f.Query)
	w.equal("c.email", f.Author)
	w.equal("c.agent", f.Agent)
	w.equal("c.team", f.Team)
	w.equal("c.branch", f.Branch)
	from, at, id := "checkpoint c", "c", "c.id"
	switch {
	case f.Path == "":
	case f.Path[len(f.Path)-1] != '/':
		from, at, id = "file f JOIN checkpoint c ON c.repo = f.repo AND c.id = f.checkpoint", "f", "f.checkpoint"
		w.add("f.path = ?", f.Path)
	default:
		b := &where{}
		b.below("g.path", f.Path)
		if len(b.conditions) > 0 {
			w.add("EXISTS (SELECT 1 FROM file g WHERE g.repo = c.repo AND g.checkpoint = c.id AND "+b.conditions[0]+")", b.args...)
		}
	}
	if f.Since != 0 {
		w.add(at+".at >= ?", f.Since)
	}
	if f.Until != 0 {
		w.add(at+".at < ?", f.Until)
	}
	if f.After != "" {
		w.add(at+".at <= ? AND ("+at+".at < ? OR ("+at+".repo, "+id+") > (?, ?))", after.At, after.At, after.Repo, after.ID)
	}
	return "SELECT " + listedColumns + " FROM " + from + w.String() + " ORDER BY " + at + ".at DESC, " + at + ".repo, " + id + " LIMIT ?", append(w.args, f.Limit+1)
}

// MaxLimit is the most rows of one answer.
const MaxLimit = 200

const listedColumns = "c.repo, c.id, c.tree, c.at, c.month, c.branch, c.author, c.email, c.author_at, c.team, c.agent, c.sessions, c.files, c.recorded, " +
	"c.agent_lines, c.person_lines, c.unknown_lines, c.stated, c.signed, c.commit_id, c.title, c.prompts"

// fields are where the columns of listedColumns go.
func (l *Listed) fields() []any {
	return []any{&l.Repo, &l.ID, &l.Tree, &l.At, &l.Month, &l.Branch, &l.Author, &l.Email, &l.AuthorAt, &l.Team, &l.Agent, &l.Checkpoint.Sessions, &l.Checkpoint.Files, &l.Recorded,
		&l.AgentLines, &l.PersonLines, &l.UnknownLines, &l.Stated, &l.Signed, &l.Commit, &l.Title, &l.Prompt}
}

// A Whole is a checkpoint with all that belongs to it.
type Whole struct {
	Listed
	Sessions   []rows.Session
	Files      []rows.File
	Statements []rows.Statement
}

// ErrNotFound says that a reader sees no such checkpoint: there is none, or it is in a repository of others.
var ErrNotFound = errors.New("there is no such checkpoint")

// Checkpoint returns one checkpoint of a repository.
func (v *View) Checkpoint(repo int64, id string) (w Whole, err error) {
	names, err := v.Names()
	if err != nil {
		return w, err
	}
	found := false
	one := func() *where { c := v.scoped("c.repo"); c.add("c.repo = ?", repo); return c }
	c := one()
	c.add("c.id = ?", id)
	err = v.rows("SELECT "+listedColumns+" FROM checkpoint c"+c.String(), c.args, func(scan func(...any) error) error {
		found = true
		return scan(w.fields()...)
	})
	if err == nil && !found {
		err = ErrNotFound
	}
	if err != nil {
		return w, err
	}
	w.Repository = names[w.Repo]
	c = one()
	c.add("c.checkpoint = ?", id)
	return w, v.parts(&w, c)
}

// parts reads what belongs to a checkpoint.
func (v *View) parts(w *Whole, c *where) error {
	err := v.rows("SELECT c.position, c.session_id, c.at, c.day, c.email, c.team, c.agent, c.model, c.title, c.turns, c.messages, c.input, c.cache_read, c.cache_write, c.output, c.answers FROM session c"+c.String()+" ORDER BY c.position", c.args, func(scan func(...any) error) error {
		s := rows.Session{Repo: w.Repo, Checkpoint: w.ID}
		err := scan(&s.Position, &s.SessionID, &s.At, &s.Day, &s.Email, &s.Team, &s.Agent, &s.Model, &s.Title, &s.Turns, &s.Messages, &s.Input, &s.CacheRead, &s.CacheWrite, &s.Output, &s.Answers)
		w.Sessions = append(w.Sessions, s)
		return err
	})
	if err != nil {
		return err
	}
	err = v.rows("SELECT c.path, c.team, c.agent_lines, c.person_lines, c.unknown_lines, c.removed FROM file c"+c.String()+" ORDER BY c.path LIMIT 1000", c.args, func(scan func(...any) error) error {
		f := rows.File{Repo: w.Repo, Checkpoint: w.ID}
		err := scan(&f.Path, &f.Team, &f.AgentLines, &f.PersonLines, &f.UnknownLines, &f.Removed)
		w.Files = append(w.Files, f)
		return err
	})
	if err != nil {
		return err
	}
	return v.rows("SELECT c.clone, c.number, c.at, c.person, c.email, c.commit_id, c.signed, c.digest, c.previous, c.replaces FROM statement c"+c.String()+" ORDER BY c.clone", c.args, func(scan func(...any) error) error {
		s := rows.Statement{Repo: w.Repo, Checkpoint: w.ID}
		err := scan(&s.Clone, &s.Number, &s.At, &s.Person, &s.Email, &s.Commit, &s.Signed, &s.Digest, &s.Previous, &s.Replaces)
		w.Statements = append(w.Statements, s)
		return err
	})
}

// Names returns the names of the repositories that the reader sees, by number.
func (v *View) Names() (map[int64]string, error) {
	w := v.scoped("id")
	names := map[int64]string{}
	err := v.rows("SELECT id, name FROM repository"+w.String(), w.args, func(scan func(...any) error) error {
		var id int64
		var name string
		err := scan(&id, &name)
		names[id] = name
		return err
	})
	return names, err
}
