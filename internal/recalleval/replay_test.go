package recalleval_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/internal/testrepo"
)

// A replay is a repository in which an agent and git are replayed.
type replay struct {
	t           *testing.T
	dir         string
	env         []string
	transcripts string
	lines       int
	clock       time.Time
}

// newReplay returns a repository in which Entire records, and the folder with its programs.
func newReplay(t *testing.T, bin string) *replay {
	t.Helper()
	r := testrepo.New(t, testrepo.Files(map[string]string{"README.md": "# A project\n"}))
	r.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	p := &replay{t: t, dir: r.Dir, env: append(r.Env, "ENTIRE_TEST_TTY=0"), transcripts: filepath.Join(r.Home, ".claude", "projects", "replayed")}
	if err := os.MkdirAll(p.transcripts, 0o755); err != nil {
		t.Fatal(err)
	}
	p.run("", "entire", "enable", "--agent", "claude-code")
	p.run("", "git", "add", "-A")
	p.run("", "git", "commit", "-q", "-m", "Use Entire")
	return p
}

func (p *replay) run(input, name string, args ...string) string {
	p.t.Helper()
	for _, kv := range p.env {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok && name == "entire" {
			name = filepath.Join(filepath.SplitList(path)[0], "entire")
		}
	}
	cmd := exec.CommandContext(p.t.Context(), name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = p.dir, p.env, strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return string(out)
}

// sessionID is the agent's ID of a session.
func sessionID(name string) string {
	return fmt.Sprintf("%08x-0000-4000-8000-000000000000", rand.New(rand.NewPCG(7, uint64(len(name))*uint64(name[0])+uint64(name[1]))).Uint32())
}

func (p *replay) transcript(session string) string {
	return filepath.Join(p.transcripts, sessionID(session)+".jsonl")
}

func (p *replay) say(session, kind string, content any) {
	p.t.Helper()
	p.lines++
	p.clock = p.clock.Add(20 * time.Second)
	line, err := json.Marshal(map[string]any{"type": kind, "uuid": fmt.Sprintf("00000000-0000-4000-8000-%012d", p.lines), "sessionId": sessionID(session), "cwd": p.dir,
		"timestamp": p.clock.Format(time.RFC3339), "message": map[string]any{"role": kind, "id": fmt.Sprint("msg_", p.lines), "content": content}})
	if err != nil {
		p.t.Fatal(err)
	}
	f, err := os.OpenFile(p.transcript(session), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *replay) hook(session, verb string, fields map[string]any) {
	p.t.Helper()
	fields["session_id"], fields["transcript_path"], fields["cwd"], fields["hook_event_name"] = sessionID(session), p.transcript(session), p.dir, verb
	payload, err := json.Marshal(fields)
	if err != nil {
		p.t.Fatal(err)
	}
	p.run(string(payload), "entire", "hooks", "claude-code", verb)
}

// turn replays what was said of a fact, as one turn and a commit.
func (p *replay) turn(f fact) {
	p.t.Helper()
	if day, err := time.Parse(time.DateOnly, f.date); err == nil && !p.clock.Truncate(24*time.Hour).Equal(day) {
		p.clock = day.Add(9 * time.Hour)
	}
	calls := 0
	result := func(failed bool, text string) {
		p.say(f.session, "user", []any{map[string]any{"type": "tool_result", "tool_use_id": fmt.Sprintf("toolu_%d_%d", p.lines, calls), "is_error": failed, "content": text}})
	}
	call := func(tool string, input map[string]any) {
		calls++
		p.say(f.session, "assistant", []any{map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d_%d", p.lines+1, calls), "name": tool, "input": input}})
	}
	for _, m := range f.said {
		switch role, text := m[0], m[1]; role {
		case "u":
			p.hook(f.session, "user-prompt-submit", map[string]any{"prompt": text})
			p.say(f.session, "user", text)
		case "a":
			p.say(f.session, "assistant", []any{map[string]any{"type": "text", "text": text}})
		case "x", "r":
			command, output, _ := strings.Cut(text, " :: ")
			call("Bash", map[string]any{"command": command})
			result(role == "x", output)
		case "e":
			file := filepath.Join(p.dir, f.file)
			call("Edit", map[string]any{"file_path": file, "old_string": "", "new_string": text})
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				p.t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text+"\n"), 0o644); err != nil {
				p.t.Fatal(err)
			}
			result(false, "The file has been updated.")
		}
	}
	p.hook(f.session, "stop", map[string]any{})
	p.run("", "git", "add", "-A")
	p.run("", "git", "commit", "-q", "-m", "Change "+filepath.Base(f.file))
}

// noise imports sessions of other work: the paragraphs of the decisions in docs/adr, which are not rewritten, and of the
// museum of losses, each said by a person or an agent.
func (p *replay) noise() {
	p.t.Helper()
	var files []string
	for i, pattern := range []string{"docs/adr/000[1-8]*.md", "testdata/museum/*.txtar", "testdata/search/corpus.txt"} {
		name := fmt.Sprintf("%c%c noise", 'A'+i, 'z'-i)
		p.clock = time.Date(2026, 2, 1+i*20, 8, 0, 0, 0, time.UTC)
		sources, _ := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		for _, source := range sources {
			text, err := os.ReadFile(source)
			if err != nil {
				p.t.Fatal(err)
			}
			for j, paragraph := range strings.Split(string(text), "\n\n") {
				if strings.TrimSpace(paragraph) == "" {
					continue
				}
				if j%5 == 0 {
					p.say(name, "user", paragraph)
					continue
				}
				p.say(name, "assistant", []any{map[string]any{"type": "text", "text": paragraph}})
			}
		}
		files = append(files, p.transcript(name))
	}
	p.run("", "entire", append([]string{"sessions", "import"}, files...)...)
}

// senseless imports sessions that say the words of the facts in any order.
func (p *replay) senseless(all []fact, sessions, messages int) {
	p.t.Helper()
	var words []string
	for _, f := range all {
		for _, m := range f.said {
			words = append(words, strings.Fields(m[1])...)
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	var files []string
	for i := range sessions {
		name := fmt.Sprintf("%c%c senseless", 'a'+i, 'Z'-i)
		p.clock = time.Date(2026, 2, 1+i*8, 8, 0, 0, 0, time.UTC)
		for range messages {
			var b strings.Builder
			for range 5 + rnd.IntN(40) {
				b.WriteString(words[rnd.IntN(len(words))] + " ")
			}
			p.say(name, "assistant", []any{map[string]any{"type": "text", "text": b.String()}})
		}
		files = append(files, p.transcript(name))
	}
	p.run("", "entire", append([]string{"sessions", "import"}, files...)...)
}
