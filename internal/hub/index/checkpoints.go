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
	names, err := v.names()
	if err != nil {
		return nil, "", err
	}
	var after cursor
	if f.After != "" {
		if after, err = parseCursor(f.After); err != nil {
			return nil, "", err
		}
	}
	if folder, ok := strings.CutSuffix(f.Path, "/"); ok {
		if f.Path = strings.Trim(folder, "/"); f.Path != "" {
			f.Path += "/"
		}
	}
	f.Limit = min(max(f.Limit, 1), MaxLimit)
	keys, args, err := v.keys(f, after)
	if err != nil {
		return nil, "", err
	}
	w := v.scoped("c.repo")
	query := "SELECT " + listedColumns + " FROM (" + keys + ") k JOIN checkpoint c ON c.repo = k.repo AND c.id = k.id" + w.String() + " ORDER BY c.at DESC, c.repo, c.id"
	err = v.rows(query, append(args, w.args...), func(scan func(...any) error) error {
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
	names, err := v.names()
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

// names returns the names of the repositories that the reader sees, by number.
func (v *View) names() (map[int64]string, error) {
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
