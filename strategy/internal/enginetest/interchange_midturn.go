package enginetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/checkpoint/shadow"
)

// OtherOffers is whether the other tool's prepare-commit-msg puts a trailer into the
// message, by its own rules: without a terminal wherever a session is in a turn, with
// one where a session has something new.
func (w *World) OtherOffers(sid string, tty bool, staged ...string) bool {
	w.T.Helper()
	st := w.OtherStateOf(sid)
	if !tty && st.Phase == "active" {
		return true
	}
	ref := "refs/heads/" + strings.TrimPrefix(shadow.Ref(st.BaseCommit, st.WorktreeID), "refs/heads/")
	if _, err := w.TryGit("rev-parse", "--verify", "-q", ref); err != nil {
		return w.otherSeesLive(st, staged)
	}
	if text, err := w.TryGit("show", ref+":.entire/metadata/"+sid+"/full.jsonl"); err == nil {
		return strings.Count(strings.TrimRight(text, "\n"), "\n")+1 > st.Start
	}
	if len(st.FilesTouched) == 0 {
		return w.otherSeesLive(st, staged)
	}
	return slices.ContainsFunc(staged, func(path string) bool {
		if !slices.Contains(st.FilesTouched, path) {
			return false
		}
		_, err := w.TryGit("cat-file", "-e", "HEAD:"+path)
		shadow, _ := w.TryGit("rev-parse", ref+":"+path)
		return err == nil || shadow == w.Git("rev-parse", ":"+path)
	})
}

// OtherCondenses is whether its post-commit stores a checkpoint for a commit in the turn.
func (w *World) OtherCondenses(sid string, committed ...string) bool {
	w.T.Helper()
	st := w.OtherStateOf(sid)
	return st.CheckpointCount > 0 || len(st.FilesTouched) > 0 || w.otherSeesLive(st, committed)
}

type otherTurn struct {
	otherState
	Start int `json:"checkpoint_transcript_start"`
}

func (w *World) OtherStateOf(sid string) otherTurn {
	w.T.Helper()
	var st otherTurn
	if err := json.Unmarshal([]byte(ReadFile(w.T, w.GitPath("entire-sessions/"+sid+".json"))), &st); err != nil {
		w.T.Fatal(err)
	}
	return st
}

// otherSeesLive looks in the live transcript for edits of paths since the last checkpoint.
func (w *World) otherSeesLive(st otherTurn, paths []string) bool {
	w.T.Helper()
	data, err := os.ReadFile(st.TranscriptPath)
	if err != nil {
		w.T.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	for _, line := range lines[min(st.Start, len(lines)):] {
		for _, path := range paths {
			if strings.Contains(line, `"tool_use"`) && strings.Contains(line, `"file_path":"`+filepath.Join(st.WorktreePath, path)+`"`) {
				return true
			}
		}
	}
	return false
}
