package api

import (
	"math"
	"time"

	"entire/internal/hub/index"
	"entire/internal/hub/rows"
)

// The values of the answers; openapi.json describes them.
type (
	Lines struct {
		Agent   int64 `json:"agent"`
		Person  int64 `json:"person"`
		Unknown int64 `json:"unknown"`
	}
	Tokens struct {
		Input      int64 `json:"input"`
		CacheRead  int64 `json:"cache_read"`
		CacheWrite int64 `json:"cache_write"`
		Output     int64 `json:"output"`
		Answers    int64 `json:"answers"`
	}
	Repository struct {
		Name        string    `json:"name"`
		Checkpoints int64     `json:"checkpoints"`
		IndexedAt   time.Time `json:"indexed_at,omitzero"`
		CheckedAt   time.Time `json:"checked_at,omitzero"`
		Failing     bool      `json:"failing"`
		Lines       Lines     `json:"lines"`
	}
	Repositories struct {
		Repositories []Repository `json:"repositories"`
	}
	Checkpoint struct {
		Repository string    `json:"repository"`
		ID         string    `json:"id"`
		At         time.Time `json:"at"`
		Branch     string    `json:"branch,omitempty"`
		Author     string    `json:"author"`
		Email      string    `json:"email"`
		Team       string    `json:"team,omitempty"`
		Agent      string    `json:"agent,omitempty"`
		Title      string    `json:"title,omitempty"`
		Sessions   int64     `json:"sessions"`
		Files      int64     `json:"files"`
		Recorded   bool      `json:"recorded"`
		Lines      Lines     `json:"lines"`
		Stated     bool      `json:"stated"`
		Signed     bool      `json:"signed"`
		Commit     string    `json:"commit,omitempty"`

		Prompts string `json:"-"`
	}
	Checkpoints struct {
		Checkpoints []Checkpoint `json:"checkpoints"`
		Next        string       `json:"next,omitempty"`
	}
	Session struct {
		ID       string    `json:"id"`
		Agent    string    `json:"agent"`
		Model    string    `json:"model,omitempty"`
		Title    string    `json:"title,omitempty"`
		Turns    int64     `json:"turns"`
		Messages int64     `json:"messages"`
		Tokens   Tokens    `json:"tokens"`
		At       time.Time `json:"at"`
	}
	File struct {
		Path    string `json:"path"`
		Team    string `json:"team,omitempty"`
		Lines   Lines  `json:"lines"`
		Removed int64  `json:"removed"`
	}
	Statement struct {
		Clone  string    `json:"clone"`
		Number int64     `json:"number"`
		At     time.Time `json:"at"`
		Person string    `json:"person"`
		Email  string    `json:"email"`
		Commit string    `json:"commit,omitempty"`
		Signed bool      `json:"signed"`
		Digest string    `json:"digest"`
	}
	CheckpointDetail struct {
		Checkpoint Checkpoint  `json:"checkpoint"`
		Prompts    string      `json:"prompts"`
		Sessions   []Session   `json:"session_list"`
		Files      []File      `json:"file_list"`
		Statements []Statement `json:"statements"`
	}
	Share struct {
		Name         string  `json:"name"`
		Count        int64   `json:"count"`
		Lines        Lines   `json:"lines"`
		AgentPercent float64 `json:"agent_percent"`
	}
	Attribution struct {
		By     string  `json:"by"`
		Groups []Share `json:"groups"`
		Total  Share   `json:"total"`
	}
	Used struct {
		Name     string  `json:"name"`
		Sessions int64   `json:"sessions"`
		Tokens   Tokens  `json:"tokens"`
		Dollars  float64 `json:"dollars"`
		Unpriced bool    `json:"unpriced"`
	}
	Usage struct {
		By       string `json:"by"`
		Groups   []Used `json:"groups"`
		Total    Used   `json:"total"`
		PricesOf string `json:"prices_of"`
	}
	Audit struct {
		Repository  string `json:"repository"`
		Checkpoints int64  `json:"checkpoints"`
		Stated      int64  `json:"stated"`
		Signed      int64  `json:"signed"`
		Forgotten   int64  `json:"forgotten"`
	}
	Chain struct {
		Repository string    `json:"repository"`
		Clone      string    `json:"clone"`
		Statements int64     `json:"statements"`
		Signed     int64     `json:"signed"`
		First      int64     `json:"first"`
		Last       int64     `json:"last"`
		LastAt     time.Time `json:"last_at"`
		Absent     int64     `json:"absent"`
		Broken     int64     `json:"broken"`
	}
	Forgotten struct {
		Repository string    `json:"repository"`
		Checkpoint string    `json:"checkpoint"`
		At         time.Time `json:"at,omitzero"`
		Reason     string    `json:"reason,omitempty"`
	}
	AuditReport struct {
		Repositories []Audit     `json:"repositories"`
		Chains       []Chain     `json:"chains,omitempty"`
		Forgotten    []Forgotten `json:"forgotten,omitempty"`
	}
	Me struct {
		Kind         string   `json:"kind"`
		Name         string   `json:"name"`
		Email        string   `json:"email,omitempty"`
		Repositories []string `json:"repositories"`
	}
)

// Total returns all lines.
func (l Lines) Total() int64 { return l.Agent + l.Person + l.Unknown }

func linesOf(l rows.Lines) Lines { return Lines{l.AgentLines, l.PersonLines, l.UnknownLines} }

func tokensOf(t rows.Tokens) Tokens {
	return Tokens{t.Input, t.CacheRead, t.CacheWrite, t.Output, t.Answers}
}

// timeOf returns a time of the index; zero for none.
func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func checkpointOf(l index.Listed) Checkpoint {
	return Checkpoint{Repository: l.Repository, ID: l.ID, At: time.UnixMilli(l.At).UTC(), Branch: l.Branch, Author: l.Author, Email: l.Email, Team: l.Team, Agent: l.Agent, Title: l.Title,
		Sessions: l.Checkpoint.Sessions, Files: l.Checkpoint.Files, Recorded: l.Recorded, Lines: linesOf(l.Lines), Stated: l.Stated, Signed: l.Signed, Commit: l.Commit, Prompts: l.Prompt}
}

func shareOf(s index.Share) Share {
	out := Share{Name: s.Name, Count: s.Count, Lines: linesOf(s.Lines)}
	if n := s.Total(); n > 0 {
		out.AgentPercent = rounded(100*float64(s.AgentLines)/float64(n), 10)
	}
	return out
}

// rounded keeps the digits that mean something, so that equal sums in another order are equal.
func rounded(v, by float64) float64 { return math.Round(v*by) / by }
