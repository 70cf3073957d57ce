package lineage

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"path/filepath"
	"slices"

	"entire/internal/attribution"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/pathtext"
)

const (
	// placesName is the file in the cache directory that keeps the places of lines.
	placesName    = "places"
	placesVersion = 1
	// placesMax bounds the lines whose places are known. Those of further files count as written since.
	placesMax   = 500_000
	placesBytes = 64 << 20 // of the file
	// readAtOnce is how many files are read at once.
	readAtOnce = 200
)

// places says in which files lines stood when the tool was enabled. It knows the files that have changed since: only
// these can have lost a line.
type places struct {
	Version  int      `json:"version"`
	Baseline git.OID  `json:"baseline"`
	Tree     git.OID  `json:"tree"` // of HEAD, up to which changes are known
	Paths    []string `json:"paths"`
	Lines    int      `json:"lines"`

	at []uint64 // sorted: a line's print, and the index of its path in the lower half
}

// only returns the path of the one file that had a line; "" if none or several had it.
func (p *places) only(line attribution.Print) string {
	i, _ := slices.BinarySearch(p.at, uint64(line)<<32)
	if i == len(p.at) || p.at[i]>>32 != uint64(line) || i+1 < len(p.at) && p.at[i+1]>>32 == uint64(line) {
		return ""
	}
	return pathtext.Decode(p.Paths[uint32(p.at[i])])
}

// readPlaces reads the places of lines. What the cache knows is not read again.
func (r *Resolver) readPlaces(ctx context.Context) error {
	if r.baseline.places != nil {
		return nil
	}
	from := r.baseline.commit
	p := readPlacesFile(r.opts.CacheDir)
	if p == nil || p.Baseline != from.OID {
		p = &places{Version: placesVersion, Baseline: from.OID, Tree: from.Tree}
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
	p.write(r.opts.CacheDir)
	return nil
}

// addPlaces adds the lines of further files.
func (r *Resolver) addPlaces(ctx context.Context, p *places, paths []string) error {
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
			for _, line := range attribution.DistinctivePrints(o.Data) {
				p.at = append(p.at, uint64(line)<<32|uint64(len(p.Paths)))
			}
			p.Paths = append(p.Paths, some[i])
			if len(p.at) > placesMax {
				break
			}
		}
		if len(p.at) > placesMax {
			break
		}
	}
	slices.Sort(p.at)
	p.at = slices.Compact(p.at)
	return nil
}

func readPlacesFile(dir string) *places {
	if dir == "" {
		return nil
	}
	data, err := durable.Read(filepath.Join(dir, placesName), placesBytes)
	if err != nil {
		return nil
	}
	head, rest, _ := bytes.Cut(data, []byte{'\n'})
	var p places
	if json.Unmarshal(head, &p) != nil || p.Version != placesVersion || len(rest) != 8*p.Lines {
		return nil
	}
	for ; len(rest) > 0; rest = rest[8:] {
		at := binary.BigEndian.Uint64(rest)
		if int(uint32(at)) >= len(p.Paths) {
			return nil
		}
		p.at = append(p.at, at)
	}
	return &p
}

// write stores the places in the cache. Errors are ignored: without the file, the next run takes longer.
func (p *places) write(dir string) {
	p.Lines = len(p.at)
	head, err := json.Marshal(p)
	if dir == "" || err != nil {
		return
	}
	data := append(head, '\n')
	for _, at := range p.at {
		data = binary.BigEndian.AppendUint64(data, at)
	}
	_ = durable.WriteCache(filepath.Join(dir, placesName), data, 0o600)
}
