package workplace

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	lumberjack "gopkg.in/natefinch/lumberjack.v2"

	"entire/internal/config"
	"entire/internal/durable"
	"entire/internal/redact"
)

// Limits of a worktree's log, which has one JSON object a line.
const (
	logMaxSize = 5 // MB; then a new file begins
	logKeep    = 2 // old files
)

// LogPath returns the log's path: in the folder whose .gitignore covers it or, on a branch
// without that folder, in gitDir; "" for no log.
func (p Place) LogPath(gitDir string) string {
	switch {
	case config.Exists(p.Settings):
		return filepath.Join(p.Settings, ".entire", "logs", "entire.log")
	case gitDir != "":
		return filepath.Join(gitDir, "entire", "entire.log")
	}
	return ""
}

// NewLog returns the log at path, and a function that closes it. It opens the file at the first
// record, so a quiet hook touches no file. It redacts every record, because people send logs to
// others more readily than a repository.
func NewLog(path, level string) (*slog.Logger, func() error) {
	if path == "" {
		return slog.New(slog.DiscardHandler), func() error { return nil }
	}
	w := &lazyLog{path: path}
	min, known := parseLevel(level)
	log := slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: min, ReplaceAttr: redactAttr}))
	if !known {
		log.Warn("unknown log level, taken as info", "level", level)
	}
	return log, w.Close
}

// parseLevel returns the level of that name, in any case; "" is info.
func parseLevel(name string) (level slog.Level, known bool) {
	switch strings.ToUpper(name) {
	case "DEBUG":
		return slog.LevelDebug, true
	case "INFO", "":
		return slog.LevelInfo, true
	case "WARN", "WARNING":
		return slog.LevelWarn, true
	case "ERROR":
		return slog.LevelError, true
	}
	return slog.LevelInfo, false
}

func redactAttr(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		if s := a.Value.String(); !onlyIDs(s) && !onlyWords(s) { // skip compiling the rules for a hook's usual line
			a.Value = slog.StringValue(redact.Text(s))
		}
	case slog.KindAny:
		a.Value = redactAny(a.Value.Any())
	}
	return a
}

// onlyIDs reports whether a text has only IDs of checkpoints and abbreviated commit IDs, in
// brackets or not.
func onlyIDs(s string) bool {
	run := 0
	for _, c := range []byte(strings.Trim(s, "[]")) {
		switch {
		case c == ' ':
			run = 0
		case '0' <= c && c <= '9' || 'a' <= c && c <= 'f':
			if run++; run > 12 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// onlyWords reports whether a text has only words in small letters; after a colon, only words
// shorter than any secret that a rule finds by the name before it.
func onlyWords(s string) bool {
	run, most := 0, 20
	for _, c := range []byte(s) {
		switch {
		case c == ':':
			run, most = 0, 9
		case c == ' ':
			run = 0
		case 'a' <= c && c <= 'z' || c == '-':
			if run++; run > most {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func redactAny(v any) slog.Value {
	switch v := v.(type) {
	case *slog.Source, slog.Level:
		return slog.AnyValue(v)
	case error:
		return slog.StringValue(redact.Text(v.Error()))
	case fmt.Stringer:
		return slog.StringValue(redact.Text(v.String()))
	}
	data, err := json.Marshal(v)
	if err != nil {
		return slog.StringValue("unprintable")
	}
	return slog.AnyValue(redact.JSON(data))
}

// lazyLog opens its file at the first write.
type lazyLog struct {
	path string
	file *lumberjack.Logger
	err  error // after an error the file is not tried again
}

func (l *lazyLog) Write(line []byte) (int, error) {
	if l.file == nil && l.err == nil {
		l.err = l.open()
	}
	if l.err != nil {
		return 0, l.err
	}
	return l.file.Write(line)
}

// open refuses symbolic links, because a repository could point one anywhere.
func (l *lazyLog) open() error {
	dir := filepath.Dir(l.path)
	for _, path := range []string{filepath.Dir(dir), dir, l.path} {
		switch info, err := os.Lstat(path); {
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0:
			return errors.New("the log is behind a symbolic link")
		case path == l.path && !info.Mode().IsRegular():
			return fmt.Errorf("the log is %w", durable.ErrNoFile) // a pipe would hold the program until somebody reads it
		}
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	l.file = &lumberjack.Logger{Filename: l.path, MaxSize: logMaxSize, MaxBackups: logKeep}
	return nil
}

func (l *lazyLog) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
