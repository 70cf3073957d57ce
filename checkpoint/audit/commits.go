package audit

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/checkpoint/metadata"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/git"
)

// State says what the statements prove of a commit.
type State string

// The states of a commit.
const (
	Proved       State = "proved"        // a statement names the commit, or a commit with the same content
	Rewritten    State = "rewritten"     // the statements of its checkpoints name other contents: it was amended, rebased or squashed
	NoStatement  State = "no-statement"  // its checkpoints have no statement
	Gone         State = "gone"          // its checkpoints were forgotten
	Lost         State = "missing"       // a checkpoint that it names is nowhere
	NoCheckpoint State = "no-checkpoint" // it names none
)

// Commit is a commit of the user with what the statements say of it.
type Commit struct {
	OID, Tree   git.OID
	Author      string
	Mail        string
	Time        time.Time
	Subject     string
	Checkpoints []id.CheckpointID
	State       State
	Statements  []*Stated // of its checkpoints
}

// Commits compares commits with the statements, newest first. revisions are as for `git log`. The result must come from
// Verify with Keep, and exists reports whether the branch has a checkpoint.
func Commits(ctx context.Context, repo *git.Repo, r *Result, links metadata.Links, gone metadata.Forgotten, revisions ...string) ([]Commit, error) {
	args := []string{"log", "-z", "--no-show-signature", "--no-color", "--format=%H%n%T%n%at%n%an%n%ae%n%B"}
	out, err := repo.Run(ctx, append(append(args, revisions...), "--")...)
	if err != nil {
		return nil, err
	}
	var list []Commit
	for one := range bytes.SplitSeq(out, []byte{0}) {
		if len(bytes.TrimSpace(one)) == 0 {
			continue
		}
		c, err := parseCommit(string(one))
		if err != nil {
			return nil, err
		}
		c.judge(r, links, gone)
		list = append(list, c)
	}
	return list, nil
}

func parseCommit(text string) (c Commit, err error) {
	parts := strings.SplitN(strings.TrimPrefix(text, "\n"), "\n", 6)
	if len(parts) < 6 {
		return c, fmt.Errorf("read git log: %.40q is no commit", text)
	}
	if c.OID, err = git.ParseOID(parts[0]); err != nil {
		return c, err
	}
	if c.Tree, err = git.ParseOID(parts[1]); err != nil {
		return c, err
	}
	var seconds int64
	if _, err := fmt.Sscan(parts[2], &seconds); err != nil {
		return c, fmt.Errorf("read git log: %.40q is no time", parts[2])
	}
	c.Time, c.Author, c.Mail = time.Unix(seconds, 0).UTC(), parts[3], parts[4]
	c.Subject, _, _ = strings.Cut(parts[5], "\n")
	for _, v := range trailer.Values(parts[5], trailer.Checkpoint) {
		if cp, err := id.NewCheckpointID(v); err == nil {
			c.Checkpoints = append(c.Checkpoints, cp)
		}
	}
	return c, nil
}

// judge sets what the statements prove.
func (c *Commit) judge(r *Result, links metadata.Links, gone metadata.Forgotten) {
	c.Checkpoints = append(c.Checkpoints, links[c.OID]...)
	forgotten, stored := 0, 0
	proved := false
	for _, cp := range c.Checkpoints {
		switch st := r.Statements[cp.String()]; {
		case st != nil:
			c.Statements = append(c.Statements, st)
			proved = proved || st.Object("commit") == c.OID.String() || st.Object("tree") == c.Tree.String()
		case gone[cp]:
			forgotten++
		case r.has(cp):
			stored++
		}
	}
	switch {
	case len(c.Checkpoints) == 0:
		c.State = NoCheckpoint
	case proved:
		c.State = Proved
	case len(c.Statements)+forgotten+stored < len(c.Checkpoints):
		c.State = Lost
	case len(c.Statements) > 0:
		c.State = Rewritten
	case forgotten == len(c.Checkpoints):
		c.State = Gone
	default:
		c.State = NoStatement
	}
}

func (r *Result) has(cp id.CheckpointID) bool {
	_, ok := slices.BinarySearch(r.Unstated, cp.String())
	return ok
}
