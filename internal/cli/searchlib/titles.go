package searchlib

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/git"
	"entire/internal/search"
)

// messageMax bounds a commit's message, in bytes.
const messageMax = 16 << 20

// Titles searches the subjects of the commits that name a checkpoint, the newest first. It needs the commits alone:
// no index, and no content of a checkpoint.
func Titles(ctx context.Context, l *sessionlib.Library, text string, o Options) (*Answer, error) {
	req, err := request(l, text, &o)
	if err != nil {
		return nil, err
	}
	if l.Wp == nil {
		return nil, cliui.Failf("go to the repository whose commits you want to search", "--titles needs a git repository, and this folder is in none")
	}
	f := o.Filter
	if len(f.Agent)+len(f.Model)+len(f.Tag)+len(f.Session)+len(f.Role)+len(o.Projects) > 0 {
		return nil, cliui.Failf("leave the filter out, or --titles", "--titles looks at commits alone, which can be filtered by since, until, branch and file")
	}
	found, matcher := &Answer{Query: text, Hits: []Hit{}}, search.NewMatcher(req.Query.Root)
	for c, err := range namingCommits(ctx, l.Wp.Repo, titleArgs(f)...) {
		if err != nil {
			return nil, err
		}
		marks, ok := matcher.Match(c.subject)
		if !ok {
			continue
		}
		if found.takeTitle(c, marks, o.Limit); found.More {
			break
		}
	}
	found.Matches = len(found.Hits)
	return found, nil
}

// takeTitle adds a hit for each checkpoint that the commit names, and sets More if there are more than limit hits.
func (v *Answer) takeTitle(c namingCommit, marks []search.Span, limit int) {
	for _, cp := range c.checkpoints {
		if len(v.Hits) == limit {
			v.More = true
			return
		}
		hit := Hit{Kind: "checkpoint", Checkpoint: cp.String(), Time: c.at, Title: c.subject, Snippet: c.subject, Marks: [][2]int{},
			Show: "entire show " + cp.String(), Here: true}
		for _, m := range marks {
			hit.Marks = append(hit.Marks, [2]int{m.Start, m.End})
		}
		v.Hits = append(v.Hits, hit)
	}
}

// titleArgs returns the arguments of `git log` for the branches, times and files of a filter.
func titleArgs(f search.Filter) []string {
	var args, paths []string
	if !f.Since.IsZero() {
		args = append(args, "--since="+strconv.FormatInt(f.Since.Unix(), 10))
	}
	if !f.Until.IsZero() {
		args = append(args, "--until="+strconv.FormatInt(f.Until.Unix(), 10))
	}
	for _, branch := range f.Branch {
		if !strings.ContainsAny(branch, "*?[") && branch != "" { // git takes a pattern without these for a folder of branches
			branch = "[" + branch[:1] + "]" + branch[1:]
		}
		args = append(args, "--branches="+branch, "--remotes=*/"+branch)
	}
	if len(f.Branch) == 0 {
		args = append(args, "--exclude=refs/heads/entire/*", "--exclude=refs/remotes/*/entire/*", "--branches", "--remotes", "--tags")
	}
	for _, file := range f.File {
		file = ":(top,glob)**/" + strings.TrimSuffix(file, "/")
		paths = append(paths, file, file+"/**")
	}
	return append(append(args, "--"), paths...)
}

// A namingCommit is a commit whose message names checkpoints.
type namingCommit struct {
	at          time.Time
	subject     string
	checkpoints []id.CheckpointID
}

// namingCommits returns the commits that name checkpoints, the newest first, as `git log` finds them with the arguments.
// It returns none in a repository without commits. If git fails, the error is a [git.ExitError].
func namingCommits(ctx context.Context, repo *git.Repo, args ...string) iter.Seq2[namingCommit, error] {
	return func(yield func(namingCommit, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var stderr bytes.Buffer
		command := repo.Command(nil)
		command.Env = append(slices.Clone(command.Env), "GIT_LITERAL_PATHSPECS=0")
		all := append([]string{"log", "-z", "--no-show-signature", "--format=%ct %B", "-F", "--grep=" + trailer.Checkpoint}, args...)
		cmd := command.Cmd(ctx, all...)
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			yield(namingCommit{}, fmt.Errorf("search the commits: %w", err))
			return
		}
		records := bufio.NewScanner(out)
		records.Buffer(nil, messageMax)
		records.Split(git.ScanFields)
		for records.Scan() {
			c := parseNaming(records.Text())
			if len(c.checkpoints) > 0 && !yield(c, nil) {
				cancel()
				_ = cmd.Wait()
				return
			}
		}
		_, _ = io.Copy(io.Discard, out)
		if err = errors.Join(records.Err(), cmd.Wait()); err == nil {
			return
		}
		if ctx.Err() != nil {
			yield(namingCommit{}, ctx.Err())
			return
		}
		if _, born, headErr := repo.Reader(ctx).CommitOf("HEAD"); headErr == nil && !born {
			return // git fails where there are no commits
		}
		if code := cmd.ProcessState.ExitCode(); code > 0 {
			err = &git.ExitError{Args: all, Code: code, Stderr: strings.TrimSpace(stderr.String())}
		}
		yield(namingCommit{}, fmt.Errorf("search the commits: %w", err))
	}
}

// parseNaming reads the time of a commit, a space and its message.
func parseNaming(record string) namingCommit {
	at, message, _ := strings.Cut(record, " ")
	seconds, _ := strconv.ParseInt(at, 10, 64)
	message = strings.TrimLeft(message, "\n")
	return namingCommit{at: time.Unix(seconds, 0).UTC(), subject: cliui.FirstLine(message), checkpoints: trailer.ParseCheckpointTrailers(message)}
}
