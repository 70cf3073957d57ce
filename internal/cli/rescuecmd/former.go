package rescuecmd

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/project"
	"entire/internal/rescue"
	"entire/internal/rescue/origin"
)

// Bounds of the search for former folders.
const (
	maxGone      = 500     // folders that are gone
	maxBeginning = 8 << 20 // of a transcript
	maxNamed     = 2_000   // paths that it names
)

// addFormer adds the folders that are gone and in which the repository was: the conversations there prove it. Folders
// whose files only have the same names are told in a note.
func (h *histories) addFormer(ctx context.Context, env *cliui.Env, repo *git.Repo, all []rescue.Conversation) {
	gone := map[string][]*rescue.Conversation{}
	for i := range all {
		c := &all[i]
		if c.Folder != "" && !cliui.IsDir(c.Folder) && !slices.Contains(h.former, c.Folder) && (gone[c.Folder] != nil || len(gone) < maxGone) {
			gone[c.Folder] = append(gone[c.Folder], c)
		}
	}
	here, err := project.Find(ctx, repo.Top, env.Environ)
	if len(gone) == 0 || err != nil {
		return
	}
	listed := listedNames(ctx, repo)
	r := origin.Open(ctx, env.Environ, env.Home(), repo.Top)
	var without []*rescue.Conversation
	proved := map[string]bool{}
	for folder, list := range gone {
		for _, c := range list {
			switch p := r.Of(ctx, c); p.Key {
			case here.Key:
				proved[folder] = true
			case "":
				without = append(without, c)
			}
		}
	}
	for folder, p := range r.ByCommits(ctx, without, func(int64) {}) {
		proved[folder] = proved[folder] || p.Key == here.Key
	}
	for _, folder := range sortedKeys(gone) {
		top, same, named := topOf(folder, gone[folder], listed)
		switch {
		case proved[folder] && !slices.Contains(h.former, top):
			h.former = append(h.former, top)
		case !proved[folder] && same >= 3 && 2*same >= named:
			h.notes = append(h.notes, fmt.Sprintf("conversations speak of %s, which is gone; %d of its files have the names of files here: --was %s reads them, too", cliui.ShownName(top), same, cliui.ShellWord(top)))
		}
	}
}

func sortedKeys(gone map[string][]*rescue.Conversation) []string {
	var out []string
	for folder := range gone {
		out = append(out, folder)
	}
	slices.Sort(out)
	return out
}

// listedNames returns the files that the index has.
func listedNames(ctx context.Context, repo *git.Repo) map[string]bool {
	out := map[string]bool{}
	if text, err := repo.Run(ctx, "ls-files", "-z"); err == nil {
		for name := range strings.SplitSeq(string(text), "\x00") {
			out[name] = name != ""
		}
	}
	return out
}

// topOf returns the folder at or above a former working folder that was the worktree's top: the one below which most of
// the files that its conversations name have names that are listed. same is how many have, of the named ones.
func topOf(folder string, list []*rescue.Conversation, listed map[string]bool) (top string, same, named int) {
	paths := map[string]bool{}
	for _, c := range list[:min(len(list), 4)] {
		if !c.InDatabase() {
			addNamed(paths, c.Path, filepath.Dir(folder))
		}
	}
	top = folder
	for at, up := folder, 0; up < 6 && at != filepath.Dir(at); at, up = filepath.Dir(at), up+1 {
		n, all := 0, 0
		for path := range paths {
			if rest, ok := strings.CutPrefix(path, at+string(filepath.Separator)); ok {
				all++
				if listed[filepath.ToSlash(rest)] {
					n++
				}
			}
		}
		if n > same || up == 0 {
			top, same, named = at, n, all
		}
	}
	return top, same, named
}

// addNamed adds the paths below a folder that the beginning of a file names.
func addNamed(paths map[string]bool, file, folder string) {
	f, err := durable.Open(file)
	if err != nil {
		return
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBeginning))
	if err != nil {
		return
	}
	text := string(data)
	for len(paths) < maxNamed {
		i := strings.Index(text, folder+"/")
		if i < 0 {
			return
		}
		text = text[i:]
		end := strings.IndexAny(text, "\"\\ \t\n'`,:;)")
		if end < 0 {
			return
		}
		paths[strings.Clone(text[:end])] = true
		text = text[end:]
	}
}
