package metadata

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/redact"
)

// Names that reach disk.
const (
	// tombstoneFolder has a file for each forgotten checkpoint, in folders like those of the
	// checkpoints. No shard can have this name.
	tombstoneFolder = "forgotten"

	// TombstoneVersion is the version of the file's content.
	TombstoneVersion = 1
)

// reasonMax is the most characters of a reason that are stored.
const reasonMax = 200

// Tombstone says that a checkpoint was forgotten. The existence of its file is enough: a
// tombstone that cannot be read has only an ID.
type Tombstone struct {
	Version int             `json:"version"`
	ID      id.CheckpointID `json:"checkpoint_id"`
	When    time.Time       `json:"forgotten_at"`
	Reason  string          `json:"reason,omitempty"`
}

// String returns a text for people: when the checkpoint was forgotten, and why if there is a
// reason.
func (t Tombstone) String() string {
	s := "forgotten"
	if !t.When.IsZero() {
		s += " on " + t.When.Format("2006-01-02")
	}
	if t.Reason != "" {
		s += " (" + t.Reason + ")"
	}
	return s
}

// ForgottenError is returned for a forgotten checkpoint. It is also an [ErrCheckpointNotFound].
type ForgottenError struct{ Tombstone }

func (e *ForgottenError) Error() string {
	return fmt.Sprintf("checkpoint %s was %s", e.ID, e.Tombstone)
}

// Unwrap returns ErrCheckpointNotFound.
func (e *ForgottenError) Unwrap() error { return ErrCheckpointNotFound }

// TombstonePath returns where the branch has a checkpoint's tombstone.
func TombstonePath(cp id.CheckpointID) string { return tombstoneFolder + "/" + cp.Path() }

// PlainReason returns a reason as it is stored: one line, redacted.
func PlainReason(reason string) string {
	line := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(redact.Text(reason), "\uFFFD")), " "))
	return string(line[:min(len(line), reasonMax)])
}

// Forgotten is the set of checkpoints that have a tombstone.
type Forgotten map[id.CheckpointID]bool

// Without returns the IDs that have no tombstone.
func (f Forgotten) Without(ids []id.CheckpointID) []id.CheckpointID {
	if len(f) == 0 {
		return ids
	}
	return slices.DeleteFunc(slices.Clone(ids), func(cp id.CheckpointID) bool { return f[cp] })
}

func (f Forgotten) Sorted() []id.CheckpointID {
	ids := make([]id.CheckpointID, 0, len(f))
	for cp := range f {
		ids = append(ids, cp)
	}
	slices.SortFunc(ids, id.CheckpointID.Compare)
	return ids
}

// ReadForgotten finds the tombstones below trees of the metadata branch; it skips zero trees.
// If there are none, it costs one round trip.
func ReadForgotten(rd *git.Reader, roots ...git.OID) (Forgotten, error) {
	found, err := ReadTombstones(rd, roots)
	f := make(Forgotten, len(found))
	for cp := range found {
		f[cp] = true
	}
	return f, err
}

// ReadTombstones finds the files of tombstones, each in the first tree that has it.
func ReadTombstones(rd *git.Reader, roots []git.OID) (map[id.CheckpointID]git.OID, error) {
	files, err := shardedFiles(rd, roots, tombstoneFolder)
	if err != nil {
		return nil, fmt.Errorf("read tombstones: %w", err)
	}
	found := map[id.CheckpointID]git.OID{}
	for _, e := range files {
		cp, err := id.NewCheckpointID(e.Name)
		if _, known := found[cp]; err == nil && !known && e.Mode != git.ModeTree {
			found[cp] = e.OID
		}
	}
	return found, nil
}

// DecodeTombstone uses what it can decode, because other programs write the branch, too.
func DecodeTombstone(cp id.CheckpointID, data []byte) Tombstone {
	t := Tombstone{}
	if json.Unmarshal(data, &t) != nil {
		t = Tombstone{}
	}
	t.ID, t.Reason = cp, PlainReason(t.Reason)
	return t
}

// ForgottenState returns a short text that changes whenever the local branch gets a tombstone, or something is redacted
// on it; "" if nothing ever was.
func ForgottenState(ctx context.Context, repo *git.Repo) (string, error) {
	c, ok, err := repo.Reader(ctx).CommitOf(shadow.MetadataRef)
	if err != nil || !ok {
		return "", err
	}
	state := ""
	for _, name := range []string{tombstoneFolder, redactionFolder} {
		e, found, err := repo.Reader(ctx).Path(c.Tree, name)
		if err != nil {
			return "", err
		}
		if found {
			state += name + " " + e.OID.String() + "\n"
		}
	}
	return state, nil
}
