package enginetest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// These tests hold another tool's reader against what we write. It follows the
// format's description and shares no code with us: regular expressions over
// messages, structs with the documented keys only, and the rule by which that tool
// throws states away.

// otherState is a session's state as the other tool decodes it.
type otherState struct {
	SessionID        string    `json:"session_id"`
	BaseCommit       string    `json:"base_commit"`
	WorktreePath     string    `json:"worktree_path"`
	WorktreeID       string    `json:"worktree_id"`
	StartedAt        time.Time `json:"started_at"`
	Phase            string    `json:"phase"`
	TurnIDs          []string  `json:"turn_checkpoint_ids"`
	CheckpointCount  int       `json:"checkpoint_count"`
	FilesTouched     []string  `json:"files_touched"`
	LastCheckpointID string    `json:"last_checkpoint_id"`
	AgentType        string    `json:"agent_type"`
	TranscriptPath   string    `json:"transcript_path"`
}

type otherSummary struct {
	CheckpointID     string   `json:"checkpoint_id"`
	Strategy         string   `json:"strategy"`
	CheckpointsCount int      `json:"checkpoints_count"`
	FilesTouched     []string `json:"files_touched"`
	Sessions         []struct {
		Metadata    string `json:"metadata"`
		Transcript  string `json:"transcript"`
		Context     string `json:"context"`
		ContentHash string `json:"content_hash"`
		Prompt      string `json:"prompt"`
	} `json:"sessions"`
}

type otherSession struct {
	CheckpointID     string    `json:"checkpoint_id"`
	SessionID        string    `json:"session_id"`
	Strategy         string    `json:"strategy"`
	CreatedAt        time.Time `json:"created_at"`
	CheckpointsCount int       `json:"checkpoints_count"`
	FilesTouched     []string  `json:"files_touched"`
	Agent            string    `json:"agent"`
	Start            int       `json:"checkpoint_transcript_start"`
	OldStart         int       `json:"transcript_lines_at_start"`
}

var (
	hex12        = regexp.MustCompile(`^[0-9a-f]{12}$`)
	hex40        = regexp.MustCompile(`^[0-9a-f]{40}$`)
	emptyTrailer = regexp.MustCompile(`(?m)^(Entire-[A-Za-z-]+|Ephemeral-branch):[ \t]*$`)
	sessionKey   = regexp.MustCompile(`Entire-Session:\s*(.+)`)
	metadataKey  = regexp.MustCompile(`Entire-Metadata:\s*(.+)`)
	strategyKey  = regexp.MustCompile(`Entire-Strategy:\s*(.+)`)
)

// OtherReads checks everything that is there now.
func (w *World) OtherReads(when string) {
	w.T.Helper()
	w.otherReadsStates(when)
	for _, ref := range w.Shadows() {
		w.otherReadsSteps(when, ref)
	}
	w.otherReadsCheckpoints(when)
}

func (w *World) otherReadsStates(when string) {
	w.T.Helper()
	files, err := filepath.Glob(filepath.Join(w.GitPath("entire-sessions"), "*.json"))
	if err != nil {
		w.T.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			w.T.Fatal(err)
		}
		var st otherState
		if err := json.Unmarshal(data, &st); err != nil {
			w.T.Errorf("%s: %s: %v", when, file, err)
			continue
		}
		if st.SessionID+".json" != filepath.Base(file) || !hex40.MatchString(st.BaseCommit) || st.StartedAt.IsZero() || st.AgentType == "" || st.WorktreePath != w.Dir {
			w.T.Errorf("%s: state %s", when, data)
		}
		if !slices.Contains([]string{"active", "idle", "ended"}, st.Phase) || st.LastCheckpointID != "" && !hex12.MatchString(st.LastCheckpointID) {
			w.T.Errorf("%s: phase %q, last checkpoint %q", when, st.Phase, st.LastCheckpointID)
		}
		// The other tool deletes the state of a session without a branch. It must
		// never find one like that while work or a transcript waits for something.
		_, gone := w.TryGit("rev-parse", "-q", "--verify", "refs/heads/entire/"+st.BaseCommit[:7]+"-e3b0c4")
		thrownAway := gone != nil && st.Phase != "active" && st.LastCheckpointID == ""
		if thrownAway && (len(st.FilesTouched) > 0 || st.CheckpointCount > 0 || len(st.TurnIDs) > 0) {
			w.T.Errorf("%s: the other tool would delete %s", when, data)
		}
	}
}

// otherReadsSteps walks a shadow branch as `rewind --list` of the other tool does.
func (w *World) otherReadsSteps(when, ref string) {
	w.T.Helper()
	commits := strings.Fields(w.Git("rev-list", "--topo-order", ref))
	for i, commit := range commits {
		msg := w.Git("log", "-1", "--format=%B", commit)
		if emptyTrailer.MatchString(msg) {
			w.T.Errorf("%s: a trailer without a value in\n%s", when, msg)
		}
		if parents := strings.Fields(w.Git("log", "-1", "--format=%P", commit)); (len(parents) == 0) != (i == len(commits)-1) || len(parents) > 1 {
			w.T.Errorf("%s: step %d of %d has %d parents", when, i, len(commits), len(parents))
		}
		session := sessionKey.FindStringSubmatch(msg)
		if session == nil { // invisible to the other tool
			if !strings.Contains(msg, "Entire-Step:") {
				w.T.Errorf("%s: a step of nobody's\n%s", when, msg)
			}
			continue
		}
		if s := strategyKey.FindStringSubmatch(msg); s == nil || s[1] != "manual-commit" {
			w.T.Errorf("%s: no strategy in\n%s", when, msg)
		}
		dir := metadataKey.FindStringSubmatch(msg)
		if dir == nil {
			continue // a task, or carried forward
		}
		if want := ".entire/metadata/" + session[1]; dir[1] != want {
			w.T.Errorf("%s: metadata at %q, want %q", when, dir[1], want)
		}
		for _, name := range []string{"full.jsonl", "prompt.txt"} {
			if _, err := w.TryGit("cat-file", "-e", commit+":"+dir[1]+"/"+name); err != nil {
				w.T.Errorf("%s: %s has no %s", when, commit, name)
			}
		}
	}
}

// otherReadsCheckpoints reads every checkpoint and looks for what would make the
// other tool refuse to write to it.
func (w *World) otherReadsCheckpoints(when string) {
	w.T.Helper()
	files, err := w.TryGit("ls-tree", "-r", "--name-only", "entire/checkpoints/v1")
	if err != nil {
		return
	}
	have := strings.Fields(files)
	read := func(name string, v any) {
		w.T.Helper()
		if err := json.Unmarshal([]byte(w.Git("show", "entire/checkpoints/v1:"+strings.TrimPrefix(name, "/"))), v); err != nil {
			w.T.Errorf("%s: %s: %v", when, name, err)
		}
	}
	for _, name := range have {
		if strings.Count(name, "/") != 2 || path.Base(name) != "metadata.json" {
			continue
		}
		var sum otherSummary
		read(name, &sum)
		if strings.ReplaceAll(path.Dir(name), "/", "") != sum.CheckpointID || sum.Strategy == "" || len(sum.Sessions) == 0 {
			w.T.Errorf("%s: summary %+v", when, sum)
		}
		steps := 0
		for i, paths := range sum.Sessions {
			var s otherSession
			read(paths.Metadata, &s)
			steps += s.CheckpointsCount
			if s.CheckpointID != sum.CheckpointID || s.SessionID == "" || s.Agent == "" || s.CreatedAt.IsZero() || s.Start != s.OldStart {
				w.T.Errorf("%s: session %+v", when, s)
			}
			if want := fmt.Sprintf("/%s/%d/metadata.json", path.Dir(name), i); paths.Metadata != want {
				w.T.Errorf("%s: session %d is at %s", when, i, paths.Metadata)
			}
			for _, p := range []string{paths.Transcript, paths.ContentHash, paths.Prompt, paths.Context} {
				if p != "" && !slices.Contains(have, strings.TrimPrefix(p, "/")) {
					w.T.Errorf("%s: %s is listed and not there", when, p)
				}
			}
			w.otherReadsTranscript(when, path.Dir(strings.TrimPrefix(paths.Metadata, "/")), have)
		}
		if steps != sum.CheckpointsCount {
			w.T.Errorf("%s: %d steps in the sessions, %d in the summary", when, steps, sum.CheckpointsCount)
		}
	}
	for _, msg := range strings.Split(w.Git("log", "--format=%B%x00", "entire/checkpoints/v1"), "\x00") {
		if emptyTrailer.MatchString(msg) {
			w.T.Errorf("%s: a trailer without a value in\n%s", when, msg)
		}
	}
}

// otherReadsTranscript joins chunks with a newline, the base first, and compares
// the hash.
func (w *World) otherReadsTranscript(when, dir string, have []string) {
	w.T.Helper()
	var chunks []string
	for n := 0; ; n++ {
		name := dir + "/full.jsonl"
		if n > 0 {
			name += fmt.Sprintf(".%03d", n)
		}
		if !slices.Contains(have, name) {
			break
		}
		chunks = append(chunks, w.Blob(name))
	}
	whole := strings.Join(chunks, "\n")
	for line := range strings.Lines(whole) {
		if !json.Valid([]byte(line)) {
			w.T.Errorf("%s: %s: not JSON: %.80q", when, dir, line)
		}
	}
	if got, want := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(whole))), w.Blob(dir+"/content_hash.txt"); got != want {
		w.T.Errorf("%s: %s has hash %s, want %s", when, dir, got, want)
	}
}

// Blob is a file of the metadata branch, byte for byte.
func (w *World) Blob(name string) string {
	w.T.Helper()
	out, err := w.Command("git", "show", "entire/checkpoints/v1:"+name).Output()
	if err != nil {
		w.T.Fatalf("read %s: %v", name, err)
	}
	return string(out)
}

// OtherStep makes a step as the other tool does: a whole tree, the agent's file as
// it is now, no base.
func (w *World) OtherStep(sid, subject string) string {
	w.T.Helper()
	git := w.withIndex(filepath.Join(w.T.TempDir(), "index"))
	dir := ".entire/metadata/" + sid
	git("add", "-A")
	for name, file := range map[string]string{"full.jsonl": w.Transcript(sid), "prompt.txt": filepath.Join(w.Dir, ".git", "HEAD")} {
		git("update-index", "--add", "--cacheinfo", "100644,"+git("hash-object", "-w", file)+","+dir+"/"+name)
	}
	ref := "refs/heads/entire/" + w.Head()[:7] + "-e3b0c4"
	args := []string{"commit-tree", git("write-tree"), "-m", subject,
		"-m", "Entire-Metadata: " + dir + "\nEntire-Session: " + sid + "\nEntire-Strategy: manual-commit"}
	if tip, err := w.TryGit("rev-parse", "-q", "--verify", ref); err == nil {
		args = append(args, "-p", tip)
	}
	commit := git(args...)
	w.Git("update-ref", ref, commit)
	return commit
}
