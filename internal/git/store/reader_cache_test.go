package store

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

// What was read once is answered without git, and is what git would answer.
func TestObjectsAreReadOnce(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{"small": "x\n", "large": strings.Repeat("y", keptObject+1)}))
	repo, err := Discover(context.Background(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	rd := repo.Reader(context.Background())
	head, ok, err := rd.CommitOf("HEAD")
	if err != nil || !ok {
		t.Fatal(err)
	}
	small, large := r.Git("rev-parse", "HEAD:small"), r.Git("rev-parse", "HEAD:large")
	for range 2 {
		objs, err := rd.Objects(head.OID.String(), head.Tree.String(), small, large)
		if err != nil {
			t.Fatal(err)
		}
		for i, kind := range []string{"commit", "tree", "blob", "blob"} {
			if objs[i].Type != kind || repo.hashObject(objs[i]) != objs[i].OID {
				t.Errorf("object %d: %s %s", i, objs[i].Type, objs[i].OID)
			}
		}
	}
	if _, ok := rd.known(large); ok {
		t.Error("a large object is kept")
	}
	if objs, err := rd.Small(1, small); err != nil || !objs[0].Large || objs[0].Data != nil {
		t.Errorf("beyond the limit: %+v, %v", objs, err)
	}
	rd.Trim(100)
	if _, ok := rd.known(small); !ok {
		t.Error("a cache below its limit was emptied")
	}
	rd.Trim(1)
	if _, ok := rd.known(small); ok {
		t.Error("a cache above its limit was not emptied")
	}
	if _, ok, err := rd.CommitOf("HEAD"); err != nil || !ok {
		t.Errorf("after the cache was emptied: %v", err)
	}
	_, _ = rd.stop()
	rd.ctx = canceled()
	if c, ok, err := rd.CommitOf(head.OID.String()); err != nil || !ok || c.Tree != head.Tree {
		t.Errorf("without git: %v, %v", ok, err)
	}
	if _, ok := rd.known(small + "^{commit}"); ok {
		t.Error("a blob was taken for a commit")
	}
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// hashObject is the ID that an object's content has.
func (r *Repo) hashObject(o object.Object) object.OID {
	h := r.NewHash()
	h.Write([]byte(o.Type + " " + strconv.Itoa(len(o.Data)) + "\x00"))
	h.Write(o.Data)
	return object.OIDFromBytes(h.Sum(nil))
}
