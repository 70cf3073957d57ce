package audit

import (
	"context"
	"fmt"
	"hash"
	"runtime"
	"sync"

	"entire/internal/git"
)

const (
	// batchObjects and smallObject bound what is in memory: objects that are read at once, and the bytes of each. A larger
	// object is read alone.
	batchObjects = 256
	smallObject  = 256 << 10

	// keptObjects bounds what git's reader keeps.
	keptObjects = 4096
)

// objects reads objects of the branch as they are stored, sealed or not. Workers hash each of them once, and do other tasks.
type objects struct {
	ctx  context.Context
	repo *git.Repo
	seen map[git.OID]bool

	tasks   chan func(hash.Hash)
	workers sync.WaitGroup
	mu      sync.Mutex
	bad     map[git.OID]string // why an object is not what its name says
	bytes   int64
}

func newObjects(ctx context.Context, repo *git.Repo) *objects {
	o := &objects{ctx: ctx, repo: repo, seen: map[git.OID]bool{}, tasks: make(chan func(hash.Hash), 2*batchObjects), bad: map[git.OID]string{}}
	for range runtime.GOMAXPROCS(0) {
		o.workers.Go(func() {
			h := repo.NewHash()
			for task := range o.tasks {
				task(h)
			}
		})
	}
	return o
}

// finish waits for the workers.
func (o *objects) finish() {
	close(o.tasks)
	o.workers.Wait()
}

func (o *objects) check(h hash.Hash, one git.Object) {
	if oid := git.ObjectOID(h, one.Type, one.Data); oid != one.OID {
		o.damaged(one.OID, "its content is not the one that its name stands for")
	}
}

func (o *objects) damaged(oid git.OID, why string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bad[oid] == "" {
		o.bad[oid] = why
	}
}

// read returns objects in the order of their names, without Type where one cannot be read, and has those hashed that
// were not read before.
func (o *objects) read(oids []git.OID) ([]git.Object, error) {
	out := make([]git.Object, len(oids))
	for from := 0; from < len(oids); from += batchObjects {
		to := min(from+batchObjects, len(oids))
		if err := o.batch(oids[from:to], out[from:to]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// batch reads objects into out, and has each checked once. Git gives up at a damaged one, so that the batch
// then asks for each alone.
func (o *objects) batch(oids []git.OID, out []git.Object) error {
	specs := make([]string, len(oids))
	for i, oid := range oids {
		specs[i] = oid.String()
	}
	rd := o.repo.Reader(o.ctx)
	got, err := rd.RawSmall(smallObject, specs...)
	for i := range oids {
		var one git.Object
		switch {
		case err != nil || got[i].Large || got[i].Type == "": // git gave up at a damaged object: ask for each
			if alone, err := o.repo.Reader(o.ctx).Raw(specs[i]); err == nil {
				one = alone[0]
			}
		default:
			one = got[i]
		}
		if err := o.ctx.Err(); err != nil {
			return err
		}
		if one.Type == "" {
			o.damaged(oids[i], "it is missing or damaged")
			continue
		}
		out[i] = one
		if !o.seen[oids[i]] {
			o.seen[oids[i]] = true
			o.bytes += int64(len(one.Data))
			o.tasks <- func(h hash.Hash) { o.check(h, one) }
		}
	}
	o.repo.Reader(o.ctx).Trim(keptObjects)
	return nil
}

// trees reads trees; nil for one that cannot be read.
func (o *objects) trees(oids []git.OID) ([][]git.TreeEntry, error) {
	got, err := o.read(oids)
	if err != nil {
		return nil, err
	}
	out := make([][]git.TreeEntry, len(oids))
	for i, one := range got {
		if one.Type == "" {
			continue
		}
		if one.Type != "tree" {
			o.damaged(oids[i], fmt.Sprintf("it is a %s in the place of a folder", one.Type))
			continue
		}
		if out[i], err = git.ParseTree(one.Data, o.repo.HashLen()); err != nil {
			o.damaged(oids[i], "it is no folder that can be read")
		}
	}
	return out, nil
}

// below reads everything below some entries, and returns those of the objects that are damaged.
func (o *objects) below(entries []git.TreeEntry) error {
	for len(entries) > 0 {
		var folders, files []git.OID
		for _, e := range entries {
			switch {
			case o.seen[e.OID]:
			case e.Mode == git.ModeTree:
				folders = append(folders, e.OID)
			case e.Mode != git.ModeGitlink:
				files = append(files, e.OID)
			}
		}
		if _, err := o.read(files); err != nil {
			return err
		}
		lists, err := o.trees(folders)
		if err != nil {
			return err
		}
		entries = nil
		for _, list := range lists {
			entries = append(entries, list...)
		}
	}
	return nil
}
