package handoff_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"entire/internal/git"
	"entire/strategy/handoff"
)

func TestCheckCarried(t *testing.T) {
	t.Parallel()
	var oid git.OID
	for _, c := range []struct {
		name, path string
		mode       uint32
		target     string // of a link
		others     string // paths that are there besides
		ok         bool
	}{
		{"a file", "a/b.txt", git.ModeFile, "", "", true},
		{"an executable", "run.sh", git.ModeExec, "", "", true},
		{"a name of any letters", "déjà vu/日本 x:y", git.ModeFile, "", "", true},
		{"a link beside", "a/l", git.ModeSymlink, "b.txt", "", true},
		{"a link up, within", "a/b/l", git.ModeSymlink, "../../c", "", true},
		{"a link to the top", "a/l", git.ModeSymlink, "..", "", true},
		{"our own folder", ".entire/x", git.ModeSymlink, "/etc", "", true},
		{"something like a device", "console.txt", git.ModeFile, "", "", true},
		{"a file like another", "b.txt", git.ModeFile, "", "a.txt", true},
		{"a link up and out", "a/l", git.ModeSymlink, "../../c", "", false},
		{"a link out and in again", "l", git.ModeSymlink, "../repo/x", "", false},
		{"an absolute link", "l", git.ModeSymlink, "/etc/passwd", "", false},
		{"a link to a drive", "l", git.ModeSymlink, `C:\x`, "", false},
		{"a link to a share", "l", git.ModeSymlink, `\\host\x`, "", false},
		{"a link into .git", "l", git.ModeSymlink, ".git/config", "", false},
		{"an empty link", "l", git.ModeSymlink, "", "", false},
		{"an endless link", "l", git.ModeSymlink, strings.Repeat("a", 5000), "", false},
		{"out", "../a", git.ModeFile, "", "", false},
		{"out from below", "a/../../b", git.ModeFile, "", "", false},
		{"absolute", "/a", git.ModeFile, "", "", false},
		{".git", ".git/config", git.ModeFile, "", "", false},
		{".git below", "sub/.GIT/config", git.ModeFile, "", "", false},
		{"a backslash", `a\b`, git.ModeFile, "", "", false},
		{"a drive", "c:/x", git.ModeFile, "", "", false},
		{"a device", "a/nul", git.ModeFile, "", "", false},
		{"a device with an ending", "COM7.log/x", git.ModeFile, "", "", false},
		{"an endless path", strings.Repeat("a/", 3000) + "b", git.ModeFile, "", "", false},
		{"a submodule", "sub", git.ModeGitlink, "", "", false},
		{"a mode of nobody's", "a", 0o100600, "", "", false},
		{"another's but for its case", "README", git.ModeFile, "", "readme", false},
		{"in another's folder but for its case", "SRC/b", git.ModeFile, "", "src/a", false},
	} {
		list := c.path + "\x00" + c.others + "\x00"
		err := handoff.CheckBundledTree(context.Background(), handoff.BundledTree{
			Changes: []git.Change{{Path: c.path, NewMode: c.mode, New: oid}},
			Paths:   func(context.Context) ([]byte, error) { return []byte(list), nil },
			Link:    func(context.Context, git.OID) ([]byte, error) { return []byte(c.target), nil },
		})
		if c.ok != (err == nil) || err != nil && !errors.Is(err, handoff.ErrNotTransferable) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
