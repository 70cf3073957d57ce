package strategy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"entire/internal/durable"
	"entire/internal/git"
)

// brokenPath is the file that lists refs that were broken.
func (s *ManualCommitStrategy) brokenPath() string {
	return filepath.Join(s.repo.CommonDir, "entire", "broken.jsonl")
}

// noteBroken adds a line to the list of broken refs.
func (s *ManualCommitStrategy) noteBroken(ctx context.Context, b brokenRef) error {
	lock, err := durable.Acquire(ctx, s.brokenPath()+".lock")
	if err != nil {
		return err
	}
	defer lock.Release()
	data, err := os.ReadFile(s.brokenPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	line, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return durable.WriteFile(s.brokenPath(), append(data, append(line, '\n')...), 0o600)
}

// wereBroken returns the refs that were set aside within brokenShown.
func (s *ManualCommitStrategy) wereBroken() []brokenRef {
	data, err := os.ReadFile(s.brokenPath())
	if err != nil {
		return nil
	}
	var out []brokenRef
	for line := range bytes.Lines(data) {
		var b brokenRef
		if json.Unmarshal(line, &b) == nil && s.Now().Sub(b.At) < brokenShown {
			out = append(out, b)
		}
	}
	return out
}

// told says what became of a ref that was broken.
func (b brokenRef) told() string {
	if b.Now.IsZero() {
		return b.Why + "; it was set aside, and saving started again"
	}
	return b.Why + "; it was set aside, and saving went on from " + b.Now.Short()
}

// brokenProblems reports the branches whose newest step, or its tree, seems to be lost, and the
// refs that were set aside. It reads no branch as a whole.
func (s *ManualCommitStrategy) brokenProblems(ctx context.Context, branches []git.Ref) []Problem {
	var out []Problem
	for _, ref := range branches {
		if lost := s.lostAtTip(ctx, ref.OID); !lost.IsZero() {
			out = append(out, Problem{Kind: "broken-branch", Subject: shortRef(ref.Name), Why: whyBroken(ref.OID, lost),
				Hint: "the next turn, or `entire doctor --fix`, sets it aside and goes on from the newest step that is whole"})
		}
	}
	for _, b := range s.wereBroken() {
		out = append(out, Problem{Kind: "was-broken", Subject: shortRef(b.Ref), Why: b.told(), Hint: s.brokenHint()})
	}
	return out
}

func (s *ManualCommitStrategy) brokenHint() string {
	return "a prune that does not spare what is new (git gc --prune=now) takes it from under every git; " + s.shown(s.brokenPath()) + " has what was lost"
}

// lostAtTip returns the object that a branch's newest step lacks, the step or its tree; zero if
// both are there or cannot be read.
func (s *ManualCommitStrategy) lostAtTip(ctx context.Context, tip git.OID) git.OID {
	objs, err := s.repo.Reader(ctx).Objects(tip.String())
	if err != nil {
		return git.OID{} // a read error does not prove that it is lost
	}
	c, err := git.ParseCommit(objs[0].OID, objs[0].Data)
	if objs[0].Type == "" || err != nil {
		return tip
	}
	if lost, err := s.anyLost(ctx, c.Tree); err != nil || !lost {
		return git.OID{}
	}
	return c.Tree
}

// examineBroken finds refs of ours from which an object cannot be reached that git has lost. Such
// a ref stops gc and, if its newest step is lost, all saving.
func (s *ManualCommitStrategy) examineBroken(ctx context.Context) ([]Finding, error) {
	broken, err := s.brokenRefs(ctx)
	var out []Finding
	for _, b := range broken {
		out = append(out, Finding{Kind: "broken-branch", Subject: shortRef(b.Ref), Why: b.Why, Fix: "set it aside, and go on from the newest step that is whole",
			Mend: func(ctx context.Context) (string, error) {
				if err := s.setBrokenAside(ctx, b); err != nil {
					return "", err
				}
				return "set aside; " + s.shown(s.brokenPath()) + " has its object ID", s.forgetLost(ctx)
			}})
	}
	for _, b := range s.wereBroken() {
		out = append(out, Finding{Kind: "was-broken", Subject: shortRef(b.Ref), Why: b.told(), Note: true, Hint: s.brokenHint()})
	}
	return out, err
}
