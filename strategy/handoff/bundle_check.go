package handoff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// ErrNotTransferable is returned, wrapped, for a file that is never sent or received.
var ErrNotTransferable = errors.New("that is not taken to another machine")

const (
	maxBundledPath = 4096
	maxLinkTarget  = 4096
)

// BundledTree is a worktree in a bundle: how it differs from a commit.
type BundledTree struct {
	Changes []git.Change
	Paths   func(context.Context) ([]byte, error) // all of its paths, as git ls-tree -z prints them
	Link    func(context.Context, git.OID) ([]byte, error)
}

func lsTreeArgs(tree git.OID) []string {
	return []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", tree.String()}
}

// CheckBundledTree refuses what some system would write to another place than its path, or over another
// file: names that are no path or are a device, new files whose paths differ from others only in
// case, links that lead out of the repository, and anything that is neither a file nor a link.
func CheckBundledTree(ctx context.Context, t BundledTree) error {
	bad := func(p, why string) error {
		return fmt.Errorf("%s: %w: %s", sessionstate.EncodePath(p), ErrNotTransferable, why)
	}
	added := map[string]bool{}
	for _, c := range t.Changes {
		if worktree.OwnPath(c.Path) {
			continue
		}
		if err := durable.CheckPath(c.Path); err != nil || len(c.Path) > maxBundledPath || strings.Contains(c.Path, `\`) || hasColonDrive(c.Path) {
			return bad(c.Path, "it is no path of a file")
		}
		if c.NewMode == 0 {
			continue
		}
		if c.OldMode == 0 {
			added[c.Path] = true
		}
		if name := deviceName(c.Path); name != "" {
			return bad(c.Path, "some systems take "+name+" for a device")
		}
		switch c.NewMode {
		case git.ModeFile, git.ModeExec:
		case git.ModeSymlink:
			target, err := t.Link(ctx, c.New)
			if err != nil {
				return err
			}
			if why := whyLinkRefused(c.Path, target); why != "" {
				return bad(c.Path, why)
			}
		default:
			return bad(c.Path, fmt.Sprintf("it is neither a file nor a link (%o)", c.NewMode))
		}
	}
	list, err := t.Paths(ctx)
	if err != nil {
		return err
	}
	if a, b := caseCollision(list, added); a != "" {
		return bad(a, "where cases are not told apart it is "+sessionstate.EncodePath(b))
	}
	return nil
}

// hasColonDrive reports whether a path begins with a Windows drive or names a stream of a file.
func hasColonDrive(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return len(first) >= 2 && first[1] == ':'
}

// deviceName returns the part of the path that Windows takes for a device, "" for none.
func deviceName(p string) string {
	for part := range strings.SplitSeq(p, "/") {
		if durable.IsDevice(part) {
			return part
		}
	}
	return ""
}

// whyLinkRefused returns why a link is refused, "" if it is not.
func whyLinkRefused(at string, target []byte) string {
	text := string(target)
	switch {
	case text == "" || len(text) > maxLinkTarget || strings.ContainsRune(text, 0):
		return "it is no link"
	case strings.HasPrefix(text, "/") || strings.Contains(text, `\`) || hasColonDrive(text):
		return "it is a link to an absolute path"
	}
	to := path.Join(path.Dir(at), text)
	if to == ".." || strings.HasPrefix(to, "../") {
		return "it is a link that leads out of the repository"
	}
	if to != "." && durable.CheckPath(to) != nil {
		return "it is a link into a repository's own files"
	}
	return ""
}

// caseCollision returns an added path and another path that differs from it only in case, "" and ""
// if there are none.
func caseCollision(list []byte, added map[string]bool) (a, b string) {
	spelled := map[string]string{}
	for name := range bytes.SplitSeq(list, []byte{0}) {
		for at := string(name); at != "" && at != "."; at = path.Dir(at) {
			fold := strings.ToLower(at)
			other, known := spelled[fold]
			if !known {
				spelled[fold] = at
			} else if other != at && (isOrHolds(at, added) || isOrHolds(other, added)) {
				return at, other
			}
		}
	}
	return "", ""
}

// isOrHolds reports whether a path is one of the paths, or a folder with one of them.
func isOrHolds(path string, paths map[string]bool) bool {
	for p := range paths {
		if p == path || strings.HasPrefix(p, path+"/") {
			return true
		}
	}
	return false
}
