package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"entire/internal/durable"
)

// dirName is entire's directory at the top level of a repository.
const dirName = ".entire"

// maxSize bounds a settings file, because every hook reads it.
const maxSize = 1 << 20

// bom is a byte order mark, which some editors write before UTF-8 text.
const bom = "\uFEFF"

// Target selects a settings file.
type Target int

// The two settings files.
const (
	Project Target = iota // .entire/settings.json
	Local                 // .entire/settings.local.json
)

// Path returns the path of a settings file of the repository at top.
func Path(top string, t Target) string {
	name := "settings.json"
	if t == Local {
		name = "settings.local.json"
	}
	return filepath.Join(top, dirName, name)
}

// Enabled reports whether the repository's hooks are enabled. It is the fast form of Load's Enabled
// field and always agrees with it. A value in the local file takes precedence over any project file;
// absent or unusable files count as enabled. Exists reports whether the repository was set up at all.
func Enabled(top string) bool {
	for _, target := range []Target{Local, Project} {
		object, err := read(top, target)
		if err != nil {
			return true
		}
		if enabled, said := saysEnabled(object); said {
			return enabled
		}
	}
	return true
}

// saysEnabled returns the value of the key in an object. The last boolean counts.
func saysEnabled(object string) (enabled, said bool) {
	for _, m := range members(object) {
		if m.key == keyEnabled && setBool(&enabled, gjson.Parse(m.raw(object))) {
			said = true
		}
	}
	return enabled, said
}

// Text returns the content of a settings file, or nil if there is none.
func Text(top string, t Target) ([]byte, error) { return readPlain(Path(top, t)) }

// Exists reports whether the repository has a settings file, usable or not.
func Exists(top string) bool {
	for _, target := range []Target{Project, Local} {
		if _, err := os.Lstat(Path(top, target)); err == nil || !absent(err) {
			return true
		}
	}
	return false
}

// read returns the text of the JSON object in a settings file, or "" if there is no file.
func read(top string, t Target) (string, error) {
	path := Path(top, t)
	data, err := readPlain(path)
	if err != nil {
		return "", fmt.Errorf("read settings %s: %w", path, err)
	}
	if data == nil {
		return "", nil
	}
	object, err := decode(data)
	if err != nil {
		return "", fmt.Errorf("read settings %s: %w", path, err)
	}
	return object, nil
}

// decode returns the JSON object in data without a byte order mark and surrounding space.
func decode(data []byte) (string, error) {
	text := strings.TrimPrefix(string(data), bom)
	if err := json.Unmarshal([]byte(text), new(json.RawMessage)); err != nil {
		if strings.TrimSpace(text) == "" {
			return "", errors.New("the file is empty")
		}
		return "", atLine(text, err)
	}
	text = strings.Trim(text, " \t\r\n")
	if text[0] != '{' {
		return "", errors.New("not a JSON object")
	}
	return text, nil
}

// atLine adds to an error of the JSON decoder the line at which it gave up.
func atLine(text string, err error) error {
	var wrong *json.SyntaxError
	if !errors.As(err, &wrong) || wrong.Offset > int64(len(text)) {
		return err
	}
	return fmt.Errorf("line %d: %w", 1+strings.Count(strings.TrimRight(text[:wrong.Offset], "\n"), "\n"), err)
}

// readPlain returns the content of a regular file in .entire, or nil if it is absent. It refuses
// links, other kinds of files and very large files.
func readPlain(path string) ([]byte, error) {
	if err := checkDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	data, err := durable.ReadPlain(path, maxSize)
	switch {
	case absent(err):
		return nil, nil
	case errors.Is(err, durable.ErrNoFile):
		if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, errors.New("it is a symbolic link; replace it by a file")
		}
		return nil, errors.New("it is not a regular file")
	case errors.Is(err, durable.ErrTooLong):
		return nil, fmt.Errorf("it is too long; at most %d bytes are allowed", maxSize)
	case err != nil:
		return nil, plain(err)
	}
	return data, nil
}

// checkDir refuses a link and anything else that is not a directory. It accepts an absent directory.
func checkDir(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case absent(err):
		return nil
	case err != nil:
		return plain(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link; replace it by a directory", dir)
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	}
	return nil
}

func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// plain removes the path from a system call's error, because the caller adds it.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
