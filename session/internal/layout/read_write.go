package layout

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"entire/internal/durable"
)

// ReadDocument reads the transcript of an agent that keeps one document.
func ReadDocument(path string) ([]byte, error) {
	f, err := OpenFile(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// StateExt ends the name of a state file.
const StateExt = ".json"

const maxStateSz = 64 << 20

// ReadRegular reads a file of at most maxStateSz bytes that is not a link, a pipe or a device;
// ErrNotFound if there is none.
func ReadRegular(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if info.Size() > maxStateSz {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are read", path, info.Size(), maxStateSz)
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	return data, err
}

// WriteJSON writes v in the form of all our JSON files except side files: indented by two
// spaces, HTML escaped, with a newline at the end.
func WriteJSON(path string, v any) error { return writeJSON(path, v, durable.WriteFile) }

// WriteListed is WriteJSON for a folder with many files that is listed anyway: whoever lists it removes what
// killed writers left.
func WriteListed(path string, v any) error { return writeJSON(path, v, durable.WriteUnswept) }

func writeJSON(path string, v any, write func(string, []byte, os.FileMode) error) error {
	data, err := EncodeJSON(v)
	if err != nil {
		return err
	}
	return write(path, data, 0o600)
}

// EncodeJSON returns what WriteJSON writes.
func EncodeJSON(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}
