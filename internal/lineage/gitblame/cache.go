package gitblame

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"entire/internal/durable"
	"entire/internal/git"
)

// maxCache bounds the cache's files together, and maxAnswer each of them, in bytes.
const (
	maxCache  = 32 << 20
	maxAnswer = 4 << 20
)

// question is a question whose answer may be kept.
type question struct {
	file string   // the cache's file; "" if the answer may not be kept
	text [][]byte // the file's lines
}

// question returns the question about a file of a commit, or about a file of the worktree that is as HEAD has it.
func (b Blamer) question(ctx context.Context, rev, path string, spans []Span) (q question, err error) {
	if b.CacheDir == "" || b.Repo.Grafted() {
		return q, nil
	}
	rd := b.Repo.Reader(ctx)
	at, ok, err := rd.CommitOf(cmp.Or(rev, "HEAD"))
	if err != nil || !ok {
		return q, ctx.Err()
	}
	entry, ok, err := rd.Path(at.Tree, path)
	if err != nil || !ok || entry.Mode == git.ModeTree || entry.Mode == git.ModeGitlink {
		return q, ctx.Err()
	}
	text, err := rd.Blob(entry.OID)
	if err != nil || rev == "" && !b.unchanged(path, text) {
		return q, ctx.Err()
	}
	depends, ok := b.depends(ctx)
	if !ok {
		return q, ctx.Err()
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "1\x00%s\x00%s\x00%v\x00%s", at.OID, path, spans, depends))
	q.file = filepath.Join(b.CacheDir, "blame", fmt.Sprintf("%x.json", sum[:12]))
	q.text = slices.Collect(bytes.Lines(text))
	return q, nil
}

// unchanged reports whether a file of the worktree has the given content.
func (b Blamer) unchanged(path string, text []byte) bool {
	wt, err := b.Repo.OpenWorktree()
	if err != nil {
		return false
	}
	defer wt.Close()
	fi, err := wt.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() != int64(len(text)) {
		return false
	}
	now, _, err := wt.Read(path)
	return err == nil && bytes.Equal(now, text)
}

// depends returns what git's answer depends on beside the history: how it compares texts and names authors. It
// returns false if that is in files of the user's choice.
func (b Blamer) depends(ctx context.Context) (string, bool) {
	values, err := b.Repo.ConfigMatching(ctx, `^(diff\.(algorithm|indentheuristic)|mailmap\..*|i18n\.(log|commit).*encoding)$`)
	if err != nil || values["mailmap.file"] != "" || values["mailmap.blob"] != "" {
		return "", false
	}
	names, err := durable.ReadPlain(filepath.Join(b.Repo.Top, ".mailmap"), maxAnswer)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", false
	}
	return fmt.Sprintf("%v\x00%s", values, names), true
}

// answer is the cache's form of an answer.
type answer struct {
	Commits []keptCommit `json:"commits"`
	Runs    [][4]int     `json:"runs"` // a commit's index, the first line's numbers in its file and in this one, how many lines
}

type keptCommit struct {
	OID        string `json:"oid"`
	Path       string `json:"path"`
	Parent     string `json:"parent,omitempty"`
	ParentPath string `json:"parent_path,omitempty"`
	Author     string `json:"author"`
	Mail       string `json:"mail"`
	When       int64  `json:"when"` // in seconds since 1970
	Summary    string `json:"summary"`
}

// remembered returns the answer that the cache has; false for none. Damage is no answer.
func (b Blamer) remembered(q question) ([]Line, bool) {
	if q.file == "" {
		return nil, false
	}
	data, err := durable.Read(q.file, 2*maxAnswer)
	sum, data, _ := bytes.Cut(data, []byte("\n"))
	var kept answer
	if err != nil || string(sum) != sumOf(data) || json.Unmarshal(data, &kept) != nil {
		return nil, false
	}
	commits := make([]*Commit, len(kept.Commits))
	for i, c := range kept.Commits {
		oid, err := git.ParseOID(c.OID)
		if err != nil {
			return nil, false
		}
		commits[i] = &Commit{OID: oid, Path: c.Path, ParentPath: c.ParentPath, Author: c.Author, Mail: c.Mail, When: time.Unix(c.When, 0), Summary: c.Summary}
		if c.Parent == "" {
			continue
		}
		if commits[i].Parent, err = git.ParseOID(c.Parent); err != nil {
			return nil, false
		}
	}
	lines := make([]Line, 0, len(q.text))
	for _, r := range kept.Runs {
		if r[0] < 0 || r[0] >= len(commits) || r[2] < 1 || r[3] < 1 || r[3] > len(q.text)-r[2]+1 {
			return nil, false
		}
		for n := range r[3] {
			text := bytes.TrimSuffix(q.text[r[2]-1+n], []byte("\n"))
			lines = append(lines, Line{Number: r[2] + n, Origin: r[1] + n, Commit: commits[r[0]], Text: string(text)})
		}
	}
	return lines, true
}

// remember keeps an answer. Without it the next run takes longer, so errors are ignored.
func (b Blamer) remember(q question, lines []Line) {
	if q.file == "" {
		return
	}
	var kept answer
	index := map[*Commit]int{}
	for _, l := range lines {
		if l.Commit.OID.IsZero() || l.Number > len(q.text) || l.Text != string(bytes.TrimSuffix(q.text[l.Number-1], []byte("\n"))) {
			return // a filter made another text of it
		}
		i, known := index[l.Commit]
		if !known {
			i = len(kept.Commits)
			index[l.Commit] = i
			c := keptCommit{OID: l.Commit.OID.String(), Path: l.Commit.Path, ParentPath: l.Commit.ParentPath,
				Author: l.Commit.Author, Mail: l.Commit.Mail, When: l.Commit.When.Unix(), Summary: l.Commit.Summary}
			if !l.Commit.Parent.IsZero() {
				c.Parent = l.Commit.Parent.String()
			}
			kept.Commits = append(kept.Commits, c)
		}
		if n := len(kept.Runs); n > 0 {
			if r := &kept.Runs[n-1]; r[0] == i && r[1]+r[3] == l.Origin && r[2]+r[3] == l.Number {
				r[3]++
				continue
			}
		}
		kept.Runs = append(kept.Runs, [4]int{i, l.Origin, l.Number, 1})
	}
	data, err := json.Marshal(kept)
	if err != nil || len(data) > maxAnswer || !kept.isText() {
		return
	}
	if durable.WriteCache(q.file, append([]byte(sumOf(data)+"\n"), data...), 0o600) == nil {
		trim(filepath.Dir(q.file))
	}
}

func sumOf(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// isText reports whether JSON can hold all names as they are.
func (a *answer) isText() bool {
	return !slices.ContainsFunc(a.Commits, func(c keptCommit) bool {
		return !utf8.ValidString(c.Path + "\x00" + c.ParentPath + "\x00" + c.Author + "\x00" + c.Mail + "\x00" + c.Summary)
	})
}

// trim removes the oldest files of a folder while all together are larger than maxCache.
func trim(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	var size int64
	for _, e := range entries {
		if fi, err := e.Info(); err == nil {
			files, size = append(files, fi), size+fi.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, fi := range files {
		if size <= maxCache {
			return
		}
		if os.Remove(filepath.Join(dir, fi.Name())) == nil {
			size -= fi.Size()
		}
	}
}
