package maintain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// Holds says which sessions of a repository must not be cleaned up, and why.
type Holds struct {
	// All is why no session may be cleaned up, "" if there is no such reason.
	All string
	// By is why a session may not be cleaned up, by its ID.
	By map[string]string
	// Known are the sessions that have a state here.
	Known map[string]bool
}

// Why returns why a session may not be cleaned up, "" if it may.
func (h Holds) Why(sessionID string) string {
	if h.All != "" {
		return h.All
	}
	return h.By[sessionID]
}

// openAfter is how long a session that nobody ended counts as open after its last interaction.
const openAfter = 24 * time.Hour

// FindHolds looks in the whole repository, with all its worktrees, for sessions that are active or
// whose work is in no commit yet. It reads the states and every step, including those that were
// set aside. It changes nothing.
func FindHolds(ctx context.Context, s *sessionstate.Env) (Holds, error) {
	h := Holds{By: map[string]string{}, Known: map[string]bool{}}
	states, bad, err := s.Store.List(ctx)
	if err != nil {
		return h, err
	}
	if len(bad) > 0 {
		h.All = "the state of a session cannot be read (" + bad[0].Name + ")"
	}
	for _, st := range states {
		h.Known[st.SessionID.String()] = true
		if why := HoldsState(s.Store, st, s.Now()); why != "" {
			h.By[st.SessionID.String()] = why
		}
	}
	under, err := rewindsUnderWay(s)
	if err != nil {
		return h, err
	}
	if under {
		h.All = "a rewind was interrupted here and is not finished"
	}
	return h, holdSteps(ctx, s, h.By)
}

// HoldsState returns why a session with this state in a store may not be cleaned up, "" if it
// may.
func HoldsState(store *session.StateStore, st *session.State, now time.Time) string {
	last := st.StartedAt
	if st.LastInteractionTime != nil && st.LastInteractionTime.After(last) {
		last = *st.LastInteractionTime
	}
	switch {
	case st.Phase == session.PhaseActive:
		return "it is in the middle of a turn"
	case len(st.FilesTouched) > 0 || st.CheckpointCount > committedCount(store, st):
		return "it has work that is in no commit"
	case len(st.TurnCheckpointIDs) > 0:
		return "a checkpoint of it is not complete"
	case st.EndedAt == nil && now.Sub(last) < openAfter:
		return "it has not ended"
	}
	return ""
}

// holdSteps finds the sessions of every step that is not in a commit, on shadow branches and on
// refs that were set aside, and of transcripts that no step holds yet.
func holdSteps(ctx context.Context, s *sessionstate.Env, by map[string]string) error {
	for _, prefix := range []string{"refs/heads/" + shadow.BranchPrefix, "refs/entire/"} {
		refs, err := s.Repo.Refs(ctx, prefix)
		if err != nil {
			return err
		}
		for _, ref := range refs {
			dir, rest := step.SplitOwnRef(ref.Name)
			switch {
			case !strings.HasPrefix(ref.Name, "refs/entire/") && !shadow.LooksLikeShadowRef(ref.Name):
				continue
			case dir == "backlog" || dir == "tasks":
				by[rest] = "a part of its transcript is in no checkpoint yet"
				continue
			case strings.HasPrefix(ref.Name, "refs/entire/") && dir != "orphans":
				continue
			}
			if err := holdStepsOf(ctx, s, ref, by); err != nil {
				return err
			}
		}
	}
	return nil
}

// holdStepsOf finds the sessions of the steps in a ref's history.
func holdStepsOf(ctx context.Context, s *sessionstate.Env, ref git.Ref, by map[string]string) error {
	log, err := s.Repo.Log(ctx, ref.OID.String(), heldStepsMax)
	if err != nil {
		return fmt.Errorf("read the steps of %s: %w", ref.Name, err)
	}
	for _, c := range log {
		for _, sid := range shadow.ParseStep(c.Message).Sessions {
			if by[sid.String()] == "" {
				by[sid.String()] = "it has steps that are in no commit"
			}
		}
	}
	return nil
}

// heldStepsMax bounds how many steps of a branch are read.
const heldStepsMax = 100_000

// rewindsUnderWay reports whether any worktree has the journal of an unfinished rewind.
func rewindsUnderWay(s *sessionstate.Env) (bool, error) {
	worktrees, err := filepath.Glob(filepath.Join(s.Repo.CommonDir, "worktrees", "*"))
	if err != nil {
		return false, err
	}
	for _, dir := range append(worktrees, s.Repo.CommonDir, s.Repo.GitDir) {
		_, err := os.Lstat(filepath.Join(dir, "entire", "rewind.json"))
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return false, nil
}

// committedCount returns how many of a session's checkpoints auto-commit has committed.
func committedCount(store *session.StateStore, st *session.State) int {
	var sd sessionstate.EngineState
	if st.CheckpointCount == 0 || store.LoadSide(st.SessionID, sessionstate.EngineStateName, &sd) != nil {
		return 0
	}
	return sd.AutoCommit.StepsAtCommit
}
