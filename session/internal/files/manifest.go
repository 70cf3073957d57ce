package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire/session/internal/layout"
)

// maxCheckpointFiles bounds how many files one checkpoint lists.
const maxCheckpointFiles = 100_000

// ErrNoCheckpoint is returned if a session has no file checkpoint of that name.
var ErrNoCheckpoint = errors.New("checkpoint not found")

// Checkpoints returns the checkpoints of the session, oldest first, with paths relative to its
// folder. The error names the checkpoints that cannot be read; the others are returned all the
// same.
func (m *CheckpointManager) Checkpoints(ctx context.Context) ([]CheckpointManifest, error) {
	entries, err := os.ReadDir(m.path(layout.CheckpointsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", err)
	}
	var out []CheckpointManifest
	var bad []error
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("list checkpoints: %w", err)
		}
		if checkCheckpointID(e.Name()) != nil {
			continue
		}
		c, _, err := m.Manifest(e.Name())
		switch {
		case errors.Is(err, ErrNoCheckpoint): // its folder was made, and its manifest never written
		case err != nil:
			bad = append(bad, err)
		default:
			out = append(out, *c)
		}
	}
	slices.SortStableFunc(out, func(a, b CheckpointManifest) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return out, errors.Join(bad...)
}

// Manifest reads one checkpoint and returns it together with its bytes on disk.
func (m *CheckpointManager) Manifest(id string) (*CheckpointManifest, []byte, error) {
	if err := checkCheckpointID(id); err != nil {
		return nil, nil, err
	}
	data, err := layout.ReadRegular(m.path(layout.CheckpointsName, id, manifestName))
	if errors.Is(err, layout.ErrNotFound) {
		return nil, nil, ErrNoCheckpoint
	}
	var c *CheckpointManifest
	if err == nil {
		c, err = readManifest(data, id, m.root)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read checkpoint %s: %w", id, err)
	}
	return c, data, nil
}

// readManifest reads the manifest of the checkpoint id of files below root, in any form that
// programs write. It refuses the whole manifest if a path leads out of root or is there twice,
// or if any value is invalid.
func readManifest(data []byte, id, root string) (*CheckpointManifest, error) {
	if _, err := layout.ParseObject(data); err != nil {
		return nil, err
	}
	var read struct {
		UserMessageUUID string    `json:"user_message_uuid"`
		CheckpointID    string    `json:"checkpoint_id"`
		CreatedAt       time.Time `json:"created_at"`
		Files           []struct {
			FileSnapshot
			Exists *bool `json:"exists"`
		} `json:"files"`
	}
	if err := json.Unmarshal(data, &read); err != nil {
		return nil, err
	}
	for _, name := range []string{read.UserMessageUUID, read.CheckpointID} {
		if name != "" && name != id {
			return nil, fmt.Errorf("it is that of checkpoint %q", clipped(name))
		}
	}
	if err := checkTime(read.CreatedAt); err != nil {
		return nil, err
	}
	if len(read.Files) > maxCheckpointFiles {
		return nil, fmt.Errorf("it lists %d files, at most %d are read", len(read.Files), maxCheckpointFiles)
	}
	out := &CheckpointManifest{id, id, read.CreatedAt, make([]FileSnapshot, 0, len(read.Files))}
	for _, f := range read.Files {
		snap, err := readSnapshot(f.FileSnapshot, f.Exists, root)
		if err == nil && !snap.RecordedAt.IsZero() && !snap.RecordedAt.After(out.CreatedAt) {
			err = fmt.Errorf("%q was recorded before its checkpoint", clipped(snap.Path))
		}
		if err != nil {
			return nil, err
		}
		out.Files = append(out.Files, snap)
	}
	return out, checkTogether(out.Files)
}

// readSnapshot checks one file of a manifest. If exists is nil, a file with a hash existed.
func readSnapshot(snap FileSnapshot, exists *bool, root string) (FileSnapshot, error) {
	path, err := storedPath(root, snap.Path)
	if err != nil {
		return snap, err
	}
	snap.Path, snap.Exists = path, exists != nil && *exists || exists == nil && snap.Hash != ""
	bad := func(what string) (FileSnapshot, error) {
		return snap, fmt.Errorf("%q: %s", clipped(path), what)
	}
	switch {
	case exists == nil && snap.Hash == "":
		return bad("neither exists nor does not")
	case isFolder(snap):
		if snap.Hash != "" || snap.Size != 0 {
			return bad("a folder has no content")
		}
	case !snap.Exists && (snap.Hash != "" || snap.Size != 0 || snap.Mode != ""):
		return bad("did not exist, and has content")
	case snap.Exists && !validHash(snap.Hash):
		return bad(fmt.Sprintf("%q is no hash", clipped(snap.Hash)))
	case snap.Size < 0:
		return bad("its size is negative")
	case snap.Exists && snap.Mode != modeLink && snap.Mode != "":
		if _, err := permissions(snap.Mode); err != nil {
			return bad(err.Error())
		}
	}
	if snap.RecordedAt.IsZero() {
		return snap, nil
	}
	return snap, checkTime(snap.RecordedAt)
}

func isFolder(s FileSnapshot) bool { return s.Mode == modeFolder }

// permissions returns the permission bits of a regular file's mode.
func permissions(mode string) (fs.FileMode, error) {
	n, err := strconv.ParseUint(mode, 8, 32)
	if err != nil || n&^0o777 != 0o100000 {
		return 0, fmt.Errorf("%q is no mode of a file", clipped(mode))
	}
	return fs.FileMode(n & 0o777), nil
}

// checkTime refuses times so early or late that no other time could come before or after them.
func checkTime(t time.Time) error {
	if y := t.Year(); y < 1971 || y > 9000 {
		return fmt.Errorf("it is of the year %d", y)
	}
	return nil
}

// checkTogether refuses two states of one path, and a file with files below it. It allows a
// folder that was missing several times.
func checkTogether(files []FileSnapshot) error {
	type name struct {
		path   string
		folder time.Time // when it was recorded
	}
	seen := make(map[name]FileSnapshot, len(files))
	for _, f := range files {
		key := name{path: f.Path}
		if isFolder(f) {
			key.folder = f.RecordedAt.Add(1) // never zero, which stands for a file
		}
		if _, twice := seen[key]; twice {
			return fmt.Errorf("%q is listed twice", clipped(f.Path))
		}
		seen[key] = f
	}
	for _, f := range files {
		for up := f.Path; f.Exists; {
			i := strings.LastIndexByte(up, '/')
			if i < 0 {
				break
			}
			up = up[:i]
			if above, listed := seen[name{path: up}]; listed && above.Exists && above.RecordedAt.Equal(f.RecordedAt) {
				return fmt.Errorf("%q is a file, and %q below it is one", clipped(up), clipped(f.Path))
			}
		}
	}
	return nil
}

// writeManifest adds files to a checkpoint whose manifest on disk is old, or makes the
// checkpoint if old is nil. Fields of other programs stay as they are.
func (m *CheckpointManager) writeManifest(c *CheckpointManifest, old []byte, files []FileSnapshot) error {
	if old == nil {
		c.Files = files
		return m.writeJSON(m.path(layout.CheckpointsName, c.CheckpointID, manifestName), c)
	}
	fields, err := layout.Split(old)
	if err != nil {
		return err
	}
	out := []byte("{")
	var all json.RawMessage
	var rest []layout.Field
	for _, f := range fields {
		if strings.EqualFold(f.Key, "files") {
			all = f.Raw // the last of two equal keys wins
		} else {
			rest = append(rest, f)
		}
	}
	if all, err = appendFiles(all, files); err != nil {
		return err
	}
	out = append(append(out, `"files":`...), all...)
	if out, err = layout.WithFields(append(out, '}'), rest); err != nil {
		return err
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, out, "", "  "); err != nil {
		return err
	}
	pretty.WriteByte('\n')
	return m.write(m.path(layout.CheckpointsName, c.CheckpointID, manifestName), pretty.Bytes())
}

// appendFiles adds files to a JSON array of files.
func appendFiles(raw json.RawMessage, files []FileSnapshot) (json.RawMessage, error) {
	var all []json.RawMessage
	if raw != nil {
		if err := json.Unmarshal(raw, &all); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		data, err := json.Marshal(f)
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return json.Marshal(all)
}
