//go:build soak

package soak

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// talk is one session of Claude Code in a place: it appends to a transcript and
// calls the hooks.
type talk struct {
	*place
	id    string
	path  string
	lines int
	turn  int
}

func (p *place) talk(number int) *talk {
	p.t.Helper()
	k := &talk{place: p, id: fmt.Sprintf("%08d-1111-4222-8333-444444444444", number)}
	dir := filepath.Join(p.Home, ".claude", "projects", strings.ReplaceAll(p.Dir, "/", "-"))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	k.path = filepath.Join(dir, k.id+".jsonl")
	k.run("session-start", map[string]any{"source": "startup"})
	return k
}

// hook is the command by which the agent calls us.
func (k *talk) hook(verb string, more map[string]any) *exec.Cmd {
	payload := map[string]any{"session_id": k.id, "transcript_path": k.path, "cwd": k.Dir}
	for key, value := range more {
		payload[key] = value
	}
	data, err := json.Marshal(payload)
	if err != nil {
		k.t.Fatal(err)
	}
	cmd := k.Command(binary, "hooks", "claude-code", verb)
	cmd.Stdin = bytes.NewReader(data)
	return cmd
}

// run calls a hook to its end.
func (k *talk) run(verb string, more map[string]any) {
	k.t.Helper()
	if out, err := k.hook(verb, more).CombinedOutput(); err != nil {
		k.t.Fatalf("hook %s: %v\n%s", verb, err, out)
	}
}

func (k *talk) prompt() {
	k.t.Helper()
	k.turn++
	prompt := fmt.Sprintf("Change the parser, turn %d", k.turn)
	k.run("user-prompt-submit", map[string]any{"prompt": prompt})
	k.add("user", map[string]any{"role": "user", "content": prompt})
}

func (k *talk) stop() *exec.Cmd { return k.hook("stop", map[string]any{"stop_hook_active": false}) }

// write is the agent writing a file with its tool.
func (k *talk) write(path, content string) {
	k.t.Helper()
	k.Write(path, content)
	k.assistant(map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%08d", k.lines), "name": "Write",
		"input": map[string]any{"file_path": k.Path(path), "content": content}})
}

// say is n bytes of the agent's words.
func (k *talk) say(n int) {
	k.t.Helper()
	k.assistant(map[string]any{"type": "text", "text": text(k.lines, n)})
}

func (k *talk) assistant(content map[string]any) {
	k.t.Helper()
	k.add("assistant", map[string]any{"id": fmt.Sprintf("msg_%08d", k.lines), "role": "assistant", "content": []any{content},
		"usage": map[string]any{"input_tokens": 3, "output_tokens": 20}})
}

// add appends one line to the transcript.
func (k *talk) add(kind string, message any) {
	k.t.Helper()
	k.lines++
	line, err := json.Marshal(map[string]any{"type": kind, "uuid": fmt.Sprintf("%08d-2222-4222-8333-%012d", k.lines, k.turn),
		"sessionId": k.id, "cwd": k.Dir, "message": message})
	if err != nil {
		k.t.Fatal(err)
	}
	f, err := os.OpenFile(k.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		k.t.Fatal(err)
	}
	_, err = f.Write(append(line, '\n'))
	if err := f.Close(); err != nil {
		k.t.Fatal(err)
	}
	if err != nil {
		k.t.Fatal(err)
	}
}

// stored is the session's transcript as the commit or folder spec holds it: the
// chunks joined.
func (k *talk) stored(spec string) (string, error) {
	list, err := k.TryGit("ls-tree", "--name-only", spec)
	if err != nil {
		return "", err
	}
	var chunks []string
	for _, name := range strings.Fields(list) {
		if !strings.HasPrefix(name, "full.jsonl") {
			continue
		}
		cmd := k.Command("git", "cat-file", "blob", spec+name)
		data, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("read %s: %w", spec+name, err)
		}
		chunks = append(chunks, string(data))
	}
	return strings.Join(chunks, "\n"), nil
}

// complete reports why the transcript at spec is not the whole of the live one.
func (k *talk) complete(spec string) error {
	got, err := k.stored(spec)
	if err != nil {
		return err
	}
	want, err := os.ReadFile(k.path)
	if err != nil {
		return err
	}
	if got != string(want) {
		return fmt.Errorf("transcript at %s has %d bytes, the live one %d", spec, len(got), len(want))
	}
	return nil
}
