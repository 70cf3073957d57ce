package maintain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/turn"
)

// brokenPath is the file that lists refs that were broken.
func brokenPath(s *sessionstate.Env) string {
	return filepath.Join(s.Repo.CommonDir, "entire", "broken.jsonl")
}

// noteBroken adds a line to the list of broken refs.
func noteBroken(ctx context.Context, s *sessionstate.Env, b brokenRef) error {
	lock, err := durable.Acquire(ctx, brokenPath(s)+".lock")
	if err != nil {
		return err
	}
	defer lock.Release()
	data, err := durable.ReadOwn(brokenPath(s))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	line, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return durable.WriteFile(brokenPath(s), append(data, append(line, '\n')...), 0o600)
}

// RecentlyBroken returns the refs that were set aside within brokenShown.
func RecentlyBroken(s *sessionstate.Env) []brokenRef {
	data, err := durable.ReadOwn(brokenPath(s))
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

// outcome says what became of a ref that was broken.
func (b brokenRef) outcome() string {
	if b.Now.IsZero() {
		return b.Why + "; it was set aside, and saving started again"
	}
	return b.Why + "; it was set aside, and saving went on from " + b.Now.Short()
}

// brokenProblems reports the branches whose newest step, or its tree, seems to be lost, and the
// refs that were set aside. It reads no branch as a whole.
func brokenProblems(ctx context.Context, s *sessionstate.Env, branches []git.Ref) []turn.Problem {
	var out []turn.Problem
	for _, ref := range branches {
		if lost := lostAtTip(ctx, s, ref.OID); !lost.IsZero() {
			out = append(out, turn.Problem{Kind: "broken-branch", Subject: step.ShortBranch(ref.Name), Why: whyBroken(ref.OID, lost),
				Hint: "the next turn, or `entire doctor --fix`, sets it aside and goes on from the newest step that is whole"})
		}
	}
	for _, b := range RecentlyBroken(s) {
		out = append(out, turn.Problem{Kind: "was-broken", Subject: step.ShortBranch(b.Ref), Why: b.outcome(), Hint: brokenHint(s)})
	}
	return out
}

func brokenHint(s *sessionstate.Env) string {
	return "a prune that does not spare what is new (git gc --prune=now) takes it from under every git; " + displayPath(s, brokenPath(s)) + " has what was lost"
}

// lostAtTip returns the object that a branch's newest step lacks, the step or its tree; zero if
// both are there or cannot be read.
func lostAtTip(ctx context.Context, s *sessionstate.Env, tip git.OID) git.OID {
	objs, err := s.Repo.Reader(ctx).Objects(tip.String())
	if err != nil {
		return git.OID{} // a read error does not prove that it is lost
	}
	c, err := git.ParseCommit(objs[0].OID, objs[0].Data)
	if objs[0].Type == "" || err != nil {
		return tip
	}
	if lost, err := step.AnyLost(ctx, s, c.Tree); err != nil || !lost {
		return git.OID{}
	}
	return c.Tree
}

// examineBroken finds refs of ours from which an object cannot be reached that git has lost. Such
// a ref stops gc and, if its newest step is lost, all saving.
func examineBroken(ctx context.Context, s *sessionstate.Env) ([]Finding, error) {
	broken, err := brokenRefs(ctx, s)
	var out []Finding
	for _, b := range broken {
		out = append(out, Finding{Kind: "broken-branch", Subject: step.ShortBranch(b.Ref), Why: b.Why, Fix: "set it aside, and go on from the newest step that is whole",
			Mend: func(ctx context.Context) (string, error) {
				if err := setBrokenAside(ctx, s, b); err != nil {
					return "", err
				}
				return "set aside; " + displayPath(s, brokenPath(s)) + " has its object ID", forgetLost(ctx, s)
			}})
	}
	for _, b := range RecentlyBroken(s) {
		out = append(out, Finding{Kind: "was-broken", Subject: step.ShortBranch(b.Ref), Why: b.outcome(), Note: true, Hint: brokenHint(s)})
	}
	return out, err
}
