package workplace

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/git"
)

// WithoutTrailer describes a commit whose message does not name its checkpoint.
const WithoutTrailer = "linked without a trailer"

// Bounds of the history that explain reads.
const (
	historyLimit = 500  // commits of a branch
	firstPage    = 150  // read first: usually they name all checkpoints that are shown
	trunkLimit   = 1000 // commits of the default branch, to find where a branch left it
)

// A LinkedCommit is one of the user's commits that has checkpoints.
type LinkedCommit struct {
	ID      string    `json:"id"`
	Message string    `json:"message"` // first line
	Author  string    `json:"author"`
	Email   string    `json:"email"`
	Date    time.Time `json:"date"`
	Unnamed bool      `json:"linked_without_trailer,omitempty"` // its message does not name its checkpoint

	checkpoints []id.CheckpointID
}

func (c LinkedCommit) Short() string { return c.ID[:min(7, len(c.ID))] }

// logFormat prints five fields for a commit, each ended by a NUL.
const (
	logFormat = "--format=tformat:%H%x00%at %aI%x00%an%x00%ae%x00%B"
	logFields = 5
)

// readLog runs git log with args and returns its commits, also those without a checkpoint.
func readLog(ctx context.Context, repo *git.Repo, args ...string) ([]LinkedCommit, error) {
	full := append([]string{"log", "-z", logFormat, "--no-show-signature", "--no-color"}, args...)
	out, err := repo.Run(ctx, full...)
	if err != nil {
		return nil, err
	}
	commits, err := parseLog(string(out))
	if err != nil {
		return nil, err
	}
	links, err := records.NewReader(repo).Links(ctx)
	if err == nil && len(links) > 0 {
		addLinks(commits, links)
	}
	return commits, err
}

// addLinks adds the checkpoints of commits that are linked without a trailer.
func addLinks(commits []LinkedCommit, links metadata.Links) {
	for i := range commits {
		c := &commits[i]
		oid, err := git.ParseOID(c.ID)
		if err != nil || len(links[oid]) == 0 {
			continue
		}
		c.Unnamed = true
		for _, cp := range links[oid] {
			if !slices.Contains(c.checkpoints, cp) {
				c.checkpoints = append(c.checkpoints, cp)
			}
		}
	}
}

// readPages lists up to historyLimit commits, or fewer if the first page names as many
// checkpoints as a list shows.
func readPages(ctx context.Context, repo *git.Repo, args ...string) ([]LinkedCommit, error) {
	commits, err := readLog(ctx, repo, append([]string{fmt.Sprintf("-n%d", firstPage)}, args...)...)
	if err != nil || len(commits) < firstPage || checkpointsIn(commits) >= cliui.ListLimit {
		return commits, err
	}
	rest := []string{fmt.Sprintf("-n%d", historyLimit-firstPage), fmt.Sprintf("--skip=%d", firstPage)}
	more, err := readLog(ctx, repo, append(rest, args...)...)
	return append(commits, more...), err
}

func checkpointsIn(commits []LinkedCommit) int {
	named := map[id.CheckpointID]bool{}
	for _, c := range commits {
		for _, cp := range c.checkpoints {
			named[cp] = true
		}
	}
	return len(named)
}

func parseLog(out string) ([]LinkedCommit, error) {
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if out == "" {
		return nil, nil
	}
	if len(fields)%logFields != 0 {
		return nil, fmt.Errorf("read history: git log answered %d fields", len(fields))
	}
	var commits []LinkedCommit
	for ; len(fields) > 0; fields = fields[logFields:] {
		subject, _, _ := strings.Cut(fields[4], "\n")
		commits = append(commits, LinkedCommit{
			ID: fields[0], Message: subject, Author: fields[2], Email: fields[3], Date: logDate(fields[1]),
			checkpoints: trailer.ParseCheckpointTrailers(fields[4]),
		})
	}
	return commits, nil
}

// logDate reads "<seconds> <RFC 3339>"; for a malformed date it drops the time zone.
func logDate(field string) time.Time {
	seconds, iso, _ := strings.Cut(field, " ")
	if t, err := time.Parse(time.RFC3339, iso); err == nil {
		return t
	}
	n, _ := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(n, 0).UTC()
}

// branchHistory lists the commits of the current branch: on the default branch everything that
// was merged into it, on another one its commits since it left the default branch. In a
// repository without commits it returns none.
func branchHistory(ctx context.Context, repo *git.Repo) ([]LinkedCommit, error) {
	_, born, err := repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return nil, err
	}
	branch := repo.Branch(ctx)
	trunk, err := defaultBranch(ctx, repo)
	if err != nil {
		return nil, err
	}
	if trunk == "" || trunk == "refs/heads/"+branch || trunk == "refs/remotes/origin/"+branch {
		return readPages(ctx, repo, "HEAD", "--")
	}
	out, err := repo.Run(ctx, "rev-list", "--first-parent", fmt.Sprintf("-n%d", trunkLimit), trunk, "--")
	if err != nil {
		return nil, err
	}
	onTrunk := map[string]bool{}
	for _, hash := range strings.Fields(string(out)) {
		onTrunk[hash] = true
	}
	commits, err := readPages(ctx, repo, "--first-parent", "HEAD", "--")
	for i, c := range commits {
		if onTrunk[c.ID] {
			return commits[:i], err
		}
	}
	return commits, err
}

// defaultBranch returns the full name of origin's default branch, or else one of the usual names;
// "" if none exists.
func defaultBranch(ctx context.Context, repo *git.Repo) (string, error) {
	names := []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"}
	objects, err := repo.Reader(ctx).Objects(names...)
	if err != nil {
		return "", fmt.Errorf("find the default branch: %w", err)
	}
	if objects[0].Type != "" {
		out, err := repo.Run(ctx, "for-each-ref", "--format=%(symref)", names[0])
		if target := strings.TrimSpace(string(out)); err != nil || target != "" {
			return target, err
		}
	}
	for i, name := range names[1:] {
		if objects[i+1].Type != "" {
			return name, nil
		}
	}
	return "", nil
}

// CommitsOf finds the commits of a checkpoint among the latest of the current branch or, with
// everywhere, in all history.
func CommitsOf(ctx context.Context, repo *git.Repo, cp id.CheckpointID, everywhere bool) ([]LinkedCommit, error) {
	args := []string{"-F", "--grep=" + cp.String(), "--exclude=refs/heads/entire/*", "--exclude=refs/remotes/*/entire/*",
		"--branches", "--remotes", "--tags", "--"}
	if !everywhere {
		if _, born, err := repo.Reader(ctx).CommitOf("HEAD"); err != nil || !born {
			return nil, err
		}
		args = []string{fmt.Sprintf("-n%d", historyLimit), "HEAD", "--"}
	}
	commits, err := readLog(ctx, repo, args...)
	found := naming(commits, cp)
	if err != nil || !everywhere {
		return found, err
	}
	more, err := unnamedCommits(ctx, repo, cp)
	return append(found, more...), err
}

// unnamedCommits returns the local commits of a checkpoint that do not name it.
func unnamedCommits(ctx context.Context, repo *git.Repo, cp id.CheckpointID) ([]LinkedCommit, error) {
	links, err := records.NewReader(repo).Links(ctx)
	if err != nil {
		return nil, err
	}
	args := []string{"--no-walk"}
	for _, oid := range links.To(cp) {
		if _, here, err := repo.Reader(ctx).CommitOf(oid.String()); err == nil && here {
			args = append(args, oid.String())
		}
	}
	if len(args) == 1 {
		return nil, nil
	}
	return readLog(ctx, repo, append(args, "--")...)
}

// naming returns the commits whose checkpoint is cp.
func naming(commits []LinkedCommit, cp id.CheckpointID) []LinkedCommit {
	var found []LinkedCommit
	for _, c := range commits {
		if slices.Contains(c.checkpoints, cp) {
			found = append(found, c)
		}
	}
	return found
}
