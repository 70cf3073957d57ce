package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A lab is a folder with a repository, a home directory, and the program.
type lab struct {
	ctx context.Context
	bin string
	dir string
	scale
	words *rand.Rand
	ranks *rand.Zipf
}

func (l *lab) repo() string { return filepath.Join(l.dir, "repo") }

// env is the whole environment of git and of the program.
func (l *lab) env() []string {
	return []string{"HOME=" + filepath.Join(l.dir, "home"), "PATH=" + filepath.Dir(l.bin) + ":/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "TERM=xterm-256color",
		"COLORTERM=truecolor", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Bench", "GIT_AUTHOR_EMAIL=bench@example.com", "GIT_COMMITTER_NAME=Bench", "GIT_COMMITTER_EMAIL=bench@example.com"}
}

func (l *lab) run(stdin, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(l.ctx, name, args...)
	var out, complaint bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = l.repo(), l.env(), strings.NewReader(stdin), &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, complaint.String())
	}
	return strings.TrimSpace(out.String()), nil
}

func (l *lab) inTurn(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// build makes the repository unless it is there.
func (l *lab) build() error {
	if _, err := os.Stat(filepath.Join(l.dir, "made")); err == nil {
		return nil
	}
	l.words = rand.New(rand.NewPCG(1, 2))
	l.ranks = rand.NewZipf(l.words, 1.1, 8, vocabulary-1)
	for _, dir := range []string{l.repo(), filepath.Join(l.dir, "home")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return l.inTurn(l.begin, l.converse, l.addHistory, l.settle)
}

// begin makes the repository with its first files, and sets Entire up.
func (l *lab) begin() error {
	for i := range 400 {
		path := filepath.Join(l.repo(), l.file(i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(l.code(60)), 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"git", "init", "-q", "-b", "main"}, {"git", "config", "gc.auto", "0"}, {l.bin, "enable", "--agent", "claude-code", "--telemetry=false"},
		{"git", "add", "-A"}, {"git", "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "first"}} {
		if _, err := l.run("", args[0], args[1:]...); err != nil {
			return err
		}
	}
	return nil
}

func (l *lab) file(i int) string { return fmt.Sprintf("src/p%d/f%d.go", i%20, i) }

func (l *lab) session(i int) string {
	return fmt.Sprintf("%08x-0000-4000-8000-%012d", 0xa0000000+i*7919, i)
}

// converse plays sessions with long transcripts through the program's hooks.
func (l *lab) converse() error {
	logs := filepath.Join(l.dir, "home", ".claude", "projects", "repo")
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return err
	}
	for i := range l.sessions {
		sid, log := l.session(i), filepath.Join(logs, l.session(i)+".jsonl")
		prompt := "Please " + l.sentence(9)
		if err := l.transcript(log, sid, prompt); err != nil {
			return err
		}
		payload := func(extra map[string]string) string {
			fields := map[string]string{"session_id": sid, "transcript_path": log, "cwd": l.repo()}
			maps.Copy(fields, extra)
			data, _ := json.Marshal(fields)
			return string(data)
		}
		if _, err := l.run(payload(map[string]string{"prompt": prompt}), l.bin, "hooks", "claude-code", "user-prompt-submit"); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(l.repo(), l.file(i)), []byte(l.code(70)), 0o644); err != nil {
			return err
		}
		for _, verb := range []string{"stop", "session-end"} {
			if _, err := l.run(payload(nil), l.bin, "hooks", "claude-code", verb); err != nil {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "\rsession %d of %d ", i+1, l.sessions)
	}
	fmt.Fprintln(os.Stderr)
	_, err := l.run("", "git", "-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "what the sessions wrote")
	return err
}

// transcript writes a transcript of about the wanted size.
func (l *lab) transcript(path, sid, prompt string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	size, n := 0, 0
	say := func(kind string, message map[string]any) {
		n++
		message["id"] = fmt.Sprintf("msg_%s_%d", sid[:8], n)
		data, _ := json.Marshal(map[string]any{"type": kind, "uuid": fmt.Sprintf("%s-%06d", sid[:8], n), "sessionId": sid,
			"timestamp": fmt.Sprintf("2026-01-02T%02d:%02d:%02d.000Z", n/3600%24, n/60%60, n%60), "message": message})
		k, _ := w.Write(append(data, '\n'))
		size += k
	}
	for size < l.scale.transcript {
		if n%40 == 0 {
			say("user", map[string]any{"role": "user", "content": prompt})
			prompt = "Then " + l.sentence(11)
		}
		id := fmt.Sprintf("toolu_%s_%d", sid[:8], n)
		say("assistant", map[string]any{"role": "assistant", "model": "model-1", "content": []any{map[string]any{"type": "tool_use", "id": id, "name": "Read", "input": map[string]any{"file_path": l.file(n % 400)}}}})
		say("user", map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": l.code(120)}}})
		say("assistant", map[string]any{"role": "assistant", "model": "model-1", "content": []any{map[string]any{"type": "text", "text": l.sentence(60)}}})
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// settle makes the repository what git keeps it: packed, with a clean index.
func (l *lab) settle() error {
	if _, err := l.run("", "git", "reset", "-q", "--hard"); err != nil {
		return err
	}
	if _, err := l.run("", "git", "gc", "-q"); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.dir, "made"), nil, 0o644)
}

// vocabulary is the number of different words. Few of them are frequent, as in a language.
const vocabulary = 30_000

// word returns a word by its rank.
func word(rank int) string {
	const syllables = "retimolakenusodafipube"
	var b strings.Builder
	for n := rank + 7; n > 0; n /= 11 {
		b.WriteString(syllables[n%11*2 : n%11*2+2])
	}
	return b.String()
}

func (l *lab) sentence(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = word(int(l.ranks.Uint64()))
	}
	return strings.Join(words, " ")
}

func (l *lab) code(lines int) string {
	var b strings.Builder
	b.WriteString("package p\n\n")
	for i := range lines {
		fmt.Fprintf(&b, "// %s\nfunc f%d(n int) int { return n + %d }\n", l.sentence(5), i, l.words.IntN(1000))
	}
	return b.String()
}

// fastImport gives git a stream of commits.
func (l *lab) fastImport(fill func(w *bufio.Writer)) error {
	in, out := io.Pipe()
	cmd := exec.CommandContext(l.ctx, "git", "fast-import", "--quiet", "--force")
	var complaint bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = l.repo(), l.env(), in, &complaint
	go func() {
		w := bufio.NewWriterSize(out, 1<<20)
		fill(w)
		out.CloseWithError(w.Flush())
	}()
	defer in.Close()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git fast-import: %w\n%s", err, complaint.String())
	}
	return nil
}
