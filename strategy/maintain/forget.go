package maintain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"entire/checkpoint/epoch"
	"entire/checkpoint/metadata"
	"entire/checkpoint/outside"
	"entire/checkpoint/records"
	"entire/checkpoint/sealing"
	"entire/checkpoint/shadow"
	"entire/checkpoint/tombstone"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// Destination is a place to which the user agreed to send sessions. Destinations are identified
// by the URL that a push resolves to, without its credentials.
type Destination struct {
	URL    string    `json:"url"`
	Agreed time.Time `json:"agreed_at"`
	Sent   git.OID   `json:"sent,omitzero"` // the tip that the destination had when it was last seen

	Inbox      string    `json:"inbox,omitempty"`       // the ref there with what could not be merged into the branch at once
	Left       time.Time `json:"left_at,omitzero"`      // when that was
	SentEpochs string    `json:"sent_epochs,omitempty"` // likewise of the epochs
	Took       int64     `json:"took_ms,omitempty"`     // how long a push usually takes that no other one disturbs
	Unsealed   string    `json:"unsealed,omitempty"`    // the unsealed months that were removed there
	SentRefs   string    `json:"sent_refs,omitempty"`   // a hash of the checkpoints in refs of their own that were last sent
}

// Destinations is the file with the user's answers. It belongs to this clone: no file that can be
// committed says where sessions are sent.
type Destinations struct {
	Version int           `json:"version"` // 1
	Agreed  []Destination `json:"agreed"`
	Told    []string      `json:"told,omitempty"` // URLs for which the user was told that sessions are held back
}

// DestinationsFile returns the file that names the destinations to which the person agreed.
func DestinationsFile(s *sessionstate.Env) string {
	return filepath.Join(s.Repo.CommonDir, "entire", "destinations.json")
}

// ReadDestinations reads the answers. A missing file is no answer; a file that cannot be read is
// an error, and nothing counts as agreed to.
func ReadDestinations(s *sessionstate.Env) (Destinations, error) {
	d := Destinations{Version: 1}
	data, err := durable.ReadOwn(DestinationsFile(s))
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &d)
	}
	if err != nil {
		return Destinations{}, fmt.Errorf("read where sessions may go: %w", err)
	}
	return d, nil
}

// Forget removes checkpoints from the metadata branch for good; see [tombstone.Forget]. They are
// also removed from the branch's reflog, from refs that an interrupted sync fetched from others,
// and from the kept turns of condensed steps.
func Forget(ctx context.Context, s *sessionstate.Env, ids []id.CheckpointID, reason string, progress func(done, total int)) (old, tip git.OID, err error) {
	mark, err := outside.Begin(ctx, s.Repo)
	if err != nil {
		return old, tip, err
	}
	var content tombstone.Extent
	turns := step.MayHaveRefs(s, step.OwnRefRoot+sessionstate.KeptTurnsFolder+"/")
	if turns {
		if content, err = tombstone.ExtentOf(ctx, records.NewReader(s.Repo), ids); err != nil {
			return old, tip, err
		}
	}
	who := s.Repo.Identity(ctx)
	old, tip, err = tombstone.Forget(ctx, s.Repo, tombstone.Forgetting{IDs: ids, Reason: reason, When: s.Now(), Author: who, Progress: progress})
	if err != nil {
		return old, tip, err
	}
	if _, err := tombstone.DropOwnRefs(ctx, s.Repo); err != nil {
		return old, tip, fmt.Errorf("delete the refs of forgotten checkpoints: %w", err)
	}
	if err := errors.Join(dropSealed(ctx, s), mark.Dropped(ctx), resume.DropIndex(s)); err != nil {
		return old, tip, err
	}
	for _, cp := range ids {
		s.Log.Info("forgotten", "checkpoint_id", cp.String())
	}
	if turns {
		gone := map[id.CheckpointID]bool{}
		for _, cp := range ids {
			gone[cp] = true
		}
		if err := forgetTurns(ctx, s, gone, content); err != nil {
			return old, tip, err
		}
	}
	if err := tombstone.DropFetched(ctx, s.Repo); err != nil {
		s.Log.Warn("a fetched branch stays", "err", err)
	}
	return old, tip, dropLogs(ctx, s)
}

// dropSealed removes forgotten checkpoints from the epochs whose content is in this clone. In the others they stay until
// the next sending of sessions, which fetches those months.
func dropSealed(ctx context.Context, s *sessionstate.Env) error {
	if !step.MayHaveRefs(s, epoch.Refs) {
		return nil
	}
	changed, absent, err := sealing.DropForgotten(ctx, s.Repo)
	for _, m := range changed {
		s.Log.Info("forgotten in an epoch", "month", string(m))
	}
	for _, m := range absent {
		s.Log.Warn("an epoch lists forgotten checkpoints, and its content is not here", "month", string(m))
	}
	return err
}

// Redact takes secrets out of checkpoints on the metadata branch; see [tombstone.Redact]. The old versions are also
// removed from the branch's reflog, from refs that an interrupted sync fetched from others, and from the kept turns of
// condensed steps.
func Redact(ctx context.Context, s *sessionstate.Env, ids []id.CheckpointID, clean func([]byte) ([]byte, error)) (tombstone.Redacted, error) {
	mark, err := outside.Begin(ctx, s.Repo)
	if err != nil {
		return tombstone.Redacted{}, err
	}
	done, err := tombstone.Redact(ctx, s.Repo, tombstone.Redacting{IDs: ids, Clean: clean, When: s.Now(), Author: s.Repo.Identity(ctx)})
	if err != nil || len(done.IDs) == 0 {
		return done, err
	}
	if err := mark.Dropped(ctx); err != nil {
		return done, err
	}
	for _, cp := range done.IDs {
		s.Log.Info("redacted", "checkpoint_id", cp.String())
	}
	if step.MayHaveRefs(s, step.OwnRefRoot+sessionstate.KeptTurnsFolder+"/") {
		if err := forgetTurns(ctx, s, nil, done.Old); err != nil {
			return done, err
		}
	}
	if err := tombstone.DropFetched(ctx, s.Repo); err != nil {
		s.Log.Warn("a fetched branch stays", "err", err)
	}
	return done, errors.Join(dropLogs(ctx, s), resume.DropIndex(s))
}

// dropLogs removes unreachable entries from the reflogs of the metadata branch and of its
// remote-tracking branches.
func dropLogs(ctx context.Context, s *sessionstate.Env) error {
	refs, err := s.Repo.Refs(ctx, "refs/remotes/**/"+shadow.MetadataBranch)
	if err != nil {
		return err
	}
	for _, ref := range append(refs, git.Ref{Name: shadow.MetadataRef}) {
		if err := tombstone.DropReflog(ctx, s.Repo, ref.Name); err != nil {
			return fmt.Errorf("clear the log of %s: %w", ref.Name, err)
		}
	}
	return nil
}

// DropForgotten removes forgotten checkpoints from the local branch that a program without
// knowledge of tombstones has written again, and the epochs of months that were unsealed.
func DropForgotten(ctx context.Context, s *sessionstate.Env) error {
	mark, err := outside.Begin(ctx, s.Repo)
	if err != nil {
		return err
	}
	changed, err := tombstone.DropForgotten(ctx, s.Repo)
	if err == nil && step.MayHaveRefs(s, metadata.CheckpointRefs) {
		_, err = tombstone.DropOwnRefs(ctx, s.Repo)
	}
	if err == nil {
		err = dropSealed(ctx, s)
	}
	if err == nil && step.MayHaveRefs(s, epoch.Refs) {
		_, err = sealing.DropUnsealed(ctx, s.Repo)
	}
	if err == nil {
		err = mark.Dropped(ctx)
	}
	if err == nil && changed {
		err = errors.Join(tombstone.DropReflog(ctx, s.Repo, shadow.MetadataRef), dropForgottenTurns(ctx, s), resume.DropIndex(s))
	}
	return err
}

// dropForgottenTurns drops the kept turns of commits whose checkpoints have a tombstone.
func dropForgottenTurns(ctx context.Context, s *sessionstate.Env) error {
	if !step.MayHaveRefs(s, step.OwnRefRoot+sessionstate.KeptTurnsFolder+"/") {
		return nil
	}
	stones, err := records.NewReader(s.Repo).Forgotten(ctx, nil)
	if err != nil {
		return err
	}
	gone := map[id.CheckpointID]bool{}
	for cp := range stones {
		gone[cp] = true
	}
	return forgetTurns(ctx, s, gone, tombstone.Extent{})
}

// forgottenTurns finds the refs that still keep turns of forgotten checkpoints.
func forgottenTurns(ctx context.Context, s *sessionstate.Env, stones map[id.CheckpointID]metadata.Tombstone) ([]Finding, error) {
	if !step.MayHaveRefs(s, step.OwnRefRoot+sessionstate.KeptTurnsFolder+"/") {
		return nil, nil
	}
	days, err := AllKeptTurnRefs(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, day := range days {
		holds := false
		err := step.EachKeptEntry(ctx, s, day.OID, func(e step.KeptEntry) (bool, error) {
			_, holds = stones[e.Checkpoint]
			return !holds, nil
		})
		if err != nil {
			return nil, err
		}
		if holds {
			out = append(out, Finding{Kind: "forgotten", Subject: day.Name, Why: "it keeps turns of checkpoints that are forgotten", Fix: "drop those turns",
				Mend: func(ctx context.Context) (string, error) { return "dropped those turns", dropForgottenTurns(ctx, s) }})
		}
	}
	return out, nil
}

// ExamineForgotten finds forgotten checkpoints that were written again, or that refs of a remote
// still hold here.
func ExamineForgotten(ctx context.Context, s *sessionstate.Env) ([]Finding, error) {
	reader := records.NewReader(s.Repo)
	stones, err := reader.Forgotten(ctx, nil)
	if err != nil || len(stones) == 0 {
		return nil, err
	}
	ids := make([]id.CheckpointID, 0, len(stones))
	for cp := range stones {
		ids = append(ids, cp)
	}
	out, err := forgottenTurns(ctx, s, stones)
	if err != nil {
		return nil, err
	}
	tips, err := reader.Tips(ctx, ids)
	if err != nil {
		return nil, err
	}
	for cp := range tips {
		out = append(out, Finding{Kind: "forgotten", Subject: metadata.CheckpointRef(cp), Why: "it has a checkpoint that is forgotten", Fix: "delete it",
			Mend: func(ctx context.Context) (string, error) { return "deleted", DropForgotten(ctx, s) }})
	}
	held, err := tombstone.RefsReaching(ctx, reader, ids, tombstone.Extent{})
	for _, ref := range held {
		f := Finding{Kind: "forgotten", Subject: ref, Why: "its history has checkpoints that are forgotten", Note: true, Hint: ForgottenHint(ref)}
		if ref == shadow.MetadataRef {
			f.Note, f.Hint, f.Fix = false, "", "rewrite it without them"
			f.Mend = func(ctx context.Context) (string, error) { return "rewrote it without them", removeForgotten(ctx, s) }
		}
		out = append(out, f)
	}
	return out, err
}

// removeForgotten removes forgotten checkpoints, and first merges the tombstones that only a
// remote's branch has.
func removeForgotten(ctx context.Context, s *sessionstate.Env) error {
	remotes, err := s.Repo.Remotes(ctx)
	if err != nil {
		return err
	}
	for _, remote := range remotes {
		if _, err := resume.MergeTracked(ctx, s, resume.Destination{Remote: remote}); err != nil {
			return err
		}
	}
	return DropForgotten(ctx, s)
}

// ForgottenHint says how to remove forgotten content from one of the refs that
// [tombstone.RefsReaching] lists.
func ForgottenHint(ref string) string {
	if remote, ok := strings.CutSuffix(strings.TrimPrefix(ref, "refs/remotes/"), "/"+shadow.MetadataBranch); ok && strings.HasPrefix(ref, "refs/remotes/") {
		return "`entire share push " + remote + "` replaces it there and here"
	}
	switch {
	case ref == shadow.LegacyRef:
		return "it is of an older version, and only read: `git branch -D " + strings.TrimPrefix(ref, "refs/heads/") + "` removes it"
	case ref == shadow.LegacyRemoteRef:
		return "it is of an older version, and only read: `git push origin --delete " + strings.TrimPrefix(ref, "refs/remotes/origin/") + "` removes it"
	case strings.HasPrefix(ref, epoch.Refs):
		return "its content is not in this clone: `entire share push` fetches that month, and forgets them there and here"
	case strings.HasPrefix(ref, step.OwnRefRoot+sessionstate.KeptTurnsFolder+"/"):
		return "turns that can still be gone back to: `git update-ref -d " + ref + "` removes those of that day"
	case strings.HasPrefix(ref, "refs/entire/undo/"), strings.HasPrefix(ref, "refs/entire/labels/"), strings.HasPrefix(ref, "refs/entire/orphans/"):
		return "steps that can still be gone back to: `entire doctor clean --force` removes them once they are not needed, `git update-ref -d " + ref + "` at once"
	}
	return "work that is in no commit yet: it goes with the next commit, or with `entire doctor reset`"
}

// storedOrForgotten reports which checkpoints are stored, forgotten, or listed by a manifest, so that they can be fetched:
// nothing of these is missing.
func storedOrForgotten(ctx context.Context, s *sessionstate.Env, ids []id.CheckpointID) (map[id.CheckpointID]bool, error) {
	reader := records.NewReader(s.Repo)
	known, err := reader.Exists(ctx, ids)
	if err != nil {
		return nil, err
	}
	stones, err := reader.Forgotten(ctx, ids)
	if err != nil {
		return nil, err
	}
	for cp := range stones {
		known[cp] = true
	}
	rows, absent, err := reader.Sealed(ctx, ids)
	for cp := range rows {
		known[cp] = true
	}
	for cp := range absent {
		known[cp] = true
	}
	return known, err
}
