package maintaincmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
)

// maxLog bounds a file of the log that is read. A full one has 5 MB.
const maxLog = 64 << 20

// A logRecord is a line of the log.
type logRecord struct {
	Raw     []byte
	Time    time.Time
	Level   string
	Message string
	More    map[string]any // its other members
}

// logFiles returns the files of the log of a worktree or folder, the oldest first; the newest may be missing.
func logFiles(p workplace.Place, gitDir string) []string {
	path := p.LogPath(gitDir)
	if path == "" {
		return nil
	}
	older, _ := filepath.Glob(strings.TrimSuffix(globbed(path), ".log") + "-*.log") // the pattern is well-formed
	slices.Sort(older)
	return append(older, path)
}

// globbed returns a path as a pattern that matches only it.
func globbed(path string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(path)
}

// readLog calls each for every record of the files, the oldest first. A line that is no record has only Raw.
func readLog(files []string, each func(logRecord)) error {
	for _, name := range files {
		data, err := durable.ReadPlain(name, maxLog)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read the log %s: %w", cliui.ShownName(name), err)
		}
		for line := range bytes.Lines(data) {
			each(parseRecord(bytes.TrimSpace(line)))
		}
	}
	return nil
}

func parseRecord(line []byte) logRecord {
	r := logRecord{Raw: line}
	if json.Unmarshal(line, &r.More) != nil {
		return logRecord{Raw: line}
	}
	text := func(key string) string {
		s, _ := r.More[key].(string)
		delete(r.More, key)
		return s
	}
	r.Time, _ = time.Parse(time.RFC3339Nano, text("time")) // zero if it has none
	r.Level, r.Message = text("level"), text("msg")
	return r
}

// String returns the record as a line for people.
func (r logRecord) String() string {
	if r.Message == "" {
		return cliui.OneLine(string(r.Raw))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %-5s %s", r.Time.Local().Format("2006-01-02 15:04:05.000"), r.Level, r.Message)
	keys := make([]string, 0, len(r.More))
	for key := range r.More {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if text, isText := r.More[key].(string); isText {
			fmt.Fprintf(&b, " %s=%s", key, quotedWord(text))
			continue
		}
		raw, _ := json.Marshal(r.More[key]) // it came from JSON
		fmt.Fprintf(&b, " %s=%s", key, raw)
	}
	return cliui.OneLine(b.String())
}

// quotedWord quotes a value that is not one word.
func quotedWord(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n\"") {
		return fmt.Sprintf("%q", s)
	}
	return s
}

// levels are the names of levels, the least important first.
var levels = []string{"DEBUG", "INFO", "WARN", "ERROR"}

// atLeast reports whether the record is of the level or more important. A line that is no record is.
func (r logRecord) atLeast(level string) bool {
	have := slices.Index(levels, r.Level)
	return have < 0 || have >= slices.Index(levels, level)
}
