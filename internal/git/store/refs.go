package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/durable"
	"entire/internal/git/object"
)

// HexOrZeros returns the form for update-ref: zeros for "no object".
func (r *Repo) HexOrZeros(o object.OID) string {
	if !o.IsZero() {
		return o.String()
	}
	return fmt.Sprintf("%0*d", 2*r.HashLen(), 0)
}

// ErrRefMoved is returned by UpdateRefs if a ref no longer has the value that the caller
// read. The caller should read it again and build on the new value.
var ErrRefMoved = errors.New("ref moved")

// lockTries bounds how often a transaction that met another git's lock is tried again.
const lockTries = 10

// Ref is a ref and the object it names.
type Ref struct {
	Name string
	OID  object.OID
}

// RefUpdate moves one full ref name from Old to New. A zero New deletes the
// ref; a zero Old means it must not exist yet.
type RefUpdate struct {
	Name     string
	New, Old object.OID
}

// UpdateRefs applies updates in one transaction: all or none. It first makes durable what
// the Repo wrote. It never follows a symbolic ref. It returns [ErrRefMoved] if a ref had
// another value, and nil if all of them already have the new one. Refs of this program are
// moved without git where git would do nothing else. What one of this program's refs
// reached outlives the ref's deletion by git's usual two weeks, whatever its age.
func (r *Repo) UpdateRefs(ctx context.Context, updates []RefUpdate) error {
	r.freshenDropped(ctx, updates)
	if err := r.SyncPending(); err != nil {
		return err
	}
	for _, u := range updates {
		if err := r.checkRefFile(u.Name); err != nil {
			return fmt.Errorf("update %w", err)
		}
	}
	if len(updates) == 0 {
		return nil
	}
	updates, err := r.moveInFiles(ctx, updates)
	if err != nil || len(updates) == 0 {
		return err
	}
	flags, stuck := DurableConfig, r.PackedLockLeft()
	if stuck {
		flags = append(slices.Clip(flags), "-c", "core.packedRefsTimeout=0")
	}
	for try := 0; ; try++ {
		in, err := r.transaction(updates)
		if err != nil {
			return err
		}
		c := r.Command(strings.NewReader(in))
		// An agent kills a slow hook with its whole process group. A git killed here would
		// leave lock files that block every later transaction; if it lives, it commits
		// what it received, or cleans up when its input ends.
		c.Flags, c.Apart = flags, true
		if _, err = c.Output(ctx, "update-ref", "--no-deref", "--stdin"); err == nil {
			return nil
		}
		left, moved, rerr := r.compareRefs(ctx, updates)
		switch {
		case rerr != nil || ctx.Err() != nil:
			return fmt.Errorf("update refs: %w", errors.Join(err, rerr))
		case len(left) == 0:
			return nil
		case moved != "":
			return fmt.Errorf("update %s: %w", moved, ErrRefMoved)
		case try >= lockTries || forGood(err) || stuck && strings.Contains(err.Error(), packedRefsFile+".lock"):
			return fmt.Errorf("update refs: %w", err)
		}
		updates = left // after a full disk, for example, git has moved some
		r.breakStaleLocks(updates)
		if err := durable.Pause(ctx, time.Duration(5+rand.IntN(45))*time.Millisecond); err != nil {
			return err
		}
		// The lock of packed-refs may have become old enough to count as left by a git that died.
		if updates, err = r.moveInFiles(ctx, updates); err != nil || len(updates) == 0 {
			return err
		}
	}
}

// StaleLock is the age from which a lock on one of this program's refs belongs to a git
// that died: a transaction takes milliseconds.
const StaleLock = 10 * time.Second

// breakStaleLocks removes the locks that a power cut left on refs that only this program
// writes. Locks on anything else are the user's.
func (r *Repo) breakStaleLocks(updates []RefUpdate) {
	for _, u := range updates {
		if !ours(u.Name) {
			continue
		}
		r.breakStale(filepath.Join(r.CommonDir, filepath.FromSlash(u.Name)+".lock"))
	}
	if r.OwnPackedLock() {
		r.breakStale(filepath.Join(r.CommonDir, packedRefsFile+".lock"))
	}
}

// transaction returns the input of update-ref.
func (r *Repo) transaction(updates []RefUpdate) (string, error) {
	var in strings.Builder
	in.WriteString("start\n")
	for _, u := range updates {
		if err := ValidRef(u.Name); err != nil {
			return "", err
		}
		if u.New.IsZero() {
			fmt.Fprintf(&in, "delete %s %s\n", u.Name, r.HexOrZeros(u.Old))
		} else {
			fmt.Fprintf(&in, "update %s %s %s\n", u.Name, u.New, r.HexOrZeros(u.Old))
		}
	}
	in.WriteString("prepare\ncommit\n")
	return in.String(), nil
}

// forGood reports whether an error is permanent, so that another try is useless. It only
// saves time: an unknown message leads to another try.
func forGood(err error) bool {
	msg := err.Error()
	for _, reason := range []string{
		"cannot create", "nonexistent object", "non-commit object", "aborted by hook", "reference-transaction hook", "quarantine", "invalid ref format", "bad name",
	} {
		if strings.Contains(msg, reason) {
			return true
		}
	}
	return false
}

// compareRefs returns, after a failed transaction, the updates whose refs do not have their new values, and which ref no
// longer has its old one.
func (r *Repo) compareRefs(ctx context.Context, updates []RefUpdate) (left []RefUpdate, moved string, err error) {
	for _, u := range updates {
		now, _, err := r.Ref(ctx, u.Name)
		if err != nil {
			return nil, "", err
		}
		if now == u.New {
			continue
		}
		left = append(left, u)
		if now != u.Old {
			moved = u.Name
		}
	}
	return left, moved, nil
}

func ValidRef(name string) error {
	if !strings.HasPrefix(name, "refs/") || strings.ContainsAny(name, " \n\x00") {
		return fmt.Errorf("ref name %q is not valid", object.Clip(name))
	}
	return nil
}

// Ref reads one ref; ok is false if it does not exist.
func (r *Repo) Ref(ctx context.Context, name string) (oid object.OID, ok bool, err error) {
	refs, err := r.Refs(ctx, name)
	if err != nil {
		return object.OID{}, false, err
	}
	for _, ref := range refs {
		if ref.Name == name {
			return ref.OID, true, nil
		}
	}
	return object.OID{}, false, nil
}

// Refs returns the refs below prefixes (full names, or folders of names), sorted.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) ([]Ref, error) {
	prefix := strings.Join(prefixes, ", ")
	if r.Reader(ctx).files != nil {
		switch refs, err := r.fileRefs(prefixes...); {
		case err == nil:
			return refs, nil
		case errors.Is(err, durable.ErrNoFile):
			return nil, fmt.Errorf("list refs below %s: %w", prefix, err)
		}
	}
	out, err := r.Run(ctx, append([]string{"for-each-ref", "--format=%(refname)%00%(objectname)"}, prefixes...)...)
	if err != nil {
		return nil, fmt.Errorf("list refs below %s: %w", prefix, err)
	}
	var refs []Ref
	for _, line := range strings.Split(string(out), "\n") {
		name, hex, ok := strings.Cut(line, "\x00")
		if !ok {
			continue
		}
		oid, err := object.ParseOID(hex)
		if err != nil {
			return nil, fmt.Errorf("list refs below %s: %w", prefix, err)
		}
		refs = append(refs, Ref{Name: name, OID: oid})
	}
	return refs, nil
}

// HooksDir returns the folder of git's hooks. custom is true if core.hooksPath set it.
func (r *Repo) HooksDir(ctx context.Context) (dir string, custom bool, err error) {
	got, err := r.Config(ctx, "core.hookspath")
	if err != nil {
		return "", false, fmt.Errorf("find hooks: %w", err)
	}
	if _, set := got["core.hookspath"]; !set {
		return filepath.Join(r.CommonDir, "hooks"), false, nil
	}
	out, err := r.Run(ctx, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
	if err != nil {
		return "", false, fmt.Errorf("find hooks: %w", err)
	}
	return strings.TrimSuffix(string(out), "\n"), got["core.hookspath"] != "", nil
}

// Identity returns the user's configured name and e-mail as git would write them into a
// commit now, or Unknown <unknown@local> if there is none.
func (r *Repo) Identity(ctx context.Context) object.Signature {
	if c, ok := r.gitConfig(); ok {
		if name, email, ok := c.Who("author"); ok {
			return object.Signature{Name: name, Email: email}
		}
	}
	out, err := r.Run(ctx, "var", "GIT_AUTHOR_IDENT")
	if err != nil {
		return object.Signature{Name: "Unknown", Email: "unknown@local"}
	}
	sig := object.ParseSignature(strings.TrimSpace(string(out)))
	return object.Signature{Name: sig.Name, Email: sig.Email}
}
