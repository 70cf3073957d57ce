package statuslinecmd

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/strategy/step"
)

// A cache is what the file keeps.
type cache struct {
	Mark string `json:"mark"` // of the files that Steps and Captured were made from
	Line Line   `json:"line"`

	StagedMark string    `json:"staged_mark"` // of the files that Line.Staged was made from
	Looked     time.Time `json:"looked"`      // when Alarm was last looked for
}

// The limits of what is read and counted, and the age at which the alarm is looked for again.
const (
	cacheMax = 64 << 10
	headMax  = 4 << 10
	stepsMax = 200
	lookAge  = time.Minute
)

func cachePath(place workplace.Place) string {
	return filepath.Join(place.GitDir(), "entire", "cache", "statusline.json")
}

func readCache(place workplace.Place) (c cache) {
	data, err := durable.Read(cachePath(place), cacheMax)
	if err != nil || json.Unmarshal(data, &c) != nil {
		return cache{}
	}
	return c
}

func (c cache) write(place workplace.Place) {
	path := cachePath(place)
	data, err := json.Marshal(c)
	if err == nil && os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		durable.WriteCache(path, data, 0o600) // without the cache, the next call counts again
	}
}

// read returns the line. It counts the steps only if a file that tells of them has changed.
func read(ctx context.Context, env *cliui.Env, place workplace.Place) Line {
	c := readCache(place)
	mark, stagedMark := markOf(place), stagedMarkOf(place)
	if c.Mark != mark {
		if line, err := count(ctx, env, place); err == nil {
			c.Mark, c.Line.Steps, c.Line.More, c.Line.Captured = mark, line.Steps, line.More, line.Captured
			c.write(place)
		}
	}
	line := c.Line
	line.stale = c.StagedMark != stagedMark || env.Now().Sub(c.Looked) > lookAge
	return line
}

// count counts the steps since the commit.
func count(ctx context.Context, env *cliui.Env, place workplace.Place) (Line, error) {
	var line Line
	wp, _, err := workplace.OpenAt(ctx, env, place.Top)
	if err != nil {
		return line, err
	}
	defer wp.Close()
	for st, err := range step.LiveSteps(ctx, wp.Engine) {
		if err != nil {
			return line, err
		}
		if !step.IsListed(st.Step) || !st.TakenBy.IsZero() {
			continue
		}
		if line.Steps == stepsMax {
			line.More = true
			break
		}
		if line.Steps++; line.Captured == nil {
			when := st.Author.When
			line.Captured = &when
		}
	}
	return line, nil
}

// tablesList is what git replaces at each change of a ref that is kept in tables instead of files.
const tablesList = "reftable/tables.list"

// markOf returns a text that changes whenever HEAD, a branch or a session's state does.
func markOf(place workplace.Place) string {
	gitDir, common := place.GitDir(), place.Common()
	head, _ := durable.ReadPlain(filepath.Join(gitDir, "HEAD"), headMax)
	name, _ := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: ")
	var b strings.Builder
	b.Write(head)
	for _, path := range []string{
		filepath.Join(common, filepath.FromSlash(name)), filepath.Join(common, "packed-refs"), filepath.Join(common, "refs", "heads", "entire"),
		filepath.Join(common, "entire-sessions"), filepath.Join(gitDir, "logs", "HEAD"),
		filepath.Join(gitDir, tablesList), filepath.Join(common, tablesList),
	} {
		b.WriteString(statOf(path))
	}
	return b.String()
}

// stagedMarkOf returns a text that changes whenever the index does, or what markOf looks at.
func stagedMarkOf(place workplace.Place) string {
	return markOf(place) + statOf(filepath.Join(place.GitDir(), "index"))
}

func statOf(path string) string {
	fi, err := os.Stat(path)
	if err != nil {
		return " -"
	}
	return fmt.Sprintf(" %d.%d", fi.Size(), fi.ModTime().UnixNano())
}
