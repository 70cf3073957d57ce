package enginetest

import (
	"encoding/json"
	"fmt"
	"strings"

	"entire/internal/testrepo"
)

// Slots reads the session metadata of a checkpoint.
func (w *World) Slots(cp string) map[string][]string {
	w.T.Helper()
	out := map[string][]string{}
	for i := 0; ; i++ {
		data, err := w.TryGit("show", fmt.Sprintf("entire/checkpoints/v1:%s/%s/%d/metadata.json", cp[:2], cp[2:], i))
		if err != nil {
			return out
		}
		var m struct {
			Session string   `json:"session_id"`
			Files   []string `json:"files_touched"`
		}
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			w.T.Fatal(err)
		}
		out[m.Session] = m.Files
	}
}

func (w *World) MetadataCommits() int {
	w.T.Helper()
	return len(strings.Fields(w.Git("rev-list", "entire/checkpoints/v1")))
}

// SourceFiles is the commit most of these tests begin with.
func SourceFiles() testrepo.Option {
	return testrepo.Files(map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n", "b.txt": "b\n"})
}

// MetadataOf lists what the metadata branch holds, "" when it has nothing.
func (w *World) MetadataOf() string {
	out, err := w.TryGit("ls-tree", "-r", "--name-only", "entire/checkpoints/v1")
	if err != nil {
		return ""
	}
	return out
}
