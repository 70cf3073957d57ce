package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"entire/checkpoint/epoch"
	"entire/checkpoint/metadata"
	"entire/checkpoint/outside"
	"entire/checkpoint/shadow"
	"entire/internal/bodies"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/maintain"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// sendBodies puts into the bucket the bodies that what is sent to a destination needs, and that wait for it. It comes
// before git's own objects, so that whoever has these can have the bodies, too.
func sendBodies(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination) error {
	waiting, err := s.Repo.Bodies.Waiting()
	if err != nil || len(waiting) == 0 {
		return err
	}
	tips, not, err := toSend(ctx, s, to)
	if err != nil {
		return err
	}
	need, err := outside.Reached(ctx, s.Repo, tips, not)
	if err != nil {
		return err
	}
	maps.DeleteFunc(waiting, func(name string, _ int64) bool { _, needed := need[name]; return !needed })
	if n.Progress != nil && len(waiting) > 0 {
		fmt.Fprintf(n.Progress, "Sending %s of conversations to the bucket...\n", worktree.Counted(len(waiting), "part"))
	}
	sent, err := s.Repo.Bodies.Send(ctx, slices.Sorted(maps.Keys(waiting)))
	if sent > 0 {
		s.Log.Info("bodies are in the bucket", "count", sent)
	}
	return err
}

// toSend returns what a push sends, and what the destination had when it was last seen.
func toSend(ctx context.Context, s *sessionstate.Env, to resume.Destination) (tips, not []git.OID, err error) {
	d, err := maintain.ReadDestinations(s)
	if err != nil {
		return nil, nil, err
	}
	known, err := knownTip(ctx, s, to)
	if err != nil {
		return nil, nil, err
	}
	folders := []string{shadow.MetadataRef}
	a := find(&d, to.Shown)
	if state, err := refsState(ctx, s); err != nil {
		return nil, nil, err
	} else if a == nil || a.SentRefs != state {
		folders = append(folders, metadata.CheckpointRefs)
	}
	if state, err := epochsState(ctx, s); err != nil {
		return nil, nil, err
	} else if a == nil || a.SentEpochs != state {
		folders = append(folders, epoch.BodyRefs)
	}
	refs, err := s.Repo.Refs(ctx, folders...)
	for _, ref := range refs {
		tips = append(tips, ref.OID)
	}
	return tips, []git.OID{known}, err
}

// tidyBodies removes from the bucket the bodies of what is forgotten, and from this clone those that nothing needs. It
// comes after a push, when the destination does not need them any more.
func tidyBodies(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination) error {
	if !s.Repo.Bodies.Used() {
		return nil
	}
	if err := deleteBodies(ctx, s, n, to); err != nil {
		return fmt.Errorf("delete from the bucket what is forgotten: %w", err)
	}
	if err := sweepBodies(ctx, s); err != nil {
		return fmt.Errorf("remove bodies that nothing needs: %w", err)
	}
	return pruneBodies(ctx, s)
}

// pruneBodies removes from this clone the bodies that the bucket has and that nobody read for long, but for those that the
// states of sessions name: a hook that continues such a session cannot fetch them. A bucket may have lost a body since it
// was sent, for example because another clone forgot the same bytes; what a checkpoint here needs goes there again first.
func pruneBodies(ctx context.Context, s *sessionstate.Env) error {
	idle, err := s.Repo.Bodies.Idle(s.Now().Add(-keepBodies))
	if err != nil || len(idle) == 0 {
		return err
	}
	named, err := namedByStates(ctx, s)
	if err != nil {
		return err
	}
	own, err := outside.Own(ctx, s.Repo)
	if err != nil {
		return err
	}
	var ask, drop []string
	for _, name := range idle {
		switch {
		case has(named, name):
		case has(own, name):
			ask = append(ask, name)
		default:
			drop = append(drop, name)
		}
	}
	there, err := s.Repo.Bodies.Confirm(ctx, ask)
	if err != nil {
		s.Log.Warn("bodies stay that the bucket may not have", "err", err)
	}
	for _, name := range append(drop, there...) {
		if err := s.Repo.Bodies.Drop(name); err != nil {
			return err
		}
	}
	return nil
}

// objectName matches the names of objects in the states of sessions.
var objectName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b`) })

// namedByStates returns the bodies that stand in blobs which the states of sessions name.
func namedByStates(ctx context.Context, s *sessionstate.Env) (map[string]bodies.Pointer, error) {
	var specs []string
	for _, folder := range s.Store.Folders() {
		for _, pattern := range []string{"*.json", "*/*.json"} {
			files, err := filepath.Glob(filepath.Join(folder, pattern))
			if err != nil {
				return nil, err
			}
			for _, file := range files {
				names, err := objectsIn(s, file)
				if err != nil {
					return nil, fmt.Errorf("read which bodies sessions need: %w", err)
				}
				specs = append(specs, names...)
			}
		}
	}
	return outside.Named(ctx, s.Repo, specs)
}

// objectsIn returns the names of objects in a file of a session's state.
func objectsIn(s *sessionstate.Env, file string) ([]string, error) {
	data, err := durable.ReadPlain(file, maxStateFile)
	if err == nil {
		data, err = s.Repo.Vault.OpenLocal(data)
	}
	return objectName().FindAllString(string(data), -1), err
}

// maxStateFile is the most bytes of a session's state that are read.
const maxStateFile = 64 << 20

const (
	// keepBodies is how long a clone keeps a body that the bucket has and nobody reads.
	keepBodies = 30 * 24 * time.Hour

	// freshBody is how long nothing may name a body that was just written.
	freshBody = 24 * time.Hour

	// manyWaiting is how many bodies wait before those are looked for that nothing needs: ends of transcripts that
	// have grown since.
	manyWaiting = 500
)

// deleteBodies deletes large texts of forgotten checkpoints at a destination, except those that any other
// checkpoint, here or there, still has.
func deleteBodies(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination) error {
	names, err := s.Repo.Bodies.Forgotten()
	if err != nil || len(names) == 0 {
		return err
	}
	absent, err := absentMonths(ctx, s) // another month may have a part of the same conversation
	if err == nil {
		err = fetchEpochs(ctx, s, n, to, absent, true)
	}
	if err != nil {
		return err
	}
	own, err := outside.Own(ctx, s.Repo)
	if err != nil {
		return err
	}
	shared, err := outside.Shared(ctx, s.Repo)
	if err != nil {
		return err
	}
	var gone []string
	for _, name := range names {
		switch {
		case has(own, name): // another checkpoint has the same text
			if err := s.Repo.Bodies.ForgottenDone(name); err != nil {
				return err
			}
		case !has(shared, name): // otherwise a remote's branch here has the checkpoint
			gone = append(gone, name)
		}
	}
	deleted, err := s.Repo.Bodies.Delete(ctx, gone)
	if err = errors.Join(err, removeBodies(ctx, s, deleted)); err != nil {
		return err
	}
	for _, name := range deleted {
		if err := s.Repo.Bodies.ForgottenDone(name); err != nil {
			return err
		}
	}
	return nil
}

// removeBodies removes from this clone the bodies that left the bucket, but for what a step has, which stays here alone.
// Those that a hook has stored again in a new checkpoint meanwhile go back to the bucket.
func removeBodies(ctx context.Context, s *sessionstate.Env, deleted []string) error {
	if len(deleted) == 0 {
		return nil
	}
	s.Log.Info("bodies left the bucket", "count", len(deleted))
	if _, err := outside.Remove(ctx, s.Repo, deleted); err != nil {
		return err
	}
	own, err := outside.Own(ctx, s.Repo)
	if err != nil {
		return err
	}
	_, err = s.Repo.Bodies.Send(ctx, slices.DeleteFunc(slices.Clone(deleted), func(name string) bool { return !has(own, name) }))
	return err
}

func has(names map[string]bodies.Pointer, name string) bool {
	_, ok := names[name]
	return ok
}

// absentMonths returns the months whose content is not in this clone.
func absentMonths(ctx context.Context, s *sessionstate.Env) (months []epoch.Month, err error) {
	set, err := epoch.Load(ctx, s.Repo)
	for _, m := range set {
		_, here, err := s.Repo.Ref(ctx, m.Month.BodyRef())
		if err != nil {
			return nil, err
		}
		if !here {
			months = append(months, m.Month)
		}
	}
	return months, err
}

// sweepBodies removes from this clone the bodies that nothing needs, if something was forgotten since it last did, or
// many wait.
func sweepBodies(ctx context.Context, s *sessionstate.Env) error {
	state, err := metadata.ForgottenState(ctx, s.Repo)
	if err != nil {
		return err
	}
	before, err := s.Repo.Bodies.Swept()
	if err != nil {
		return err
	}
	waiting, err := s.Repo.Bodies.Waiting()
	if err != nil || state == before && len(waiting) < manyWaiting {
		return err
	}
	after := s.Now().Add(-freshBody)
	n, err := outside.Sweep(ctx, s.Repo, func(name string) bool { return s.Repo.Bodies.Fresh(name, after) })
	if err != nil {
		return err
	}
	s.Log.Info("bodies that nothing needs are removed", "count", n)
	return s.Repo.Bodies.SetSwept(state)
}
