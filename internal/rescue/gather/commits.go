package gather

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire/internal/git"
	"entire/internal/rescue/versions"
)

// Bounds of the commits that are read: of one source and of the history of chosen files, and of all history.
const (
	maxCommits = 20_000
	maxHistory = 5_000
)

// A commitSource is a set of commits that only one place remembers.
type commitSource struct {
	words string
	tips  []string
	kept  bool // people find them without our help
	steps bool
}

// commits reads the versions in commits that no branch has: steps, stashes, and what reflogs remember.
func (c *Collector) commits(ctx context.Context) error {
	refs, err := c.Repo.Refs(ctx)
	if err != nil {
		return err
	}
	var own, stash, kept []string
	for _, r := range refs {
		switch {
		case holdsSteps(r.Name):
			own = append(own, r.OID.String())
		case strings.HasPrefix(r.Name, "refs/entire/"), strings.HasPrefix(r.Name, "refs/heads/entire/"): // conversations
		case r.Name == "refs/stash":
			stash = append(stash, r.OID.String())
		case strings.HasPrefix(r.Name, "refs/heads/"), strings.HasPrefix(r.Name, "refs/tags/"), strings.HasPrefix(r.Name, "refs/remotes/"):
			kept = append(kept, r.OID.String())
		}
	}
	if head, ok := c.Repo.Head(ctx); ok {
		kept = append(kept, head.String())
	}
	logged, stashed, others := c.reflogs(ctx)
	if c.written, err = c.authored(ctx, kept); err != nil {
		return err
	}
	read := map[string]bool{}
	for _, s := range []commitSource{
		{words: "step", tips: own, steps: true},
		{words: "stash", tips: append(stash, stashed...)},
		{words: "reflog", tips: logged},
		{words: "reflog of another worktree or branch", tips: others, kept: true},
	} {
		if err := c.readCommits(ctx, s, kept, read, nil); err != nil {
			return err
		}
	}
	return nil
}

// holdsSteps reports whether the commits of a ref have the files of a worktree: a shadow branch, or one of our refs that
// keeps steps. The other refs of ours, such as the metadata branch, hold what is stored of conversations.
func holdsSteps(ref string) bool {
	if name, ok := strings.CutPrefix(ref, "refs/heads/entire/"); ok {
		return name != "sessions" && !strings.HasPrefix(name, "checkpoints/")
	}
	dir, _, _ := strings.Cut(strings.TrimPrefix(ref, "refs/entire/"), "/")
	return strings.HasPrefix(ref, "refs/entire/") && slices.Contains([]string{"labels", "orphans", "received", "turns", "undo"}, dir)
}

// reflogs returns the commits that reflogs name: that of this worktree's HEAD, those of stashes, and all others. What the
// others name was done elsewhere, and is not lost here.
func (c *Collector) reflogs(ctx context.Context) (logged, stashed, others []string) {
	var files []string
	for _, dir := range []string{filepath.Join(c.Repo.CommonDir, "logs"), filepath.Join(c.Repo.GitDir, "logs"), filepath.Join(c.Repo.CommonDir, "worktrees")} {
		filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.Contains(filepath.ToSlash(path), "/logs/") && !strings.Contains(filepath.ToSlash(path), "/refs/heads/entire/") {
				files = append(files, path)
			}
			return nil
		})
	}
	for _, name := range []string{"ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD", "AUTO_MERGE"} {
		logged = append(logged, strings.Fields(string(c.Repo.RefFile(ctx, name)))...)
	}
	defer func() { slices.Sort(c.rewrites) }()
	take := func(text []byte, into *[]string) {
		c.takeRewrites(string(text))
		for _, e := range git.ParseReflog(text) {
			for _, oid := range []git.OID{e.Old, e.New} {
				if !oid.IsZero() {
					*into = append(*into, oid.String())
				}
			}
		}
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		text, err := readRegular(file)
		switch {
		case err != nil:
		case strings.HasSuffix(filepath.ToSlash(file), "/refs/stash"):
			take(text, &stashed)
		case file == filepath.Join(c.Repo.GitDir, "logs", "HEAD"):
			take(text, &logged)
		default:
			take(text, &others)
		}
	}
	if c.Repo.InTables() {
		names, err := c.Repo.Run(ctx, "reflog", "list")
		if err != nil {
			return logged, stashed, others // this git knows no such list
		}
		for _, name := range strings.Fields(string(names)) {
			switch {
			case strings.HasPrefix(name, "refs/heads/entire/"):
			case name == "HEAD":
				take(c.Repo.ReflogTail(ctx, c.Repo.GitDir, name, math.MaxInt32), &logged)
			case name == "refs/stash":
				take(c.Repo.ReflogTail(ctx, c.Repo.CommonDir, name, math.MaxInt32), &stashed)
			default:
				take(c.Repo.ReflogTail(ctx, c.Repo.CommonDir, name, math.MaxInt32), &others)
			}
		}
	}
	return logged, stashed, others
}

// readCommits reads what the commits of a source changed that no kept commit has. Commits in read are passed
// over; those that were read are added to it.
func (c *Collector) readCommits(ctx context.Context, s commitSource, kept []string, read map[string]bool, paths []string) error {
	tips := c.existing(ctx, s.tips)
	if len(tips) == 0 {
		return nil
	}
	var in strings.Builder
	for _, tip := range tips {
		in.WriteString(tip + "\n")
	}
	for _, k := range c.existing(ctx, kept) {
		in.WriteString("^" + k + "\n")
	}
	if len(paths) > 0 {
		in.WriteString("--\n" + strings.Join(paths, "\n") + "\n")
	}
	return c.rawLog(ctx, in.String(), maxCommits, func(commit loggedCommit, path string, change rawChange) {
		if !read[commit.oid] {
			c.addChange(s, commit, path, change)
		}
	}, func(commit loggedCommit) { read[commit.oid] = true })
}

// existing returns the names of those objects that are there, and commits.
func (c *Collector) existing(ctx context.Context, names []string) []string {
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return nil
	}
	var in strings.Builder
	for _, name := range names {
		in.WriteString(name + "^{commit}\n")
	}
	out, err := c.Repo.RunInput(ctx, []byte(in.String()), "cat-file", "--batch-check=%(objecttype) %(objectname)")
	if err != nil {
		return nil
	}
	var there []string
	for line := range strings.Lines(string(out)) {
		if kind, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && kind == "commit" {
			there = append(there, name)
		}
	}
	return there
}

// loggedCommit is a commit as `git log` prints it.
type loggedCommit struct {
	oid     string
	at      time.Time
	subject string
	author  string // when, who and what: the same for a commit that was made out of this one
}

// rawChange is one changed path of a commit.
type rawChange struct {
	mode uint32
	blob string // its ID, maybe shortened
}

// rawLog reads the newest commits that the revisions name, oldest first, with what each changed against its first
// parent.
func (c *Collector) rawLog(ctx context.Context, revisions string, limit int, take func(loggedCommit, string, rawChange), done func(loggedCommit)) error {
	args := []string{"log", "--stdin", "--root", "--reverse", "--raw", "-z", "--no-abbrev", "--no-renames",
		"--diff-merges=first-parent", "--max-count=" + strconv.Itoa(limit), "--no-show-signature", "--no-color", "--no-notes", commitFormat}
	var commit loggedCommit
	var change rawChange
	open := false
	err := eachField(ctx, c.Repo, revisions, func(field string) {
		field = strings.TrimPrefix(field, "\n")
		switch {
		case strings.HasPrefix(field, "\x01"):
			if commit.oid != "" {
				done(commit)
			}
			commit = parseCommit(field[1:])
		case strings.HasPrefix(field, ":") && !open:
			change, open = parseChange(field[1:])
		case open:
			take(commit, field, change)
			open = false
		}
	}, args...)
	if commit.oid != "" {
		done(commit)
	}
	if err != nil {
		return fmt.Errorf("list the commits that changed the files: %w", err)
	}
	return nil
}

// maxField bounds one field of git's output.
const maxField = 1 << 20

// eachField runs git and calls take with each field of what it prints with -z. It ends git at a field that is too
// long: git would wait for somebody who reads the rest.
func eachField(ctx context.Context, repo *git.Repo, stdin string, take func(field string), args ...string) error {
	cmd := repo.Command(strings.NewReader(stdin)).Cmd(ctx, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	scan := bufio.NewScanner(out)
	scan.Buffer(make([]byte, 64<<10), maxField)
	scan.Split(git.ScanFields)
	for scan.Scan() {
		take(scan.Text())
	}
	if err = scan.Err(); err != nil {
		_ = cmd.Process.Kill()
	}
	if wait := cmd.Wait(); err == nil && wait != nil {
		err = fmt.Errorf("%w: %s", wait, strings.TrimSpace(said.String()))
	}
	return err
}

// commitFormat begins each commit with a byte that no path of git's begins with.
const commitFormat = "--format=%x01%H %ct %at %ae %s"

// authored returns the commits that branches have, as their author and subject tell them apart. A rebase, an amend and a
// cherry-pick keep these: what such a commit was before is not lost.
func (c *Collector) authored(ctx context.Context, kept []string) (map[string]bool, error) {
	out := map[string]bool{}
	tips := c.existing(ctx, kept)
	if len(tips) == 0 {
		return out, nil
	}
	text, err := c.Repo.RunInput(ctx, []byte(strings.Join(tips, "\n")+"\n"), "log", "--stdin", "-z", "--max-count="+strconv.Itoa(maxCommits), "--no-show-signature", "--no-color", "--no-notes", commitFormat)
	if err != nil {
		return nil, err
	}
	for commit := range strings.SplitSeq(string(text), "\x00") {
		out[parseCommit(strings.TrimPrefix(commit, "\x01")).author] = true
	}
	return out, nil
}

// takeRewrites notes when a reflog says that git made commits out of others: nobody wrote the contents that git merged
// on the way.
func (c *Collector) takeRewrites(reflog string) {
	for line := range strings.Lines(reflog) {
		head, what, _ := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if len(words) < 4 {
			continue
		}
		at, err := strconv.ParseInt(words[len(words)-2], 10, 64)
		for _, word := range []string{"rebase", "merge", "pull", "cherry-pick", "revert", "am "} {
			if err == nil && strings.HasPrefix(what, word) {
				c.rewrites = append(c.rewrites, at)
			}
		}
	}
}

// isByProduct reports whether an object was written while git made commits out of others.
func (c *Collector) isByProduct(at time.Time) bool {
	i, _ := slices.BinarySearch(c.rewrites, at.Unix()-1)
	return i < len(c.rewrites) && c.rewrites[i] <= at.Unix()+2
}

func parseCommit(text string) loggedCommit {
	oid, rest, _ := strings.Cut(text, " ")
	seconds, author, _ := strings.Cut(rest, " ")
	n, _ := strconv.ParseInt(seconds, 10, 64)
	words := strings.SplitN(strings.TrimSuffix(author, "\n"), " ", 3)
	subject := ""
	if len(words) == 3 {
		subject = strings.TrimSpace(words[2])
	}
	return loggedCommit{oid: oid, at: time.Unix(n, 0), subject: subject, author: strings.TrimSpace(author)}
}

func parseChange(text string) (rawChange, bool) {
	words := strings.Fields(text)
	if len(words) < 5 {
		return rawChange{}, false
	}
	mode, err := strconv.ParseUint(words[1], 8, 32)
	return rawChange{uint32(mode), words[3]}, err == nil
}

// addChange adds the version that a commit gave to a path.
func (c *Collector) addChange(s commitSource, commit loggedCommit, path string, change rawChange) {
	e := versions.Evidence{Path: path, At: commit.at, Source: s.words + " " + commit.oid[:7], Kept: s.kept || c.written[commit.author], Snapshot: s.steps}
	if commit.subject != "" {
		e.Source += " (" + clip(commit.subject, 40) + ")"
	}
	switch change.mode {
	case git.ModeFile, git.ModeExec:
		e.Content, e.Mode, e.Size, e.Filtered = versions.Hash(change.blob), change.mode, -1, true
	case 0:
		e.Kind = versions.Gone
	default:
		return // a link or a nested repository
	}
	c.add(e)
}

func clip(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}
