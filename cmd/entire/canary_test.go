package main

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
)

// cmdIdentity makes a key pair: the private key in $WORK/NAME, encrypted with a passphrase if one is given,
// and the public one in $WORK/NAME.pub.
func cmdIdentity(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: identity NAME [PASSPHRASE]")
	}
	x, err := age.GenerateX25519Identity()
	ts.Check(err)
	private := bytes.NewBufferString(x.String() + "\n")
	if len(args) == 2 {
		to, err := age.NewScryptRecipient(args[1])
		ts.Check(err)
		to.SetWorkFactor(10)
		private.Reset()
		w, err := age.Encrypt(private, to)
		ts.Check(err)
		_, err = io.WriteString(w, x.String()+"\n")
		ts.Check(err)
		ts.Check(w.Close())
	}
	path := filepath.Join(ts.Getenv("WORK"), args[0])
	ts.Check(os.WriteFile(path, private.Bytes(), 0o600))
	ts.Check(os.WriteFile(path+".pub", []byte(x.Recipient().String()+" "+args[0]+"\n"), 0o600))
}

// canaryName begins every canary; six digits follow.
const canaryName = "Kanarienvogel"

type canaries struct{ planted int }

type canariesKey struct{}

// cmdCanaries plants canaries in what is said in a session, or looks for them in everything that the
// program or git keeps.
func cmdCanaries(ts *testscript.TestScript, neg bool, args []string) {
	c, _ := ts.Value(canariesKey{}).(*canaries)
	switch {
	case !neg && len(args) == 2 && args[0] == "plant":
		n, err := strconv.Atoi(args[1])
		ts.Check(err)
		for c.planted < n {
			c.turn(ts)
		}
	case !neg && len(args) == 1 && args[0] == "more":
		c.turn(ts)
	case len(args) == 1 && args[0] == "none":
		found := c.found(ts)
		if neg == (len(found) == 0) {
			ts.Fatalf("of %d canaries, these are in clear: %s", c.planted, strings.Join(found, "\n"))
		}
	default:
		ts.Fatalf("usage: canaries plant N, canaries more, or [!] canaries none")
	}
}

// some returns new canaries, with one space between.
func (c *canaries) some(n int) string {
	var names []string
	for range n {
		names = append(names, fmt.Sprintf("%s-%06d", canaryName, c.planted))
		c.planted++
	}
	return strings.Join(names, " ")
}

// turn plays one turn with 200 canaries, in every place that people, models and tools write to.
func (c *canaries) turn(ts *testscript.TestScript) {
	id := fmt.Sprintf("toolu_%d", c.planted)
	prompt := fmt.Sprintf("Look at docs/%s.md and src/%s/a.go: %s", c.some(1), c.some(1), c.some(18))
	runHook(ts, "user-prompt-submit", map[string]string{"prompt": prompt})
	transcriptLine(ts, "user", map[string]any{"role": "user", "content": prompt})
	say := func(n int) {
		text := []any{map[string]any{"type": "thinking", "thinking": c.some(n / 2)}, map[string]any{"type": "text", "text": c.some(n / 2)}}
		transcriptLine(ts, "assistant", map[string]any{"role": "assistant", "model": "m", "content": text})
	}
	call := func(id, name string, input map[string]any, output string) {
		transcriptLine(ts, "assistant", map[string]any{"role": "assistant", "model": "m", "content": []any{
			map[string]any{"type": "tool_use", "id": id, "name": name, "input": input}}})
		transcriptLine(ts, "user", map[string]any{"role": "user", "content": []any{
			map[string]any{"type": "tool_result", "tool_use_id": id, "content": output}}})
	}
	say(40)
	call(id, "Bash", map[string]any{"command": "grep -r " + c.some(1) + " build/" + c.some(5), "description": c.some(4)}, c.some(60))
	say(20)
	file := ts.MkAbs("work.txt")
	line := fmt.Sprintf("line %d\n", c.planted)
	call(id+"e", "Edit", map[string]any{"file_path": file, "old_string": "", "new_string": line, "note": c.some(10)}, c.some(20))
	was, _ := os.ReadFile(file)
	ts.Check(os.WriteFile(file, append(was, line...), 0o600))
	risky := map[string]any{"command": "git checkout -- " + c.some(1) + "; rm -rf " + c.some(1), "description": c.some(1)}
	runHookWith(ts, "pre-tool", map[string]any{"tool_name": "Bash", "tool_use_id": id + "r", "tool_input": risky})
	todo := map[string]any{"todos": []any{map[string]any{"content": c.some(1), "status": "in_progress", "activeForm": c.some(1)}}}
	runHookWith(ts, "pre-task", map[string]any{"tool_use_id": id + "s", "tool_input": map[string]any{"description": c.some(1), "prompt": c.some(1), "subagent_type": "x"}})
	runHookWith(ts, "post-todo", map[string]any{"tool_name": "TodoWrite", "tool_use_id": id + "t", "tool_input": todo})
	runHookWith(ts, "post-task", map[string]any{"tool_use_id": id + "s", "tool_input": map[string]any{"description": c.some(1), "prompt": c.some(1), "subagent_type": "x"},
		"tool_response": map[string]any{"agentId": "a" + id, "content": []any{map[string]any{"type": "text", "text": c.some(1)}}}})
	say(20)
	runHook(ts, "stop", map[string]string{"last_assistant_message": c.some(1)})
	if c.planted%1000 < 201 {
		ts.Check(ts.Exec("git", "add", "-A"))
		ts.Check(ts.Exec("sh", "-c", "GIT_EDITOR=\"sh '$WORK/editor'\" git commit -q")) // git keeps what the editor showed
	}
}

// found returns where canaries are in clear: in files below $WORK and $HOME and in their names, in every
// object of every repository there, and in its refs. It leaves out what the agent keeps itself.
func (c *canaries) found(ts *testscript.TestScript) []string {
	look := newCanarySearch()
	agents := filepath.Join(ts.Getenv("HOME"), ".claude")
	for _, root := range []string{ts.Getenv("WORK"), ts.Getenv("HOME")} {
		ts.Check(filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path == agents:
				return filepath.SkipDir
			case entry.IsDir() && entry.Name() == "objects" && filepath.Base(filepath.Dir(path)) != "work":
				look.objects(ts, filepath.Dir(path))
			}
			look.bytes(path, []byte(path))
			if !entry.Type().IsRegular() {
				return nil
			}
			data, err := os.ReadFile(path)
			look.file(path, data)
			return err
		}))
	}
	return look.where
}

type canarySearch struct {
	plain *regexp.Regexp
	coded [][]byte // the name in base64, at each of its three offsets
	where []string
}

func newCanarySearch() *canarySearch {
	s := &canarySearch{plain: regexp.MustCompile(canaryName + `-\d{6}`)}
	for _, before := range []string{"", "a", "ab"} {
		s.coded = append(s.coded, []byte(base64.StdEncoding.EncodeToString([]byte(before + canaryName))[4:16]))
	}
	return s
}

// file looks at a file as it is, and unpacked.
func (s *canarySearch) file(path string, data []byte) {
	s.bytes(path, data)
	if r, err := zlib.NewReader(bytes.NewReader(data)); err == nil {
		text, _ := io.ReadAll(r)
		s.bytes(path+" (deflated)", text)
	}
	if d, err := zstd.NewReader(bytes.NewReader(data)); err == nil {
		text, _ := io.ReadAll(d)
		s.bytes(path+" (zstd)", text)
		d.Close()
	}
}

func (s *canarySearch) bytes(where string, data []byte) {
	if m := s.plain.Find(data); m != nil {
		s.where = append(s.where, where+": "+string(m))
	}
	for _, coded := range s.coded {
		if bytes.Contains(data, coded) {
			s.where = append(s.where, where+": in base64")
		}
	}
}

// objects looks at every object that git has, reachable or not, packed or not.
func (s *canarySearch) objects(ts *testscript.TestScript, gitDir string) {
	for _, args := range [][]string{{"cat-file", "--batch-all-objects", "--batch"}, {"for-each-ref"}, {"reflog", "--all"}} {
		cmd := exec.Command("git", append([]string{"--git-dir", gitDir}, args...)...)
		out, err := cmd.Output()
		ts.Check(err)
		if args[0] == "cat-file" && len(out) == 0 {
			ts.Fatalf("git shows no object of %s", gitDir)
		}
		s.bytes(gitDir+" git "+args[0], out)
	}
}
