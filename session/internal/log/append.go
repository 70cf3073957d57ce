package log

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"entire/session/internal/layout"
)

// maxNesting is how deep encoding/json reads. gjson has no such limit and could exhaust the
// stack.
const maxNesting = 10_000

// IsJSON reports whether data is one JSON value.
func IsJSON(data []byte) bool {
	if bytes.Count(data, []byte{'['})+bytes.Count(data, []byte{'{'}) > maxNesting {
		return json.Valid(data)
	}
	return gjson.ValidBytes(data)
}

// AppendLines appends whole lines to a log in one write, and returns the offset in the
// uncompressed log where they begin. The caller holds the session's lock. On error the log is
// unchanged.
func AppendLines(path string, lines []byte) (at int64, err error) {
	f, err := layout.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return 0, err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	if at, err = repairTail(f); err != nil {
		return 0, err
	}
	head, err := readPackedHead(f)
	if err != nil {
		return 0, err
	}
	if at == 0 && bytes.HasPrefix(lines, []byte(PackedHeadStart)) { // a reader would take the line for the head of a compressed log
		lines = append([]byte{'\n'}, lines...)
	}
	if _, err := f.Write(lines); err != nil {
		return 0, errors.Join(err, f.Truncate(at))
	}
	return at + head.extraBytes(), nil
}

// repairTail makes a log end with a newline and returns its size. If a killed writer left a
// torn line, repairTail moves it to a file beside the log; if only the newline of a record is
// missing, repairTail adds it.
func repairTail(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, err
	}
	size := info.Size()
	var last [1]byte
	if _, err := f.ReadAt(last[:], size-1); err != nil || last[0] == '\n' {
		return size, err
	}
	whole, err := NewTailReader(f, size)
	if err != nil {
		return 0, err
	}
	end := whole.At + int64(len(whole.Buf))
	torn := make([]byte, size-end)
	if _, err := f.ReadAt(torn, end); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if IsRecord(torn) {
		_, err := f.Write([]byte{'\n'})
		return size + 1, err
	}
	if err := setAside(f.Name(), torn); err != nil {
		return 0, err
	}
	return end, f.Truncate(end)
}

// IsRecord reports whether a line without newline is certainly a complete record: an object or
// array, which is not JSON before its last byte.
func IsRecord(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && (line[0] == '{' || line[0] == '[') && IsJSON(line)
}

func setAside(path string, torn []byte) error {
	aside := strings.TrimSuffix(path, filepath.Ext(path)) + layout.TornExt
	f, err := layout.OpenFile(aside, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = f.Write(append(torn, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
