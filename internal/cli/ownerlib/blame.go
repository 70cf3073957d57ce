package ownerlib

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/agent"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/strategy/condense"
	"entire/strategy/link"
	"entire/strategy/ownership"
	"entire/strategy/transcript"
)

// Blame returns the lines of a file with their owners: of the file as it is now or, with rev, as it
// was in that commit. Without spans it returns all lines.
func Blame(ctx context.Context, wp *workplace.Workplace, path, rev string, spans ...lineage.Span) ([]lineage.Line, error) {
	catchUp(ctx, wp)
	rev, err := Revision(ctx, wp, rev)
	if err != nil {
		return nil, err
	}
	lines, err := resolverOf(wp).Blame(ctx, path, rev, spans...)
	if err != nil {
		return nil, blameFailure(wp, path, err)
	}
	notesOf(ctx, wp).blamed(ctx, lines)
	return lines, applyClaims(ctx, wp, lines)
}

// catchUp reads what agents have said in turns under way, and records the commits that took agents' work without hooks
// since the last event, so that the owners of their lines are known. Where Entire is switched off, it does nothing.
func catchUp(ctx context.Context, wp *workplace.Workplace) {
	if !wp.Place.Active() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, catchUpTime)
	defer cancel()
	transcript.ReadOpenTurns(ctx, wp.Engine, agent.Event{})
	link.CatchUp(ctx, wp.Engine, id.SessionID{})
}

// catchUpTime bounds how long a question about owners waits for that.
const catchUpTime = 3 * time.Second

// Revision returns the ID of the commit that rev names, "" for "".
func Revision(ctx context.Context, wp *workplace.Workplace, rev string) (string, error) {
	if rev == "" {
		return "", nil
	}
	c, err := commitNamed(ctx, wp, rev)
	return c.OID.String(), err
}

// commitNamed returns the commit that a name means.
func commitNamed(ctx context.Context, wp *workplace.Workplace, name string) (git.Commit, error) {
	c, ok, err := wp.Repo.Reader(ctx).CommitOf(name)
	if err == nil && ok && !strings.HasPrefix(name, "-") {
		return c, nil
	}
	m, err := wp.MeaningOf(ctx, name)
	if err == nil {
		c, err = wp.CommitMeant(ctx, m)
	}
	switch {
	case err == nil:
		return c, nil
	case m.Kind != "" || !errors.Is(err, workplace.ErrNoMeaning):
		return c, err
	case name == "HEAD":
		return c, cliui.Failf("make a commit first; until then `entire log` shows the turns", "this branch has no commit yet")
	}
	return c, cliui.Failf("any name of a commit will do, as for `git log`, or the ID of a checkpoint or session", "commit not found: %s", name)
}

// IsBinary reports whether a file is binary in git's sense: it has a NUL in its first 8,000
// bytes.
func IsBinary(lines []lineage.Line) bool {
	read := 0
	for _, l := range lines {
		if i := strings.IndexByte(l.Text, 0); i >= 0 && read+i < 8000 {
			return true
		}
		if read += len(l.Text) + 1; read >= 8000 {
			return false
		}
	}
	return false
}

// resolverOf returns the resolver that finds who wrote each line of the repository.
func resolverOf(wp *workplace.Workplace) *lineage.Resolver {
	o := lineage.Options{CacheDir: filepath.Join(wp.Repo.GitDir, "entire", "cache")}
	if wp.Place.SetUp {
		o.Unlinked = func(ctx context.Context) ([]git.OID, map[attribution.Print]attribution.RecordOwner, error) {
			return condense.UnlinkedCommits(ctx, wp.Engine)
		}
		o.Uncommitted = func(ctx context.Context, path string) ([]lineage.Origin, error) {
			owners, err := ownership.LinesSinceHead(ctx, wp.Engine, path)
			out := make([]lineage.Origin, len(owners))
			for i, owner := range owners {
				if owner.Class == "" {
					owner.Class = attribution.ClassUnknown
				}
				out[i] = lineage.Origin{Owner: owner, Evidence: lineage.Uncommitted}
			}
			return out, err
		}
	}
	return lineage.New(wp.Repo, o)
}

// ErrNoLine is matched by the error for a line after the end of a file.
var ErrNoLine = errors.New("no such line")

type noLine struct{ words string }

func (e noLine) Error() string        { return e.words }
func (e noLine) Is(target error) bool { return target == ErrNoLine }

// blameFailure turns git's message about a file into one line.
func blameFailure(wp *workplace.Workplace, path string, err error) error {
	var exit *git.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	if fi, err := os.Stat(filepath.Join(wp.Repo.Top, filepath.FromSlash(path))); err == nil && fi.IsDir() {
		return cliui.Failf("`git ls-files` lists the files that there are", "%s is a folder", cliui.ShownName(cmp.Or(path, ".")))
	}
	message := strings.TrimPrefix(strings.TrimSpace(exit.Stderr), "fatal: ")
	message, _, _ = strings.Cut(message, "\n")
	switch {
	case strings.Contains(message, " has only "):
		return noLine{message}
	case strings.HasPrefix(message, "Cannot lstat "):
		return cliui.Failf("`--rev HEAD` asks for it as it was committed", "%s is not in the worktree", cliui.ShownName(path))
	case message == "no such ref: HEAD":
		return cliui.Failf("commit it first; until then `entire log -- FILE` shows the turns that wrote it", "cannot tell who wrote the lines of %s: this branch has no commit yet", cliui.ShownName(path))
	}
	return cliui.Failf("`git ls-files` lists the files that there are", "%s", message)
}

// NotStored says which checkpoints are not in this repository though commits of lines without an owner name them,
// as in a clone of a single branch, and which were forgotten; "" for none.
func NotStored(ctx context.Context, wp *workplace.Workplace, lines []lineage.Line) (string, error) {
	commits := map[git.OID]bool{}
	for _, l := range lines {
		if l.Evidence == lineage.None && !l.Commit.IsZero() {
			commits[l.Commit] = true
		}
	}
	if len(commits) == 0 {
		return "", nil
	}
	reader := records.NewReader(wp.Repo)
	links, err := reader.Links(ctx)
	if err != nil {
		return "", err
	}
	var named []id.CheckpointID
	for commit := range commits {
		c, err := wp.Repo.Reader(ctx).Commit(commit)
		if err != nil {
			return "", err
		}
		named = append(named, links.Of(c.OID, c.Message)...)
	}
	if len(named) == 0 {
		return "", nil
	}
	stored, err := reader.Exists(ctx, named)
	if err != nil {
		return "", err
	}
	forgotten, err := reader.Forgotten(ctx, named)
	if err != nil {
		return "", err
	}
	var gone, said []string
	for _, cp := range named {
		if t, tombstone := forgotten[cp]; tombstone {
			said = append(said, fmt.Sprintf("checkpoint %s was %s: the owners of its lines are unknown", cp, cliui.ShownLine(t.String())))
		} else if !stored[cp] {
			gone = append(gone, cp.String())
		}
	}
	slices.Sort(said)
	said = slices.Compact(said)
	if len(gone) > 0 {
		slices.Sort(gone)
		said = append(said, notStored(slices.Compact(gone)))
	}
	return strings.Join(said, "; "), nil
}

// An OwnedLine is a line and its owner, and its JSON form.
type OwnedLine struct {
	Line       int    `json:"line"`
	Commit     string `json:"commit"`
	Class      string `json:"class"`
	Agent      string `json:"agent"`
	SessionID  string `json:"session_id"`
	Checkpoint string `json:"checkpoint_id"`
	Turn       int    `json:"turn"`
	Evidence   string `json:"evidence"`
	Model      string `json:"model,omitempty"`
	ToolUseID  string `json:"tool_use_id,omitempty"`
	Author     string `json:"author,omitempty"`
	Time       string `json:"time,omitempty"`
	Unnamed    bool   `json:"linked_without_trailer,omitempty"` // no trailer of the commit names the checkpoint
}

// ViewLine returns the JSON form of a line.
func ViewLine(l lineage.Line) OwnedLine {
	v := OwnedLine{Line: l.Number, Commit: l.Commit.String(), Class: l.Owner.Class, Agent: l.Owner.Agent, SessionID: l.Owner.SessionID,
		Checkpoint: l.Checkpoint.String(), Turn: l.Owner.Turn, Evidence: string(l.Evidence), Model: l.Owner.Model,
		ToolUseID: l.Owner.ToolUseID, Author: l.Author, Unnamed: l.WithoutTrailer}
	if !l.Time.IsZero() && !l.Commit.IsZero() {
		v.Time = l.Time.UTC().Format(time.RFC3339)
	}
	return v
}
