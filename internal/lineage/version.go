package lineage

import (
	"context"
	"slices"

	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
)

// version is a file as a commit has it, against what that commit found.
type version struct {
	r        *Resolver
	c        *commit
	key      versionKey
	below    versionKey // the file in the parent; zero commit for none
	blob     git.OID
	exact    *attribution.RecordFile // recorded for this very blob
	exactRec *attribution.Record
	exactID  id.CheckpointID

	had     map[attribution.Print]bool // the lines below that say enough; nil until asked
	text    []byte
	trace   []int32  // the line below that each line is, or -1; nil until known
	origins []*found // of lines that the commit wrote, once they were looked for
}

// found is where a line comes from: an owner, or a line of another version.
type found struct {
	Origin
	at   versionKey // to go on from, if line is not 0
	line int
}

// versionOf describes a file in a commit whose parent, and path there, git has
// named.
func (r *Resolver) versionOf(ctx context.Context, b *blamed) (*version, error) {
	key := versionKey{b.oid, b.path}
	if v, known := r.versions[key]; known {
		return v, nil
	}
	v := &version{r: r, c: r.commits[b.oid], key: key}
	if !b.previous.IsZero() {
		v.below = versionKey{b.previous, b.previousPath}
	}
	if v.c == nil {
		return v, nil
	}
	if err := r.locate(ctx, []versionKey{key}); err != nil {
		return nil, err
	}
	v.blob = r.blobs[key]
	for _, cp := range slices.Backward(v.c.checkpoints) {
		if rec := r.records.known[cp]; rec != nil && v.exact == nil {
			if f := exactFile(rec, b.path, v.blob); f != nil {
				v.exact, v.exactRec, v.exactID = f, rec, cp
			}
		}
	}
	r.versions[key] = v
	return v, nil
}

// exactFile is what a record says of a version: of the same path, or of another
// one when the history was rewritten with its paths.
func exactFile(rec *attribution.Record, path string, blob git.OID) *attribution.RecordFile {
	if blob.IsZero() {
		return nil
	}
	if f := rec.File(recordPath(path)); f != nil && f.Blob == blob.String() {
		return f
	}
	for i := range rec.Files {
		if f := &rec.Files[i]; f.Blob == blob.String() {
			return f
		}
	}
	return nil
}

// origin says where a line of the version, from 1, comes from.
func (v *version) origin(ctx context.Context, line int) (found, error) {
	if v.c == nil {
		return found{Origin: unknown(None)}, nil
	}
	if v.exact != nil {
		if g := v.exact.At(line); g != nil && !g.Moved && !v.split() && (v.isAgent(g) || !v.several()) {
			o := v.r.records.origin(v.exactRec, v.exactID, g, Recorded)
			if doubtful, err := v.doubtful(ctx, o.Owner, g.Prints[line-g.Start]); err != nil || !doubtful {
				return found{Origin: v.c.trust(o)}, err
			}
		}
	}
	if older, err := v.older(ctx); err != nil || older {
		return found{Origin: v.c.trust(unknown(NotEnabled))}, err
	}
	if err := v.lookFor(ctx); err != nil {
		return found{}, err
	}
	if line < 1 || line > len(v.trace) {
		return found{Origin: unknown(None)}, nil
	}
	if f := v.origins[line-1]; f != nil {
		if f.line == 0 {
			f.Origin = v.c.trust(f.Origin)
		}
		return *f, nil
	}
	if i := v.trace[line-1]; i >= 0 && !v.below.commit.IsZero() {
		return found{at: v.below, line: int(i) + 1}, nil
	}
	return found{Origin: unknown(None)}, nil
}

// older reports a commit from before there was anything to record, where the tool
// was not enabled: most of a long history, and not worth reading.
func (v *version) older(ctx context.Context) (bool, error) {
	if len(v.c.checkpoints) > 0 {
		return false, nil
	}
	if err := v.r.records.list(ctx); err != nil || v.r.records.since <= v.c.Committer.When.Unix() {
		return false, err
	}
	on, err := v.r.enabled(ctx, v.c)
	return !on, err
}

func (r *records) origin(rec *attribution.Record, cp id.CheckpointID, g *attribution.Range, e Evidence) Origin {
	return Origin{Owner: rec.Owners[g.Owner], Checkpoint: cp, Evidence: e}
}

// split reports whether a new file may have been made of others' lines: something
// was removed from another file of the same commit.
func (v *version) split() bool {
	if !v.below.commit.IsZero() {
		return false
	}
	for i := range v.exactRec.Files {
		if f := &v.exactRec.Files[i]; f != v.exact && len(f.Removed) > 0 {
			return true
		}
	}
	return false
}
