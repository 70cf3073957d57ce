package lineage

import (
	"context"
	"slices"

	"entire/internal/attribution"
	"entire/internal/lineage/places"
	"entire/internal/pathtext"
)

// readAtOnce is how many files are read at once.
const readAtOnce = 200

// readPlaces reads the places of lines. What the cache knows is not read again.
func (r *Resolver) readPlaces(ctx context.Context) error {
	if r.baseline.places != nil {
		return nil
	}
	from := r.baseline.commit
	p := places.Read(r.opts.CacheDir)
	if p == nil || p.Baseline != from.OID {
		p = places.New(from.OID, from.Tree)
	}
	r.baseline.places = p
	head, born, err := r.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born || head.Tree == p.Tree {
		return err
	}
	changes, err := r.repo.DiffTrees(ctx, p.Tree, head.Tree, ".entire")
	if err != nil { // the tree was pruned
		if changes, err = r.repo.DiffTrees(ctx, from.Tree, head.Tree, ".entire"); err != nil {
			return err
		}
	}
	known := map[string]bool{}
	for _, path := range p.Paths {
		known[path] = true
	}
	var fresh []string
	for _, ch := range changes {
		if path := pathtext.Encode(ch.Path); !known[path] {
			fresh = append(fresh, path)
		}
	}
	p.Tree = head.Tree
	if err := r.addPlaces(ctx, p, fresh); err != nil {
		return err
	}
	p.Write(r.opts.CacheDir)
	return nil
}

// addPlaces adds the lines of further files.
func (r *Resolver) addPlaces(ctx context.Context, p *places.Places, paths []string) error {
	for some := range slices.Chunk(paths, readAtOnce) {
		keys := make([]versionKey, len(some))
		for i, path := range some {
			keys[i] = versionKey{p.Baseline, pathtext.Decode(path)}
		}
		if err := r.locate(ctx, keys); err != nil {
			return err
		}
		var oids []string
		for _, k := range keys {
			if oid := r.blobs[k]; !oid.IsZero() {
				oids = append(oids, oid.String())
			}
		}
		objs, err := r.repo.Reader(ctx).Small(attribution.MaxBytes, oids...)
		if err != nil {
			return err
		}
		for i, k := range keys {
			if r.blobs[k].IsZero() {
				continue
			}
			o := objs[0]
			objs = objs[1:]
			if o.Type != "blob" || o.Large || !attribution.Countable(o.Data) {
				continue
			}
			if p.Add(some[i], o.Data); p.Full() {
				break
			}
		}
		if p.Full() {
			break
		}
	}
	p.Sort()
	return nil
}
