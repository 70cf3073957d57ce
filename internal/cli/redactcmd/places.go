package redactcmd

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"entire/checkpoint/chunk"
	"entire/checkpoint/epoch"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/project"
)

// The places that scan looks through.
const (
	inCheckpoints = "checkpoints" // the metadata branch with its history, and refs of single checkpoints
	inSteps       = "steps"       // what shadow branches and our other refs store of conversations
	inMessages    = "messages"    // messages of the commits of both
	inStore       = "store"       // conversations in the session store of this project
	inState       = "state"       // the states of this repository's sessions
	inLogs        = "logs"
	inExports     = "exports" // files that the person names: what was exported from here
)

func allPlaces() []string {
	return []string{inCheckpoints, inSteps, inMessages, inStore, inState, inLogs, inExports}
}

// A storedText is a text that is stored somewhere.
type storedText struct {
	in         string // one of the places
	name       string // a path, with the ref for what is in git
	checkpoint string // its ID, or ""
	file       string // of a text outside git
	packed     bool   // compressed
	oid        git.OID
}

// gitTexts lists the texts that our refs reach, each once.
func gitTexts(ctx context.Context, wp *workplace.Workplace) ([]storedText, error) {
	refs, err := wp.Repo.Refs(ctx, "refs/heads/entire/", "refs/entire/", "refs/remotes/")
	if err != nil {
		return nil, err
	}
	seen := map[git.OID]bool{}
	var all []storedText
	for _, ref := range refs {
		if strings.HasPrefix(ref.Name, "refs/remotes/") && !strings.Contains(ref.Name, "/entire/") || strings.HasPrefix(ref.Name, "refs/entire/teleport/") {
			continue // not ours; or sealed
		}
		args := []string{"rev-list", "--objects", ref.OID.String()}
		if whole := isCheckpoints(ref.Name) || strings.HasPrefix(ref.Name, "refs/entire/backlog/") || strings.HasPrefix(ref.Name, "refs/entire/tasks/"); !whole {
			args = []string{"rev-list", "--objects", "--full-history", ref.OID.String(), "--", ".entire/metadata"}
		}
		out, err := wp.Repo.Run(ctx, args...)
		if err != nil {
			return nil, fmt.Errorf("list what %s has: %w", ref.Name, err)
		}
		for line := range strings.Lines(string(out)) {
			name, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			oid, err := git.ParseOID(name)
			if err != nil || seen[oid] {
				continue
			}
			if t, ok := gitText(ref.Name, path, oid); ok {
				seen[oid] = true
				all = append(all, t)
			}
		}
	}
	return all, nil
}

// isCheckpoints reports whether a ref holds checkpoints and nothing else.
func isCheckpoints(ref string) bool {
	return strings.HasSuffix(ref, "/"+shadow.MetadataBranch) || strings.HasPrefix(ref, "refs/entire/checkpoints/") || strings.HasPrefix(ref, epoch.BodyRefs)
}

// gitText returns the text of an object that a ref reaches; false if it is none of ours: a folder, or a file of
// the project, which is stored as it is.
func gitText(ref, path string, oid git.OID) (storedText, bool) {
	t := storedText{name: path, oid: oid}
	branch := strings.HasSuffix(ref, "/"+shadow.MetadataBranch) || strings.HasPrefix(ref, epoch.BodyRefs)
	own := strings.HasPrefix(ref, "refs/entire/checkpoints/")
	switch {
	case path == "":
		t.in, t.name = inMessages, shortRef(ref)
	case branch || own:
		t.in = inCheckpoints
		if parts := strings.SplitN(path, "/", 3); branch && len(parts) > 2 {
			t.checkpoint = parts[0] + parts[1]
		} else if own {
			t.checkpoint, t.name = ref[strings.LastIndexByte(ref, '/')+1:], shortRef(ref)+": "+path
		}
		if _, err := id.NewCheckpointID(t.checkpoint); err != nil {
			t.checkpoint = ""
		}
	case strings.HasPrefix(path, ".entire/metadata/") || strings.HasPrefix(ref, "refs/entire/backlog/") || strings.HasPrefix(ref, "refs/entire/tasks/"):
		t.in, t.name = inSteps, shortRef(ref)+": "+path
	default:
		return t, false
	}
	return t, t.in == inMessages || isTextName(path)
}

func shortRef(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/")
}

// isTextName reports whether a stored file of that name holds text.
func isTextName(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if _, isChunk := chunk.Number(name); isChunk {
		return true
	}
	switch filepath.Ext(strings.TrimSuffix(name, ".zst")) {
	case ".json", ".jsonl", ".txt", ".md", ".log":
		return name != "content_hash.txt" && name != "feed.jsonl" && name != records.AttributionName // what our own programs noted
	}
	return false
}

// fileTexts lists the texts outside git: conversations of this project, states of sessions, and logs.
func fileTexts(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) ([]storedText, error) {
	folders := []struct{ in, dir string }{
		{inState, filepath.Join(wp.Repo.CommonDir, "entire-sessions")},
		{inState, filepath.Join(wp.Repo.CommonDir, "entire", "sessions")},   // engine.json and the other files beside a state
		{inState, filepath.Join(wp.Repo.CommonDir, "entire", "unreadable")}, // damaged ones
		{inLogs, filepath.Dir(wp.Place.LogPath(wp.Repo.GitDir))},
	}
	if data := workplace.DataDir(env); data != "" {
		ident := project.InRepo(ctx, wp.Repo)
		for _, key := range append([]string{ident.Key}, ident.Former...) {
			folders = append(folders, struct{ in, dir string }{inStore, project.Identity{Key: key}.Dir(data)})
		}
	}
	var all []storedText
	for _, f := range folders {
		err := filepath.WalkDir(f.dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && os.IsNotExist(err):
				return nil
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "blobs":
				return fs.SkipDir // files of the project, as they are
			case d.Type().IsRegular() && (isTextName(path) || filepath.Base(filepath.Dir(path)) == "outputs"):
				all = append(all, storedText{in: f.in, name: path, file: path, packed: strings.HasSuffix(path, ".zst")})
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, fmt.Errorf("list what %s has: %w", f.dir, err)
		}
	}
	return all, nil
}

// exportTexts lists the files that the person named, and the texts in the folders.
func exportTexts(ctx context.Context, env *cliui.Env, names []string) ([]storedText, error) {
	var all []storedText
	for _, name := range names {
		top, err := env.Abs(name)
		if err != nil {
			return nil, err
		}
		err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.Type().IsRegular() && (path == top || isExportName(path)):
				all = append(all, storedText{in: inExports, name: path, file: path, packed: strings.HasSuffix(path, ".zst")})
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, cliui.Failf("name files or folders that were exported from here", "look through %s: %w", cliui.ShownLine(name), err)
		}
	}
	return all, nil
}

// isExportName reports whether a file in a folder of exports holds text.
func isExportName(path string) bool {
	switch filepath.Ext(path) {
	case ".html", ".csv":
		return true
	}
	return isTextName(path)
}
