package strategy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/session"
)

var (
	// ErrCommitMissing is returned for a parcel that builds on a commit which is not
	// here.
	ErrCommitMissing = errors.New("a commit that it builds on is missing here")

	// ErrOtherHead is returned where HEAD is another commit than the worktree in the
	// parcel stands on. The commit is here, and kept.
	ErrOtherHead = errors.New("HEAD is another commit than where the work was")

	// ErrDirty is returned where there is uncommitted work that is not in the parcel.
	ErrDirty = errors.New("there is uncommitted work here")

	// ErrAtWork is returned where the session is in the middle of a turn.
	ErrAtWork = errors.New("the session is in the middle of a turn here")

	// ErrBadParcel is returned, wrapped, for a parcel with something in it that no
	// sender puts there.
	ErrBadParcel = errors.New("it is refused")
)

// maxLanding is how many bytes the changed files of a worktree may have.
const maxLanding = 4 << 30

// Landing is a parcel that has arrived, and what is to become of it. Nothing of it
// is in the repository before Release.
type Landing struct {
	Parcel
	s   *ManualCommitStrategy
	q   *git.Quarantine
	tip git.Commit
}

// Land begins to take in a parcel: what its head says of it.
func (s *ManualCommitStrategy) Land(ctx context.Context, p Parcel) (*Landing, error) {
	format := "sha1"
	if s.repo.SHA256 {
		format = "sha256"
	}
	if p.Format != format {
		return nil, fmt.Errorf("its repository has %s objects, this one %s", p.Format, format)
	}
	if p.Worktree && s.repo.Top == "" {
		return nil, errors.New("a bare repository has no files to go on with")
	}
	q, err := s.repo.Quarantine()
	if err != nil {
		return nil, err
	}
	return &Landing{Parcel: p, s: s, q: q}, nil
}

// Close throws away what was not released.
func (l *Landing) Close() error { return l.q.Close() }

// Missing are the commits that the parcel needs and that are not here.
func (l *Landing) Missing(ctx context.Context) (missing []git.OID, err error) {
	for _, oid := range l.Needs {
		_, there, err := l.s.repo.Reader(ctx).CommitOf(oid.String())
		if err != nil {
			return nil, err
		}
		if !there {
			missing = append(missing, oid)
		}
	}
	return missing, nil
}

// Bring asks the remotes for the branch that the session worked on, as `entire
// resume` does, and returns what is missing then.
func (l *Landing) Bring(ctx context.Context, req ResumeRequest) ([]git.OID, error) {
	remotes, err := l.s.preferredRemotes(ctx)
	if err != nil {
		return nil, err
	}
	missing, err := l.Missing(ctx)
	for _, remote := range remotes {
		if len(missing) == 0 || err != nil {
			return missing, err
		}
		if l.Branch != "" {
			if req.Say != nil {
				req.Say("Fetching " + l.Branch + " from " + remote + "...")
			}
			ferr := l.s.fetchInto(ctx, req, remote, "refs/heads/"+l.Branch, "refs/remotes/"+remote+"/"+l.Branch)
			if ferr != nil {
				l.s.Log.Info("branch not fetched", "remote", remote, "branch", l.Branch, "err", ferr)
			}
		}
		missing, err = l.Missing(ctx)
	}
	return missing, err
}

// TakePack takes in git's part of the parcel.
func (l *Landing) TakePack(ctx context.Context, pack io.Reader, max int64) error {
	if err := l.q.Take(ctx, pack, max); err != nil {
		return fmt.Errorf("%w: %w", ErrBadParcel, err)
	}
	return nil
}

// Check makes sure that the parcel is whole, and that its files can be put where
// they say. Nothing is changed.
func (l *Landing) Check(ctx context.Context) error {
	var tips []git.OID
	for _, oid := range []git.OID{l.Tip, l.Metadata} {
		if !oid.IsZero() {
			tips = append(tips, oid)
		}
	}
	if len(tips) == 0 {
		return nil
	}
	bad := func(err error) error { return fmt.Errorf("%w: %w", ErrBadParcel, err) }
	if !l.Head.IsZero() && !l.Tip.IsZero() {
		tips = append(tips, l.Head)
	}
	if err := l.q.Complete(ctx, tips...); err != nil {
		return bad(err)
	}
	if l.Tip.IsZero() {
		return nil
	}
	var err error
	if l.tip, err = l.commit(ctx, l.Tip); err != nil {
		return bad(err)
	}
	info := checkpoint.ParseStep(l.tip.Message)
	switch {
	case info.Kind == "":
		return bad(fmt.Errorf("%s is no step", l.Tip.Short()))
	case info.Base != l.Head:
		return bad(fmt.Errorf("step %s stands on another commit than it says", l.Tip.Short()))
	case !info.Session.IsZero() && info.Session != l.Session && l.Worktree:
		return bad(fmt.Errorf("step %s is another session's", l.Tip.Short()))
	}
	if err := l.checkFiles(ctx); err != nil {
		return bad(err)
	}
	if _, err := l.state(); err != nil {
		return bad(err)
	}
	return nil
}

// commit reads a commit that is in quarantine.
func (l *Landing) commit(ctx context.Context, oid git.OID) (git.Commit, error) {
	data, err := l.q.Run(ctx, "cat-file", "commit", oid.String())
	if err != nil {
		return git.Commit{}, err
	}
	return git.ParseCommit(oid, data)
}

func (l *Landing) checkFiles(ctx context.Context) error {
	changes, err := l.changes(ctx)
	if err != nil {
		return err
	}
	if err := l.checkSizes(ctx, changes); err != nil {
		return err
	}
	return checkCarried(ctx, carriedTree{
		changes: changes,
		paths:   func(ctx context.Context) ([]byte, error) { return l.q.Run(ctx, lsTree(l.tip.Tree)...) },
		link: func(ctx context.Context, oid git.OID) ([]byte, error) {
			return l.q.Run(ctx, "cat-file", "blob", oid.String())
		},
	})
}

// changes is what the tip changes against HEAD's commit.
func (l *Landing) changes(ctx context.Context) ([]git.Change, error) {
	out, err := l.q.Run(ctx, "diff-tree", "-r", "-z", "--no-renames", l.Head.String(), l.Tip.String())
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var changes []git.Change
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) != 5 {
			return nil, fmt.Errorf("git diff-tree: %.80q", fields[i])
		}
		was, err1 := strconv.ParseUint(f[0], 8, 32)
		is, err2 := strconv.ParseUint(f[1], 8, 32)
		old, err3 := git.ParseOID(f[2])
		oid, err4 := git.ParseOID(f[3])
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return nil, err
		}
		changes = append(changes, git.Change{Path: fields[i+1], OldMode: uint32(was), NewMode: uint32(is), Old: old, New: oid})
	}
	return slices.DeleteFunc(changes, func(c git.Change) bool { return ownPath(c.Path) }), nil
}

// checkSizes refuses files that are much larger than the parcel.
func (l *Landing) checkSizes(ctx context.Context, changes []git.Change) error {
	var in bytes.Buffer
	for _, c := range changes {
		if c.NewMode != 0 && c.NewMode != git.ModeGitlink {
			fmt.Fprintf(&in, "%s\n", c.New)
		}
	}
	out, err := l.q.RunInput(ctx, in.Bytes(), "cat-file", "--batch-check=%(objectsize)")
	if err != nil {
		return err
	}
	var sum int64
	for _, text := range strings.Fields(string(out)) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("git cat-file: %.40q", text)
		}
		if sum += n; sum > maxLanding || sum < 0 {
			return fmt.Errorf("its files have more than %s", inMiB(maxLanding))
		}
	}
	return nil
}

// state is the session's, with nothing in it that leads elsewhere; nil for none.
func (l *Landing) state() (*carriedState, error) {
	if len(l.State) == 0 {
		return nil, nil
	}
	c := new(carriedState)
	if err := json.Unmarshal(l.State, c); err != nil {
		return nil, err
	}
	if c.State == nil || c.State.SessionID != l.Session {
		return nil, errors.New("the state is another session's")
	}
	for _, p := range append(textPaths(c.State.FilesTouched), textPaths(c.State.UntrackedFilesAtStart)...) {
		if err := durable.CheckPath(p); err != nil {
			return nil, err
		}
	}
	if c.Side.Turns < 0 || c.State.CheckpointCount < 0 || c.State.CheckpointTranscriptStart < 0 {
		return nil, errors.New("a number in the state is negative")
	}
	return c, nil
}

// Files are those that applying the parcel's worktree changes against HEAD's commit.
func (l *Landing) Files(ctx context.Context) ([]PlannedChange, error) {
	changes, err := l.changes(ctx)
	var list []PlannedChange
	for _, c := range changes {
		list = append(list, PlannedChange{Path: c.Path, Action: actionOf(c), Insertions: -1, Deletions: -1, change: c})
	}
	return list, err
}

// Release makes the parcel's objects the repository's and adds the session's
// checkpoints to those here. Nothing of the user's is changed.
func (l *Landing) Release(ctx context.Context) error {
	if err := l.Keep(ctx); err != nil {
		return err
	}
	if l.Metadata.IsZero() {
		return nil
	}
	_, err := checkpoint.Merge(ctx, l.s.repo, l.Metadata)
	return err
}

// Keep makes the parcel's objects the repository's, under refs of ours.
func (l *Landing) Keep(ctx context.Context) error {
	if err := l.q.Release(); err != nil {
		return err
	}
	if !l.Tip.IsZero() {
		if err := l.s.setRef(ctx, receivedRef(l.Session), l.Tip); err != nil {
			return err
		}
	}
	if l.Ahead > 0 || l.Worktree {
		if err := l.s.setRef(ctx, receivedRef(l.Session)+"-head", l.Head); err != nil {
			return err
		}
	}
	return nil
}

// receivedRef keeps what was received of a session.
func receivedRef(sid id.SessionID) string { return "refs/entire/received/" + sid.String() }

// setRef makes a ref of ours name a commit, whatever it named.
func (s *ManualCommitStrategy) setRef(ctx context.Context, name string, oid git.OID) error {
	for {
		old, _, err := s.repo.Ref(ctx, name)
		if err != nil || old == oid {
			return err
		}
		err = s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: name, New: oid, Old: old}})
		if !errors.Is(err, git.ErrRefMoved) {
			return err
		}
	}
}

// MayApply makes sure that the worktree of the parcel can be applied: HEAD is the commit
// that it stands on, and nothing is uncommitted here that is not in the parcel, unless
// replace. done says that the worktree is as in the parcel already.
func (l *Landing) MayApply(ctx context.Context, replace bool) (done bool, err error) {
	head, _, err := l.s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return false, err
	}
	if head.OID != l.Head {
		return false, ErrOtherHead
	}
	st, err := l.s.store.Load(ctx, l.Session)
	if err == nil && st.Phase == session.PhaseActive {
		return false, ErrAtWork
	}
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return false, err
	}
	now, err := l.s.now(ctx)
	if err != nil {
		return false, err
	}
	tree, err := l.s.repo.EditTree(ctx, head.Tree, now.files.edits())
	if err != nil {
		return false, err
	}
	if err := l.s.repo.Writer().Sync(); err != nil {
		return false, err
	}
	c := l.tip
	for n := 0; n < stepsScanned; n++ { // what is here may be what was sent once, and came back
		same, err := l.sameFiles(ctx, tree, c.Tree)
		if err != nil {
			return false, err
		}
		if same {
			return n == 0, nil
		}
		if len(now.files) == 0 || replace || len(c.Parents) == 0 {
			break
		}
		if c, err = l.commit(ctx, c.Parents[0]); err != nil {
			return false, err
		}
	}
	if len(now.files) > 0 && !replace {
		return false, fmt.Errorf("%w: %s", ErrDirty, someOf(now.files))
	}
	return false, nil
}

// sameFiles reports whether two trees have the same files, our own folder aside.
func (l *Landing) sameFiles(ctx context.Context, a, b git.OID) (bool, error) {
	out, err := l.q.Run(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", a.String(), b.String())
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" && !ownPath(name) {
			return false, err
		}
	}
	return err == nil, err
}

// someOf names a few files.
func someOf(files fileStates) string {
	const some = 3
	var names []string
	for _, f := range files[:min(len(files), some)] {
		names = append(names, pathText(f.path))
	}
	if more := len(files) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// PlanApply plans how the worktree becomes that of the parcel: by a rewind to its
// tip.
func (l *Landing) PlanApply(ctx context.Context) (*RewindPlan, error) {
	points, err := l.s.stepPoints(ctx, []step{{l.tip, checkpoint.ParseStep(l.tip.Message)}})
	if err != nil {
		return nil, err
	}
	return l.s.PlanRewind(ctx, points[0], Scope{Kind: ScopeTree, SkipTalk: true})
}

// Apply carries a plan out, with the session as one of this worktree: its steps are on
// the branch, and its state goes on from there. With a nil plan the files are in
// place already. If the files cannot be put in place, the session is what it was.
func (l *Landing) Apply(ctx context.Context, plan *RewindPlan, transcript string) (out *RewindOutcome, err error) {
	if err := l.adoptSteps(ctx); err != nil {
		return nil, err
	}
	back, err := l.adoptState(ctx, transcript)
	if err != nil {
		return nil, err
	}
	if plan == nil {
		return &RewindOutcome{SessionID: l.Session.String()}, nil
	}
	out, err = l.s.Rewind(ctx, plan)
	if err != nil {
		return nil, errors.Join(err, back())
	}
	return out, nil
}

// adoptSteps puts the parcel's steps on this worktree's branch for HEAD. Where other
// steps are there already, theirs stay, and the parcel's are set aside.
func (l *Landing) adoptSteps(ctx context.Context) error {
	ref := l.s.shadowRef(l.Head)
	for {
		tip, exists, err := l.s.repo.Reader(ctx).CommitOf(ref)
		if err != nil {
			return err
		}
		update := git.RefUpdate{Name: ref, New: l.Tip, Old: tip.OID}
		if exists {
			have, err := l.s.isBelow(ctx, l.Tip, tip)
			if err != nil || have {
				return err
			}
			grown, err := l.s.isBelow(ctx, tip.OID, l.tip)
			if err != nil {
				return err
			}
			if !grown {
				return l.s.setRef(ctx, orphanRef(ref, l.Tip), l.Tip)
			}
		}
		err = l.s.repo.UpdateRefs(ctx, []git.RefUpdate{update})
		if !errors.Is(err, git.ErrRefMoved) {
			return err
		}
	}
}

// hasCommit reports whether a text is the ID of a commit that is here.
func (s *ManualCommitStrategy) hasCommit(ctx context.Context, text string) bool {
	oid, err := git.ParseOID(text)
	if err != nil || oid.IsZero() {
		return false
	}
	_, there, err := s.repo.Reader(ctx).CommitOf(oid.String())
	return err == nil && there
}

// adoptState makes the session one of this worktree. back undoes that.
func (l *Landing) adoptState(ctx context.Context, transcript string) (back func() error, err error) {
	carried, err := l.state()
	if err != nil || carried == nil {
		return func() error { return nil }, err
	}
	o, err := l.s.openSession(ctx, l.Session)
	if err != nil {
		return nil, err
	}
	defer o.close()
	if o.state.Phase == session.PhaseActive {
		return nil, ErrAtWork
	}
	wasNew, was, wasSide := o.isNew, o.state, o.side
	st, moved := carried.State, carried.Side
	st.WorktreePath, st.WorktreeID, st.TranscriptPath = pathText(l.s.repo.Top), l.s.repo.WorktreeID, transcript
	st.CLIVersion, st.Phase, st.EndedAt, st.TurnCheckpointIDs = l.s.Version, session.PhaseIdle, nil, nil
	st.BaseCommit = l.Head.String()
	if !l.s.hasCommit(ctx, st.AttributionBaseCommit) {
		st.AttributionBaseCommit = st.BaseCommit
	}
	moved.Version, moved.Author, moved.Tip, moved.Capture = 1, wasSide.Author, l.Tip, capture{}
	o.state, o.side = st, moved
	if err := l.s.save(ctx, o); err != nil {
		return nil, err
	}
	return func() error {
		ctx := context.WithoutCancel(ctx)
		o, err := l.s.openSession(ctx, l.Session)
		if err != nil {
			return err
		}
		defer o.close()
		if wasNew {
			return l.s.store.Remove(ctx, l.Session)
		}
		o.state, o.side = was, wasSide
		return l.s.save(ctx, o)
	}, nil
}
