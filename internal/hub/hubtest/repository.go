//go:build unix

package hubtest

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"entire/checkpoint/statement"
	"entire/internal/testrepo"
)

// A Repository is a bare repository with checkpoints, as a git server has it.
type Repository struct {
	Dir string
	Env []string

	AgentLines, OtherLines int64 // that its checkpoints record

	t     testing.TB
	name  string
	count int
	last  map[string]statement.Link // of each clone's chain
}

// NewRepository makes a repository without checkpoints.
func NewRepository(t testing.TB, name string) *Repository {
	t.Helper()
	r := &Repository{Dir: filepath.Join(t.TempDir(), name+".git"), Env: testrepo.Environ(testrepo.NewHome(t)), t: t, name: name, last: map[string]statement.Link{}}
	r.Git("init", "-q", "--bare", r.Dir)
	for _, kv := range []string{"uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"} {
		r.Git("-C", r.Dir, "config", kv, "true")
	}
	return r
}

// Git runs git and returns what it prints.
func (r *Repository) Git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = r.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

// ID returns the ID of the i-th checkpoint.
func (r *Repository) ID(i int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", r.name, i))
	return hex.EncodeToString(sum[:6])
}

// Count returns how many checkpoints were added.
func (r *Repository) Count() int { return r.count }

// Add adds n checkpoints of many people, agents and months, each in a commit of its own.
func (r *Repository) Add(n int) {
	r.t.Helper()
	r.importing(func(w io.Writer, tip string) {
		for i := range n {
			r.one(w, tip, r.count+i)
			tip = ""
		}
	})
	r.count += n
}

const branch = "refs/heads/entire/checkpoints/v1"

// importing gives a stream to git fast-import, which begins at the branch's tip.
func (r *Repository) importing(write func(w io.Writer, tip string)) {
	r.t.Helper()
	tip := ""
	if _, err := os.Stat(filepath.Join(r.Dir, branch)); err == nil {
		tip = branch + "^0"
	} else if packed, _ := os.ReadFile(filepath.Join(r.Dir, "packed-refs")); len(packed) > 0 {
		tip = branch + "^0"
	}
	cmd := exec.Command("git", "-C", r.Dir, "fast-import", "--quiet", "--force", "--depth=10")
	cmd.Env = r.Env
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	w := bufio.NewWriterSize(stdin, 1<<20)
	write(w, tip)
	w.Flush()
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		r.t.Fatal(err)
	}
}

// Began is when the first checkpoint of every repository was made.
var Began = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// People is how many authors a repository has.
const People = 60

// agents and models that the checkpoints have, and words that prompts are made of.
var (
	agents = []string{"Claude Code", "Codex", "Gemini CLI"}
	models = []string{"claude-opus-4-6", "gpt-5.2-codex", "gemini-3-pro"}
	words  = []string{"fix", "add", "remove", "test", "cache", "login", "invoice", "payment", "retry", "timeout", "schema", "migration", "button", "colour",
		"parser", "token", "search", "index", "queue", "worker", "metric", "alert", "deploy", "config", "docs", "error", "message", "upload", "image", "report"}
	areas = []string{"services/pay/api", "services/pay/store", "services/search", "web/src/pages", "web/src/parts", "docs", "cmd/tool", "internal/auth", "internal/db", "lib/text"}
)

// one writes the i-th checkpoint.
func (r *Repository) one(w io.Writer, from string, i int) {
	cp := r.ID(i)
	dir := cp[:2] + "/" + cp[2:]
	seed := sha256.Sum256([]byte(cp))
	person := int(seed[0])<<8 | int(seed[1])
	at := Began.Add(time.Duration(i) * 7 * time.Minute)
	files := r.files(cp, dir, i, seed, at)
	who := fmt.Sprintf("Dev %d <dev%d@%s.example>", person%People, person%People, []string{"pay", "web", "core"}[person%3])
	fmt.Fprintf(w, "commit %s\nauthor %s %d +0000\ncommitter %s %d +0000\n", branch, who, at.Unix(), who, at.Unix())
	message := "Checkpoint: " + cp + "\n\nEntire-Strategy: manual-commit\n"
	fmt.Fprintf(w, "data %d\n%s\n", len(message), message)
	if from != "" {
		fmt.Fprintf(w, "from %s\n", from)
	}
	for _, f := range files {
		fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", f[0], len(f[1]), f[1])
	}
}

func (r *Repository) files(cp, dir string, i int, seed [32]byte, at time.Time) [][2]string {
	agent := int(seed[2]) % len(agents)
	paths := []string{}
	for k := range int(seed[3])%4 + 1 {
		paths = append(paths, fmt.Sprintf("%s/file%d.go", areas[int(seed[4+k])%len(areas)], int(seed[8+k])%40))
	}
	prompt := ""
	for k := range 12 + int(seed[12])%20 {
		prompt += words[(int(seed[k%32])+k*7)%len(words)] + " "
	}
	prompt += fmt.Sprintf("ticket%d %s", i, r.name)
	sid := fmt.Sprintf("session-%s-%d", r.name, i/3)
	tokens := map[string]int{"input_tokens": int(seed[13]) * 10, "cache_read_tokens": int(seed[14]) * 1000, "cache_creation_tokens": int(seed[15]) * 100, "output_tokens": int(seed[16]) * 20, "api_call_count": 1 + int(seed[17])%9}
	summary := map[string]any{"checkpoint_id": cp, "strategy": "manual-commit", "branch": "main", "checkpoints_count": 1, "files_touched": paths, "token_usage": tokens,
		"sessions": []map[string]string{{"metadata": "/" + dir + "/0/metadata.json", "transcript": "/" + dir + "/0/full.jsonl", "prompt": "/" + dir + "/0/prompt.txt", "context": "", "content_hash": ""}}}
	meta := map[string]any{"checkpoint_id": cp, "session_id": sid, "strategy": "manual-commit", "created_at": at, "branch": "main", "checkpoints_count": 1, "files_touched": paths, "agent": agents[agent], "token_usage": tokens}
	about := map[string]any{"session_id": sid, "agent": agents[agent], "model": models[agent], "title": prompt[:20], "message_count": 4, "turn_count": 1, "chunks": 1, "size": 10, "hash": "sha256:" + hex.EncodeToString(seed[:]), "transcript": ""}
	files := [][2]string{
		{dir + "/metadata.json", text(summary)}, {dir + "/0/metadata.json", text(meta)}, {dir + "/0/prompt.txt", prompt}, {dir + "/messages-0.json", text(about)},
		{dir + "/messages-0.jsonl", fmt.Sprintf("{\"uuid\":%q,\"role\":\"user\",\"content\":%q}\n", cp, prompt)},
		{dir + "/0/full.jsonl", fmt.Sprintf("{\"type\":\"user\",\"text\":%q,\"pad\":%q}\n", prompt, hex.EncodeToString(seed[:]))},
		{dir + "/attribution.json", r.record(paths, sid, agents[agent], models[agent], seed)},
	}
	if i%10 == 0 {
		files = append(files, r.statement(cp, dir, seed, at)...)
	}
	return files
}

// record returns who wrote the lines of a checkpoint's commit.
func (r *Repository) record(paths []string, sid, agent, model string, seed [32]byte) string {
	owners := []map[string]any{{"class": "agent", "session_id": sid, "agent": agent, "model": model, "turn": 1}, {"class": "human"}, {"class": "unknown"}}
	var files []map[string]any
	seen := map[string]bool{}
	for k, p := range paths {
		if seen[p] {
			continue
		}
		seen[p] = true
		n, m := int(seed[20+k])%30+1, int(seed[24+k])%10+1
		r.AgentLines += int64(n)
		r.OtherLines += int64(m)
		prints := func(n int) string { return base64.StdEncoding.EncodeToString(make([]byte, 4*n)) }
		files = append(files, map[string]any{"path": p, "blob": hex.EncodeToString(seed[:20]), "lines": n + m + 5, "ranges": []map[string]any{
			{"start": 1, "count": n, "owner": 0, "prints": prints(n)}, {"start": n + 3, "count": m, "owner": 1 + k%2, "prints": prints(m)}}})
	}
	sortByPath(files)
	return text(map[string]any{"version": 1, "owners": owners, "files": files})
}

func (r *Repository) statement(cp, dir string, seed [32]byte, at time.Time) [][2]string {
	clone := []string{"aaaaaaaaaaaa", "bbbbbbbbbbbb"}[int(seed[30])%2]
	s := &statement.Statement{Type: statement.Type, PredicateType: statement.PredicateType,
		Subject:   []statement.Subject{{Name: "checkpoint", Digest: map[string]string{"gitTree": hex.EncodeToString(seed[:20])}}, {Name: "commit", Digest: map[string]string{"gitCommit": hex.EncodeToString(seed[4:24])}}},
		Predicate: statement.Predicate{Checkpoint: cp, Time: at, Files: map[string]string{"metadata.json": "x"}, Person: statement.Person{Name: "Acc Ount", Email: "acc@pay.example"}}}
	s.Predicate.Chain = statement.Chain{Clone: clone, Number: 1}
	if last, ok := r.last[clone]; ok {
		s.Predicate.Chain.Number, s.Predicate.Chain.Previous = last.Number+1, &last
	}
	data, err := s.Encode()
	if err != nil {
		r.t.Fatal(err)
	}
	r.last[clone] = s.Link(data)
	out := [][2]string{{dir + "/" + statement.Name(clone), string(data)}}
	if seed[31]%2 == 0 {
		out = append(out, [2]string{dir + "/" + statement.SignatureName(clone), "-----BEGIN SSH SIGNATURE-----\n"})
	}
	return out
}

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func sortByPath(files []map[string]any) {
	for i := range files {
		for k := i; k > 0 && files[k]["path"].(string) < files[k-1]["path"].(string); k-- {
			files[k], files[k-1] = files[k-1], files[k]
		}
	}
}
