package origin

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/rescue"
)

const (
	maxRead   = 8 << 20 // of a transcript that is searched for commits
	maxGroup  = 4       // transcripts of one folder that are searched
	maxHashes = 200     // of one folder
)

// shownCommit is how git shows a commit that it makes, and one in a log.
var shownCommit = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[[\w./-]{1,100}(?: \(root-commit\))? ([0-9a-f]{7,40})\] |commit ([0-9a-f]{40})\b`)
})

// ByCommits assigns conversations without a project by the commits that they show: those held in one folder
// together. A repository that has most of these commits, and at least one, is their project. progress is called
// with the bytes read.
func (r *Resolver) ByCommits(ctx context.Context, without []*rescue.Conversation, progress func(int64)) map[string]Project {
	groups := map[string][]*rescue.Conversation{}
	for _, c := range without {
		if c.Folder != "" && c.Unread == "" && !c.InDatabase() {
			groups[c.Folder] = append(groups[c.Folder], c)
		}
	}
	found := map[string]Project{}
	hashes := map[string][]string{}
	for folder, group := range groups {
		slices.SortFunc(group, func(a, b *rescue.Conversation) int { return int(b.Size>>10) - int(a.Size>>10) })
		for _, c := range group[:min(len(group), maxGroup)] {
			if ctx.Err() != nil {
				return found
			}
			text := beginning(c.Path)
			progress(int64(len(text)))
			hashes[folder] = append(hashes[folder], commitsIn(text)...)
		}
		if len(hashes[folder]) == 0 {
			delete(hashes, folder)
		}
	}
	best := map[string]int{}
	for _, k := range r.known {
		for folder, n := range k.has(ctx, r.Environ, hashes) {
			if n > best[folder] && 2*n >= len(hashes[folder]) {
				best[folder], found[folder] = n, k.by(ByCommits)
			}
		}
	}
	return found
}

func beginning(path string) []byte {
	f, err := durable.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxRead))
	if err != nil {
		return nil
	}
	return text
}

func commitsIn(text []byte) []string {
	var out []string
	for _, m := range shownCommit().FindAllSubmatch(text, 10*maxHashes) {
		out = append(out, string(m[1])+string(m[2]))
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), maxHashes)]
}

// has returns how many of the commits of each folder the repository has.
func (k *repository) has(ctx context.Context, environ []string, hashes map[string][]string) map[string]int {
	out := map[string]int{}
	if len(hashes) == 0 {
		return out
	}
	repo, err := git.Discover(ctx, k.Top, environ)
	if err != nil {
		return out
	}
	defer repo.Close()
	var ask bytes.Buffer
	var folders []string
	for folder, list := range hashes {
		for _, hash := range list {
			ask.WriteString(hash + "\n")
			folders = append(folders, folder)
		}
	}
	answer, err := repo.RunInput(ctx, ask.Bytes(), "cat-file", "--batch-check=%(objecttype)")
	if err != nil {
		return out
	}
	for i, line := range strings.Split(strings.TrimSpace(string(answer)), "\n") {
		if line == "commit" && i < len(folders) {
			out[folders[i]]++
		}
	}
	return out
}
