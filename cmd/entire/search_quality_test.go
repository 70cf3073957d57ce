package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/internal/cli/clitest"
	"entire/internal/testrepo"
)

// recallAt is how many hits are looked at, and recallWanted of how many questions
// one of them must be an answer.
const (
	recallAt     = 5
	recallWanted = 0.9
)

type question struct {
	Question string
	Answers  []struct{ Session, Message string }
}

// TestSearchQuality asks the made-up corpus of testdata/search its questions.
func TestSearchQuality(t *testing.T) {
	t.Parallel()
	var made []struct {
		Question string
		Answers  []string
	}
	readJSON(t, "corpus.json", &made)
	var questions []question
	for _, m := range made {
		q := question{Question: m.Question}
		for _, name := range m.Answers {
			q.Answers = append(q.Answers, struct{ Session, Message string }{Message: messageUUID(name)})
		}
		questions = append(questions, q)
	}
	r := testrepo.New(t)
	files := writeCorpus(t, t.TempDir())
	askAll(t, r, files, questions)
}

// TestSearchQualityOfTranscripts asks real transcripts, which are not in this
// repository: those in the folder $ENTIRE_TRANSCRIPTS, *.jsonl and *.bundle with
// metadata branches. Without it only that the questions are whole is looked at.
func TestSearchQualityOfTranscripts(t *testing.T) {
	t.Parallel()
	var questions []question
	readJSON(t, "questions.json", &questions)
	for _, q := range questions {
		if q.Question == "" || len(q.Answers) == 0 || slices.ContainsFunc(q.Answers, func(a struct{ Session, Message string }) bool {
			return a.Session == "" || a.Message == ""
		}) {
			t.Errorf("%+v is no question with answers", q)
		}
	}
	if len(questions) < 40 {
		t.Errorf("%d questions", len(questions))
	}
	dir := os.Getenv("ENTIRE_TRANSCRIPTS")
	if dir == "" {
		return
	}
	r := testrepo.New(t)
	bundles, _ := filepath.Glob(filepath.Join(dir, "*.bundle"))
	for _, bundle := range bundles {
		r.Git("fetch", "-q", bundle, "refs/heads/*:refs/heads/*")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	askAll(t, r, files, questions)
}

func readJSON(t *testing.T, name string, v any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "search", name))
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// An answer is what the test reads of a hit.
type answer struct {
	UUID      string `json:"uuid"`
	SessionID string `json:"session_id"`
}

// askAll takes transcripts in and asks questions about them.
func askAll(t *testing.T, r *testrepo.Repo, files []string, questions []question) {
	t.Helper()
	run := func(args ...string) string {
		env, out, complaint := clitest.WorldOf(r)
		if err := execute(context.Background(), env, args); err != nil {
			t.Fatalf("entire %s: %v\n%s", strings.Join(args, " "), err, complaint)
		}
		return out.String()
	}
	run(append([]string{"sessions", "import"}, files...)...)
	found, first := 0, 0
	for _, q := range questions {
		var view struct {
			Hits []answer `json:"hits"`
		}
		if err := json.Unmarshal([]byte(run("search", q.Question, "--json", "--limit", fmt.Sprint(recallAt))), &view); err != nil {
			t.Fatal(err)
		}
		rank := slices.IndexFunc(view.Hits, func(h answer) bool {
			return slices.ContainsFunc(q.Answers, func(a struct{ Session, Message string }) bool {
				return h.UUID == a.Message && (a.Session == "" || a.Session == h.SessionID)
			})
		})
		if rank < 0 {
			t.Logf("no answer among the first %d: %s", recallAt, q.Question)
			continue
		}
		found++
		if rank == 0 {
			first++
		}
	}
	recall := float64(found) / float64(len(questions))
	t.Logf("%d questions: recall at %d is %.3f, %d answered by the first hit", len(questions), recallAt, recall, first)
	if recall < recallWanted {
		t.Errorf("recall at %d is %.3f", recallAt, recall)
	}
}

// messageUUID is the UUID of a message of the corpus.
func messageUUID(name string) string { return "00000000-0000-4000-8000-" + fmt.Sprintf("%-12s", name) }

// writeCorpus writes the corpus as transcripts of Claude Code, and as many messages of
// the same words without sense around it.
func writeCorpus(t *testing.T, dir string) (files []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "search", "corpus.txt"))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(data))
	rnd := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	sessions := map[string][]string{}
	name := ""
	add := func(role string, message map[string]any, uuid string) {
		at = at.Add(time.Minute)
		line, err := json.Marshal(map[string]any{"type": role, "uuid": uuid, "sessionId": name, "cwd": "/srv/harbor", "timestamp": at.Format(time.RFC3339),
			"message": message})
		if err != nil {
			t.Fatal(err)
		}
		sessions[name] = append(sessions[name], string(line))
	}
	noise := func(n int) {
		for i := range n {
			var b strings.Builder
			for range 5 + rnd.IntN(60) {
				b.WriteString(words[rnd.IntN(len(words))] + " ")
			}
			add("assistant", map[string]any{"role": "assistant", "id": fmt.Sprint("n", len(sessions[name]), i), "content": []any{map[string]any{"type": "text", "text": b.String()}}},
				fmt.Sprintf("ffffffff-%s-%04d", name, len(sessions[name])))
		}
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if session, ok := strings.CutPrefix(line, "= "); ok {
			name = session
			noise(100)
			continue
		}
		if name == "" {
			continue
		}
		head, text, _ := strings.Cut(line, ": ")
		id, kind, _ := strings.Cut(head, " ")
		if kind != "u" && kind != "a" && kind != "r" && kind != "x" && kind != "s" {
			kind, text = "c", line[len(id)+len(" c: "):]
		}
		switch kind {
		case "u":
			add("user", map[string]any{"role": "user", "content": text}, messageUUID(id))
		case "a":
			add("assistant", map[string]any{"role": "assistant", "id": id, "content": []any{map[string]any{"type": "text", "text": text}}}, messageUUID(id))
		case "c":
			tool, input, _ := strings.Cut(text, " ")
			add("assistant", map[string]any{"role": "assistant", "id": id, "content": []any{map[string]any{"type": "tool_use", "id": "t" + id, "name": tool,
				"input": json.RawMessage(input)}}}, messageUUID(id))
		case "r", "x":
			add("user", map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": "t" + id, "is_error": kind == "x",
				"content": text}}}, messageUUID(id))
		case "s":
			add("user", map[string]any{"role": "user", "content": text}, messageUUID(id))
		}
	}
	for _, name = range slices.Sorted(maps.Keys(sessions)) {
		noise(100)
		path := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(path, []byte(strings.Join(sessions[name], "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	return files
}
