package usagelib

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/resume"
)

// commitsMax bounds how many commits that name checkpoints are read.
const commitsMax = 20000

// A Commit is a commit that has a checkpoint.
type Commit struct {
	ID      string    `json:"commit"`
	Subject string    `json:"subject"`
	Author  string    `json:"author"`
	When    time.Time `json:"date"`
}

// A part is what a checkpoint has of one session.
type part struct {
	checkpoint id.CheckpointID
	at         int64 // when it was made, in Unix nanoseconds
	branch     string
	files      []string
	summary    *metadata.Summary // nil if none was made
}

// A past is what became of the sessions of a repository. The zero value is one without commits.
type past struct {
	parts   map[string][]part // by session, oldest first
	commits map[id.CheckpointID]Commit
	named   []named
	more    bool // there are more commits than were read
	pulls   *pulls
	waiting map[string]bool // the sessions with files that are not committed yet
	rewinds []rewind
}

// A rewind of files took back what the sessions did after the point, until it was made.
type rewind struct {
	from, to int64
	sessions map[string]bool
}

func readPast(ctx context.Context, wp *workplace.Workplace) (*past, error) {
	p := &past{parts: map[string][]part{}}
	if wp == nil {
		return p, nil
	}
	stored, err := resume.OpenStoredSessions(wp.Engine).Parts(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the checkpoints: %w", err)
	}
	for _, s := range stored {
		p.parts[s.SessionID] = append(p.parts[s.SessionID], part{s.Checkpoint, s.CreatedAt.UnixNano(), s.Branch, s.Files, s.Summary})
	}
	for _, parts := range p.parts {
		slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.at, b.at) })
	}
	if len(stored) > 0 {
		if err := p.readCommits(ctx, wp.Repo, records.NewReader(wp.Repo)); err != nil {
			return nil, fmt.Errorf("read the commits of the checkpoints: %w", err)
		}
	}
	states, _, err := wp.Engine.Store.List(ctx) // doctor speaks of states that cannot be read
	if err != nil {
		return nil, fmt.Errorf("read which sessions have work that is not committed: %w", err)
	}
	p.waiting = map[string]bool{}
	for _, st := range states {
		p.waiting[st.SessionID.String()] = len(st.FilesTouched) > 0
	}
	return p, p.readRewinds(ctx, wp)
}

// readCommits finds the commit of each checkpoint on any branch; the latest, if several name one.
func (p *past) readCommits(ctx context.Context, repo *git.Repo, reader *records.Reader) error {
	p.commits = map[id.CheckpointID]Commit{}
	out, err := repo.Run(ctx, "log", "-z", "-n", fmt.Sprint(commitsMax), "--no-show-signature", "--format=%H%n%an%n%cI%n%B", "-F", "--grep="+trailer.Checkpoint,
		"--exclude=refs/heads/entire/*", "--branches", "--exclude=refs/remotes/*/entire/*", "--remotes", "--tags", "HEAD", "--")
	var exit *git.ExitError
	if err != nil && !errors.As(err, &exit) { // without a commit, git fails
		return err
	}
	n := 0
	for text := range strings.SplitSeq(string(out), "\x00") {
		f := strings.SplitN(text, "\n", 4)
		if len(f) < 4 {
			continue
		}
		n++
		when, _ := time.Parse(time.RFC3339, f[2])
		subject, _, _ := strings.Cut(f[3], "\n")
		p.name(trailer.ParseCheckpointTrailers(f[3]), Commit{f[0], subject, f[1], when}, f[3])
	}
	p.more = n >= commitsMax
	links, err := reader.Links(ctx)
	if err != nil {
		return err
	}
	for oid, cps := range links {
		if c, here, err := repo.Reader(ctx).CommitOf(oid.String()); err == nil && here {
			p.name(cps, Commit{oid.String(), c.Subject(), c.Author.Name, c.Committer.When}, c.Message)
		}
	}
	return nil
}

func (p *past) name(cps []id.CheckpointID, c Commit, message string) {
	if len(cps) > 0 {
		pull, _ := pullOf(message)
		p.named = append(p.named, named{c.ID, c.When, cps, pull})
	}
	for _, cp := range cps {
		if _, newer := p.commits[cp]; !newer {
			p.commits[cp] = c
		}
	}
}

// readRewinds reads which rewinds of files in this worktree were not undone.
func (p *past) readRewinds(ctx context.Context, wp *workplace.Workplace) error {
	log, err := condense.ReadRewindLog(wp.Engine)
	if err != nil && !errors.Is(err, condense.ErrRewindLog) {
		return err
	}
	for _, e := range log {
		if e.Kind != condense.RewindDone && e.Kind != condense.RewindReset || e.UndoneBy != "" || e.Point == "" {
			continue
		}
		c, here, err := wp.Repo.Reader(ctx).CommitOf(e.Point)
		if err != nil || !here {
			continue
		}
		r := rewind{from: c.Committer.When.UnixNano(), to: e.At.UnixNano(), sessions: map[string]bool{}}
		for sid := range e.Work {
			r.sessions[sid] = true
		}
		if e.Session != "" {
			r.sessions[e.Session] = true
		}
		p.rewinds = append(p.rewinds, r)
	}
	return nil
}
