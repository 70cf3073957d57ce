//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"entire/internal/testrepo"
)

// TestUndoOfWhatCannotBeRead: it names the files, fails, changes nothing, and works once they can be read. A user other
// than root is refused, so that a test of root's runs as another one.
func TestUndoOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	template := scenarioTemplate(t)
	for name, row := range map[string]struct{ deny, said string }{
		"folder that shows nothing": {"chmod 000 d", "d/in.txt and 2 more files: permission denied"},
		"folder without a list":     {"chmod 300 d", "d/in.txt and 2 more files: permission denied"},
		"file":                      {"chmod 000 d/in.txt", "d/in.txt: permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUnprivileged(t, template)
			u.sh("mkdir d; echo in >d/in.txt; git add d; git commit -qm d")
			u.turn("One", "echo one >>d/in.txt; echo one >d/one.txt")
			u.turn("Two", "echo two >>d/in.txt; rm d/one.txt; echo two >d/two.txt")
			was := u.sh("cat d/*; ls d")
			u.sh(`entire rewind --to $(entire rewind --list | sed -n 's/.*"id": *"\([0-9a-f]*\)".*/\1/p' | tail -n 1)`)
			is := u.sh("cat d/*; ls d")
			if is == was {
				t.Fatal("the rewind changed nothing")
			}
			u.sh(row.deny)
			if out := u.sh("! entire undo 2>&1"); !strings.Contains(out, row.said) {
				t.Errorf("undo says %q", out)
			}
			u.sh("chmod 755 d; chmod 644 d/in.txt")
			if now := u.sh("cat d/*; ls d"); now != is {
				t.Errorf("it changed %q to %q", is, now)
			}
			u.sh("entire undo")
			if now := u.sh("cat d/*; ls d"); now != was {
				t.Errorf("%q came back as %q", was, now)
			}
		})
	}
}

// unprivileged is a repository of a user who is not root.
type unprivileged struct {
	t    *testing.T
	dir  string
	env  []string
	user *syscall.Credential // nil: this user
}

func newUnprivileged(t *testing.T, template string) *unprivileged {
	top := t.TempDir()
	u := &unprivileged{t: t, dir: filepath.Join(top, "repo")}
	home := filepath.Join(top, "home")
	program, err := exec.LookPath("entire")
	for _, err := range []error{err, os.Chmod(filepath.Dir(top), 0o755), testrepo.CopyTree(template, u.dir), testrepo.CopyTree(testrepo.NewHome(t), home), os.MkdirAll(filepath.Join(top, "bin"), 0o755),
		testrepo.CopyTree(filepath.Dir(program), filepath.Join(top, "bin"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	u.env = append(testrepo.Environ(home), "ENTIRE_TEST_TTY=0", "TMPDIR="+top, "PATH="+filepath.Join(top, "bin")+":"+os.Getenv("PATH"))
	if os.Geteuid() != 0 {
		return u
	}
	const nobody = 65534
	u.user = &syscall.Credential{Uid: nobody, Gid: nobody}
	if err := filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, nobody, nobody)
		}
		return err
	}); err != nil {
		t.Skip(err) // a container that may not give files away
	}
	for dir := filepath.Dir(top); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if fi, err := os.Stat(dir); err != nil || fi.Mode().Perm()&0o001 == 0 {
			t.Skipf("nobody else reaches %s", dir)
		}
	}
	return u
}

func (u *unprivileged) sh(script string) string {
	u.t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = u.dir, u.env, &syscall.SysProcAttr{Credential: u.user}
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		u.t.Fatalf("%s: %v: %s%s", script, err, out, said.String())
	}
	return string(out)
}

// turn is a turn of an agent that runs a script.
func (u *unprivileged) turn(prompt, script string) {
	u.t.Helper()
	event := func(verb string) string {
		return `printf '%s' '{"session_id":"` + oddSession + `","transcript_path":"","cwd":"'"$PWD"'","prompt":"` + prompt + `","hook_event_name":"` + verb + `"}' | entire hooks claude-code ` + verb + "\n"
	}
	u.sh(event("user-prompt-submit") + script + "\n" + event("stop"))
}
