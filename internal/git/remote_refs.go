package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire/internal/git/object"
	"entire/internal/git/store"
)

// FetchRefs fetches those of refs that exist at url into local refs of the same names, in one
// connection. A local ref moves only forward, and a ref that does not exist there is no error.
func (n *Network) FetchRefs(ctx context.Context, url string, refs []string) error {
	if len(refs) == 0 {
		return nil
	}
	args := []string{"fetch", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--refmap=", "--no-prune"}
	args = append(n.shown(args), "--", url)
	for _, ref := range refs {
		if err := store.ValidRef(ref); err != nil {
			return err
		}
		args = append(args, ref+"*:"+ref+"*") // a pattern that matches nothing is no error
	}
	_, err := n.run(ctx, url, args...)
	var exit *store.ExitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return nil // some refs do not move forward; a failure of the connection exits with 128
	}
	return err
}

// PushedRefs is what a push of many refs has done, by the refs' names.
type PushedRefs struct {
	New, Moved []string
	Refused    map[string]string // why, as git says it
}

// PushFolder pushes all local refs below folder, which ends with a slash, to the same names at url, in one
// connection. There a ref moves only forward; it is refused otherwise, and the others move.
func (n *Network) PushFolder(ctx context.Context, url, folder string) (PushedRefs, error) {
	done := PushedRefs{Refused: map[string]string{}}
	if err := store.ValidRef(folder); err != nil {
		return done, err
	}
	args := []string{"push", "--no-verify", "--porcelain", "--no-recurse-submodules", "--no-follow-tags", "--no-signed"}
	if n.Progress != nil {
		args = append(args, "--progress")
	}
	out, err := n.run(ctx, url, append(args, "--", url, folder+"*:"+folder+"*")...) // --quiet would hide what moves
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) < 3 {
			continue
		}
		_, to, _ := strings.Cut(f[1], ":")
		switch f[0] {
		case "*":
			done.New = append(done.New, to)
		case " ":
			done.Moved = append(done.Moved, to)
		case "!":
			done.Refused[to] = f[2]
		}
	}
	if len(done.Refused) > 0 {
		var exit *store.ExitError
		if errors.As(err, &exit) {
			err = nil // what was refused is in the result
		}
	}
	if err != nil {
		return done, fmt.Errorf("push %s*: %w", folder, err)
	}
	return done, nil
}

// ListBelow returns the refs at url below prefixes that each end with a slash, in one connection.
func (n *Network) ListBelow(ctx context.Context, url string, prefixes ...string) (map[string]object.OID, error) {
	args := []string{"ls-remote", "--quiet", "--refs", "--", url}
	for _, prefix := range prefixes {
		args = append(args, prefix+"*")
	}
	out, err := n.run(ctx, url, args...)
	if err != nil {
		return nil, err
	}
	refs := map[string]object.OID{}
	for line := range strings.Lines(string(out)) {
		hex, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		oid, err := object.ParseOID(hex)
		if err == nil && slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			refs[name] = oid
		}
	}
	return refs, nil
}

// FetchInto fetches refs at url into the local refs that they are mapped to, whatever these named before, in one
// connection. Each of them exists at url.
func (n *Network) FetchInto(ctx context.Context, url string, into map[string]string) error {
	if len(into) == 0 {
		return nil
	}
	args := []string{"fetch", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--refmap=", "--no-prune"}
	args = append(n.shown(args), "--", url)
	for _, ref := range slices.Sorted(maps.Keys(into)) {
		if err := errors.Join(store.ValidRef(ref), store.ValidRef(into[ref])); err != nil {
			return err
		}
		args = append(args, "+"+ref+":"+into[ref])
	}
	_, err := n.run(ctx, url, args...)
	return err
}

// objectsAtOnce bounds how many objects are named on one command line.
const objectsAtOnce = 1000

// FetchObjects fetches objects by their names, with all that they reach, and moves no ref. The server must answer
// with protocol 2, or allow to be asked for any object.
func (n *Network) FetchObjects(ctx context.Context, url string, oids []object.OID) error {
	for some := range slices.Chunk(oids, objectsAtOnce) {
		args := []string{"fetch", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--refmap=", "--no-prune"}
		args = append(n.shown(args), "--", url)
		for _, oid := range some {
			args = append(args, oid.String())
		}
		if _, err := n.run(ctx, url, args...); err != nil {
			return err
		}
	}
	return nil
}

// PushTogether moves refs at url in one transaction there: each from Old, zero for one that must not exist, to New, zero
// to delete it. If one of them has another value, the error is [ErrRejected] and none moves.
func (n *Network) PushTogether(ctx context.Context, url string, moves []store.RefUpdate) error {
	args := []string{"push", "--atomic", "--no-verify", "--porcelain", "--no-recurse-submodules", "--no-follow-tags", "--no-signed"}
	var specs []string
	for _, m := range moves {
		if err := store.ValidRef(m.Name); err != nil {
			return err
		}
		expect, source := "", ""
		if !m.Old.IsZero() {
			expect = m.Old.String()
		}
		if !m.New.IsZero() {
			source = m.New.String()
		}
		args = append(args, "--force-with-lease="+m.Name+":"+expect)
		specs = append(specs, source+":"+m.Name)
	}
	out, err := n.run(ctx, url, append(append(n.shown(args), "--", url), specs...)...)
	var exit *store.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	for line := range strings.Lines(string(out)) {
		if flag, reason, _ := strings.Cut(line, "\t"); flag == "!" && (isBehind(reason) || strings.Contains(reason, "already exists") || strings.Contains(reason, "atomic transaction")) {
			return fmt.Errorf("%s: %w", strings.TrimSpace(reason), ErrRejected)
		}
	}
	return err
}

// PushBeside pushes a commit to two refs at url in one connection, and each of them moves or stays by itself. The error is
// that of ref, as Push returns it. left reports that beside names the commit, whatever became of ref.
func (n *Network) PushBeside(ctx context.Context, url string, commit object.OID, ref, beside string) (left bool, err error) {
	if err := errors.Join(store.ValidRef(ref), store.ValidRef(beside)); err != nil {
		return false, err
	}
	args := []string{"push", "--no-atomic", "--no-verify", "--porcelain", "--no-recurse-submodules", "--no-follow-tags", "--no-signed"}
	if n.Progress != nil {
		args = append(args, "--progress")
	}
	out, err := n.run(ctx, url, append(args, "--", url, commit.String()+":"+ref, commit.String()+":"+beside)...) // --quiet would hide what moves
	var exit *store.ExitError
	if !errors.As(err, &exit) {
		return err == nil, err
	}
	why := refusedRefs(out)
	_, refused := why[beside]
	left = !refused && strings.Contains(string(out), ":"+beside+"\t")
	if reason, refused := why[ref]; refused {
		return left, refusal(reason, false)
	}
	if strings.Contains(string(out), ":"+ref+"\t") {
		return left, nil // it is the other one that stayed
	}
	return false, err
}

// DeleteMany deletes refs at url that still name the given objects, in one connection. One that does not stays, and is no
// error.
func (n *Network) DeleteMany(ctx context.Context, url string, refs []store.Ref) error {
	if len(refs) == 0 {
		return nil
	}
	args := []string{"push", "--no-verify", "--porcelain", "--no-recurse-submodules", "--no-follow-tags", "--no-signed", "--quiet"}
	var specs []string
	for _, ref := range refs {
		if err := store.ValidRef(ref.Name); err != nil {
			return err
		}
		args = append(args, "--force-with-lease="+ref.Name+":"+ref.OID.String())
		specs = append(specs, ":"+ref.Name)
	}
	out, err := n.run(ctx, url, append(append(args, "--", url), specs...)...)
	if strings.HasPrefix(string(out), "!") || strings.Contains(string(out), "\n!") {
		return nil
	}
	return err
}
