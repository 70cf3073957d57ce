//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"entire/internal/testrepo"
)

// oddSession is the session whose hooks are called.
const oddSession = "5e55104f-0000-4000-8000-0000000000cc"

// oddWait is far more than any of the commands needs, and less than for ever.
const oddWait = 2 * time.Minute

// oddKinds put something at a path that no reader may wait for, nor read to its end.
var oddKinds = map[string]func(path string) error{
	"pipe":                   func(path string) error { return unix.Mkfifo(path, 0o600) },
	"link to a pipe":         linkToPipe,
	"link to an endless one": func(path string) error { return os.Symlink("/dev/zero", path) },
	"folder":                 func(path string) error { return os.Mkdir(path, 0o755) },
	"huge file":              hugeFile,
}

func linkToPipe(path string) error {
	pipe := filepath.Join(filepath.Dir(filepath.Dir(path)), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil && !os.IsExist(err) {
		return err
	}
	return os.Symlink(pipe, path)
}

// hugeFile makes a file of 64 GiB that takes no room.
func hugeFile(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(64 << 30)
}

// gitReads are files that git itself reads, and waits for if they are pipes.
var gitReads = map[string]bool{".entire/.gitignore": true, ".gitattributes": true, ".gitignore": true, ".gitmodules": true}

// A repository may come with anything where we look for a file of ours, of git's or of
// an agent's.
func TestOddFilesHoldNoCommand(t *testing.T) {
	t.Parallel()
	template := scenarioTemplate(t)
	for name, paths := range map[string][]string{
		"settings": {".entire/settings.json", ".entire/settings.local.json", ".entire/.gitignore", ".entire/project-id"},
		"others":   {".gitmodules", ".gitattributes", ".gitignore", ".claude/settings.json", ".gemini/settings.json"},
		"state":    {".git/entire-sessions/" + oddSession + ".json", ".git/entire/sessions/" + oddSession + "/engine.json"},
		"caches": {".git/entire/worktree.cache", ".git/entire/lines.json", ".git/entire/resets.cache", ".git/entire/hooks.stamp",
			".git/entire/program", ".git/entire/commit.json", ".git/entire/rewind.json", ".git/entire/rewinds.jsonl", ".git/entire/destinations.json", ".entire/logs/entire.log"},
		"locks": {".git/entire/commit.lock", ".git/entire/metadata.lock", ".git/entire/rewind.lock", ".git/entire/sessions/" + oddSession + ".lock"},
	} {
		for kind, put := range oddKinds {
			t.Run(name+", a "+kind, func(t *testing.T) {
				t.Parallel()
				o := newOdd(t, template)
				for _, path := range paths {
					if !gitReads[path] || kind == "link to an endless one" || kind == "folder" {
						o.put(path, put)
					}
				}
				o.runAll()
			})
		}
	}
}

// TestPipesInThePlaceOfRefsHoldNoCommand: git waits for a pipe in the place of a ref, and for one in the place of our
// .gitignore, so that nothing of ours may ask it.
func TestPipesInThePlaceOfRefsHoldNoCommand(t *testing.T) {
	t.Parallel()
	template := scenarioTemplate(t)
	for _, path := range []string{".git/refs/heads/entire/checkpoints/v1", ".git/refs/heads/entire/*-*", ".git/refs/entire/x", ".entire/.gitignore"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			o := newOdd(t, template)
			o.hook("user-prompt-submit", "one")
			if err := os.WriteFile(filepath.Join(o.dir, "b.txt"), []byte("the agent's\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			o.hook("stop", "")
			if found, err := filepath.Glob(filepath.Join(o.dir, path)); err == nil && len(found) == 1 {
				path = strings.TrimPrefix(found[0], o.dir+"/")
			}
			o.put(path, oddKinds["pipe"])
			began := time.Now()
			o.runAll()
			if took := time.Since(began); took > oddRefs {
				t.Errorf("all commands together took %s", took)
			}
		})
	}
}

// oddRefs is far more than all commands need, and less than three hooks would wait for git.
const oddRefs = time.Minute

// The payload of a hook may name anything as the transcript.
func TestOddTranscriptsHoldNoHook(t *testing.T) {
	t.Parallel()
	template := scenarioTemplate(t)
	for kind, put := range oddKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := newOdd(t, template)
			o.transcript = filepath.Join(o.home, "folder", "odd.jsonl")
			os.MkdirAll(filepath.Dir(o.transcript), 0o755)
			if err := put(o.transcript); err != nil {
				t.Fatal(err)
			}
			o.runAll()
			o.run(nil, "sessions", "import", "--agent", "claude-code", o.transcript)
			o.run(nil, "sessions", "check", o.transcript)
			o.run(nil, "attribution", "--validate", filepath.Dir(o.transcript))
		})
	}
}

// odd is a worktree with something odd in it.
type odd struct {
	t                     *testing.T
	dir, home, transcript string
	env                   []string
}

func newOdd(t *testing.T, template string) *odd {
	o := &odd{t: t, dir: filepath.Join(t.TempDir(), "repo"), home: testrepo.NewHome(t)}
	if err := testrepo.CopyTree(template, o.dir); err != nil {
		t.Fatal(err)
	}
	o.env = append(testrepo.Environ(o.home), "ENTIRE_TEST_TTY=0", "TMPDIR="+t.TempDir())
	o.transcript = filepath.Join(o.home, "talk.jsonl")
	return o
}

// put puts something in the place of a file of the worktree.
func (o *odd) put(path string, put func(string) error) {
	o.t.Helper()
	name := filepath.Join(o.dir, filepath.FromSlash(path))
	err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.RemoveAll(name), put(name))
	if err != nil {
		o.t.Fatal(err)
	}
}

// runAll runs what reads files of the worktree.
func (o *odd) runAll() {
	o.t.Helper()
	o.hook("user-prompt-submit", "one")
	if err := os.WriteFile(filepath.Join(o.dir, "a.txt"), []byte("the agent's\n"), 0o644); err != nil {
		o.t.Fatal(err)
	}
	o.hook("subagent-stop", "")
	o.hook("post-task", "")
	o.hook("stop", "")
	o.git("add", "a.txt")
	o.git("commit", "-q", "-m", "two")
	for _, args := range [][]string{{"status"}, {"rewind", "--list"}, {"doctor"}, {"blame", "a.txt"}, {"sessions"}, {"clean", "--dry-run"}, {"undo", "--dry-run"}, {"enable", "--agent", "claude-code"}, {"disable", "--uninstall", "--force"}} {
		o.run(nil, args...)
	}
}

// git runs git, whose hooks are the program's.
func (o *odd) git(args ...string) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), oddWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = o.dir, o.env, time.Second
	if out, _ := cmd.CombinedOutput(); ctx.Err() != nil {
		o.t.Fatalf("git %s does not end: %s", strings.Join(args, " "), out)
	}
}

func (o *odd) hook(verb, prompt string) {
	o.t.Helper()
	payload, err := json.Marshal(map[string]string{"session_id": oddSession, "transcript_path": o.transcript,
		"agent_transcript_path": o.transcript, "agent_id": "a1", "tool_use_id": "toolu_1", "cwd": o.dir, "prompt": prompt, "hook_event_name": verb})
	if err != nil {
		o.t.Fatal(err)
	}
	if err := o.run(payload, "hooks", "claude-code", verb); err != nil {
		o.t.Errorf("the hook %s fails: %v", verb, err)
	}
}

// run makes sure that a command ends, in bounded memory, and returns with what.
func (o *odd) run(stdin []byte, args ...string) error {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), oddWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -v 6000000; exec entire "$@"`, "entire"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = o.dir, o.env, bytes.NewReader(stdin), time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		o.t.Fatalf("entire %s does not end", strings.Join(args, " "))
	}
	if bytes.Contains(out, []byte("out of memory")) {
		o.t.Fatalf("entire %s reads without end: %.300s", strings.Join(args, " "), out)
	}
	return err
}
