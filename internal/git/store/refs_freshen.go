package store

import (
	"context"
	"strings"

	"entire/internal/git/object"
)

// ours reports whether only this program writes a ref.
func ours(ref string) bool {
	return strings.HasPrefix(ref, "refs/heads/entire/") || strings.HasPrefix(ref, "refs/entire/")
}

// freshenDropped sets the time of the objects that deleted refs named to now. Git's prune
// keeps whatever a recent object reaches, so the tip alone protects every tree below it
// for the usual two weeks, at the cost of one system call.
//
// Without this, a tree that a step shares with what the user stages afterwards may be old:
// git uses it for the index as it is, and a background gc that has just searched for
// references deletes it. The user's next commit then lacks a tree.
func (r *Repo) freshenDropped(ctx context.Context, updates []RefUpdate) {
	kept := map[object.OID]bool{}
	for _, u := range updates {
		kept[u.New] = true
	}
	for _, u := range updates {
		if u.New.IsZero() && ours(u.Name) && !kept[u.Old] {
			r.freshenObject(ctx, u.Old)
		}
	}
}

// freshenObject sets an object's time to now. An object in a pack, which has one time for
// all its objects, becomes loose. It ignores errors, because this is a precaution.
func (r *Repo) freshenObject(ctx context.Context, oid object.OID) {
	if object.Freshen(r.loosePath(oid)) == nil {
		return
	}
	o, err := r.Reader(ctx).Object(oid.String())
	if err != nil {
		return
	}
	_, _ = r.Writer().object(o.Type, o.Data)
}
