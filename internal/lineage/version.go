package lineage

import (
	"context"

	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/lineage/gitblame"
	"entire/internal/pathtext"
)

// version is a file in a commit, compared with the file in the commit's parent.
type version struct {
	r        *Resolver
	c        *commit
	key      versionKey
	parent   versionKey // the file in the parent; its commit is zero for none
	blob     git.OID
	exact    *attribution.RecordFile // the record of exactly this blob
	exactRec *attribution.Record
	exactID  id.CheckpointID

	parentLines map[attribution.Print]bool // the distinctive lines of the parent's version; nil until needed
	text        []byte
	trace       []int32   // for each line its line in the parent's version, or -1; nil until known
	origins     []*source // of the lines that the commit wrote, once findOrigins has run
}

// source is the origin of a line: an owner, or a line of another version.
type source struct {
	Origin
	at   versionKey // the version to continue with, if line is not 0
	line int
}

// versionOf returns the version of a file in a commit, with the parent and the path there
// that git blame named.
func (r *Resolver) versionOf(ctx context.Context, b *gitblame.Commit) (*version, error) {
	key := versionKey{b.OID, b.Path}
	if v, known := r.versions[key]; known {
		return v, nil
	}
	v := &version{r: r, c: r.commits[b.OID], key: key}
	if !b.Parent.IsZero() {
		v.parent = versionKey{b.Parent, b.ParentPath}
	}
	if v.c == nil {
		return v, nil
	}
	if err := r.locate(ctx, []versionKey{key}); err != nil {
		return nil, err
	}
	v.blob = r.blobs[key]
	for cp, rec := range v.c.records() {
		if f := exactFile(rec, b.Path, v.blob); f != nil {
			v.exact, v.exactRec, v.exactID = f, rec, cp
			break
		}
	}
	r.versions[key] = v
	return v, nil
}

// exactFile returns the record of exactly this blob: under the same path or, if the
// history was rewritten with other paths, under any path.
func exactFile(rec *attribution.Record, path string, blob git.OID) *attribution.RecordFile {
	if blob.IsZero() {
		return nil
	}
	if f := rec.File(pathtext.Encode(path)); f != nil && f.Blob == blob.String() {
		return f
	}
	for i := range rec.Files {
		if f := &rec.Files[i]; f.Blob == blob.String() {
			return f
		}
	}
	return nil
}

// origin returns the origin of a line of the version, counted from 1.
func (v *version) origin(ctx context.Context, line int) (source, error) {
	if v.c == nil {
		return source{Origin: unknown(None)}, nil
	}
	recorded := unknown(None)
	if v.exact != nil {
		if g := v.exact.At(line); g != nil && !g.Moved && !v.maybeSplit() && (v.isAgent(g) || !v.hasSeveralRecords()) {
			o := v.r.records.origin(v.exactRec, v.exactID, g, Recorded)
			_, contradicted, err := v.earlier(ctx, o.Owner, g.Prints[line-g.Start])
			if !contradicted {
				recorded = v.c.unlessForeign(o)
			}
			sure := v.r.inHistory || o.Owner.Class == attribution.ClassAgent || o.Owner.Class == attribution.ClassHuman && !v.isNew()
			if err != nil || !contradicted && sure {
				return source{Origin: recorded}, err
			}
		}
	}
	if older, err := v.predatesRecords(ctx); err != nil || older {
		return source{Origin: v.c.unlessForeign(unknown(NotEnabled))}, err
	}
	if err := v.findOrigins(ctx); err != nil {
		return source{}, err
	}
	if line < 1 || line > len(v.trace) { // the versions cannot be compared
		return source{Origin: recorded}, nil
	}
	if f := v.origins[line-1]; f != nil {
		if f.line == 0 {
			f.Origin = v.c.unlessForeign(f.Origin)
		}
		return *f, nil
	}
	if i := v.trace[line-1]; i >= 0 && !v.parent.commit.IsZero() {
		return source{at: v.parent, line: int(i) + 1}, nil
	}
	return source{Origin: unknown(None)}, nil
}

// predatesRecords reports whether the commit is older than the first record and the tool was not
// enabled. This covers most of a long history, which is then not read.
func (v *version) predatesRecords(ctx context.Context) (bool, error) {
	if len(v.c.checkpoints) > 0 {
		return false, nil
	}
	if err := v.r.records.list(ctx); err != nil || v.r.records.oldestTime <= v.c.Committer.When.Unix() {
		return false, err
	}
	on, err := v.r.enabled(ctx, v.c)
	return !on, err
}

func (r *lineRecords) origin(rec *attribution.Record, cp id.CheckpointID, g *attribution.Range, e Evidence) Origin {
	return Origin{Owner: rec.Owners[g.Owner], Checkpoint: cp, Evidence: e}
}

// isNew reports whether the commit added the file.
func (v *version) isNew() bool { return v.parent.commit.IsZero() }

// maybeSplit reports whether lines of a new file may come from another file: the same commit
// removed lines from another file.
func (v *version) maybeSplit() bool {
	if !v.isNew() {
		return false
	}
	for i := range v.exactRec.Files {
		if f := &v.exactRec.Files[i]; f != v.exact && len(f.Removed) > 0 {
			return true
		}
	}
	return false
}
