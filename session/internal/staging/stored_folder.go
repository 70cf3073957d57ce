package staging

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/durable"
	"entire/session/internal/conversation"
	"entire/session/internal/layout"
	"entire/session/internal/log"
)

// FolderFile is a file of a stored session, as it was at one moment.
type FolderFile struct {
	Name string // below the session's folder, with slashes
	Size int64  // how many of its bytes belong to the session

	info fs.FileInfo
	path string
	data []byte   // the content of a small file that may be replaced
	open heldFile // a larger file that may grow or be replaced
}

// heldFile is a file that stays open.
type heldFile interface {
	io.ReaderAt
	io.Closer
}

// Open returns a reader of the file as it was: it reads Size bytes, or fails.
func (f FolderFile) Open() (io.ReadCloser, error) {
	switch {
	case f.open != nil:
		return io.NopCloser(io.NewSectionReader(f.open, 0, f.Size)), nil
	case f.data != nil:
		return io.NopCloser(bytes.NewReader(f.data)), nil
	}
	return layout.OpenFile(f.path, os.O_RDONLY)
}

// Same reports whether two names are of one file, which a fork shares.
func (f FolderFile) Same(g FolderFile) bool { return os.SameFile(f.info, g.info) }

// IsBlob reports whether the file is a content that other sessions may share.
func (f FolderFile) IsBlob() bool { return strings.HasPrefix(f.Name, layout.BlobsName+"/") }

// IsLog reports whether the file is a log, whose beginning a fork may share.
func (f FolderFile) IsLog() bool {
	return layout.IsLog(f.Name) || IsShared(f.Name)
}

// IsShared reports whether name is that of a file that never changes and that several sessions
// may share.
func IsShared(name string) bool {
	return strings.HasPrefix(name, layout.BlobsName+"/") || strings.HasPrefix(name, "base-") && strings.HasSuffix(name, ".jsonl")
}

// Folder is everything that is stored of a session, as it was at one moment.
type Folder struct {
	Metadata conversation.SessionMetadata
	Files    []FolderFile // sorted by name

	shared log.BaseFile
}

// Messages reads all messages as messages.jsonl of a session that shares nothing: first those
// that a fork shares, then its own. The reader is nil if there are none.
func (f *Folder) Messages() (io.Reader, int64, error) {
	return f.log(f.shared.Messages, layout.MessagesName)
}

// Transcript is Messages for the agent's own stream.
func (f *Folder) Transcript() (io.Reader, int64, error) {
	return f.log(f.shared.Transcript, layout.TranscriptName)
}

func (f *Folder) log(shared []log.BasePart, own string) (io.Reader, int64, error) {
	var names []string
	for _, p := range shared {
		names = append(names, p.File)
	}
	var all []io.Reader
	var size int64
	for _, name := range append(names, own) {
		i := slices.IndexFunc(f.Files, func(file FolderFile) bool { return file.Name == name })
		if i < 0 {
			if name == own {
				continue
			}
			return nil, 0, fmt.Errorf("%s is missing", name)
		}
		r, err := f.Files[i].Open() // logs are held, so nothing needs closing
		if err != nil {
			return nil, 0, err
		}
		all, size = append(all, r), size+f.Files[i].Size
	}
	if all == nil {
		return nil, 0, nil
	}
	return io.MultiReader(all...), size, nil
}

// Close closes the files.
func (f *Folder) Close() error {
	var errs []error
	for _, file := range f.Files {
		if file.open != nil {
			errs = append(errs, file.open.Close())
		}
	}
	return errors.Join(errs...)
}

// Bytes returns the sum of the files' sizes.
func (f *Folder) Bytes() (n int64) {
	for _, file := range f.Files {
		n += file.Size
	}
	return n
}

// ReadFolder opens everything that is stored of a session, under its locks.
func ReadFolder(ctx context.Context, b *layout.Base, sessionID string) (f *Folder, err error) {
	sid, dir, release, err := b.LockAll(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	defer release()
	f = &Folder{}
	if f.Metadata, _, err = conversation.ReadMetadata(dir, sid); err != nil {
		return nil, err
	}
	if f.shared, err = log.ReadBase(dir); err != nil {
		return nil, err
	}
	bytes := map[string]int64{}
	for _, p := range slices.Concat(f.shared.Messages, f.shared.Transcript) {
		bytes[p.File] = p.Bytes
	}
	if err := f.add(ctx, dir, "", bytes); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// add adds the files in a folder below dir. For the files in bytes only that many bytes count.
func (f *Folder) add(ctx context.Context, dir, below string, bytes map[string]int64) error {
	entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(below)))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(below, e.Name())
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case isTransient(e.Name()) || log.IsPacked(name):
		case e.IsDir():
			if err := f.add(ctx, dir, name, nil); err != nil {
				return err
			}
		default:
			if err := f.addFile(filepath.Join(dir, filepath.FromSlash(name)), name, bytes); err != nil {
				return err
			}
		}
	}
	return nil
}

// isTransient reports whether a file is of use only in its place: a lock or a temporary file.
func isTransient(name string) bool {
	return strings.HasPrefix(name, ".") || name == layout.SessionLock || strings.HasSuffix(name, ".lock") || strings.Contains(name, ".tmp-")
}

func (f *Folder) addFile(path, name string, bytes map[string]int64) error {
	if err := CheckFolderFile(name); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", path)
	}
	file := FolderFile{Name: name, info: info, path: path, Size: info.Size()}
	if layout.IsLog(name) {
		if file.Size, _, err = log.StatLog(path); err != nil {
			return err
		}
	}
	if part, ok := bytes[name]; ok {
		if part > file.Size {
			return fmt.Errorf("%s has %d of %d bytes", path, file.Size, part)
		}
		file.Size = part
	}
	if !strings.HasPrefix(name, layout.BlobsName+"/") { // blobs never change
		if err := file.hold(); err != nil {
			return err
		}
	}
	f.Files = append(f.Files, file)
	return nil
}

// hold keeps the present content, in memory or as an open file.
func (f *FolderFile) hold() error {
	in, err := f.openHeld()
	if err != nil {
		return err
	}
	if f.Size > log.SmallFile {
		f.open = in
		return nil
	}
	defer in.Close()
	f.data = make([]byte, f.Size)
	_, err = io.ReadFull(io.NewSectionReader(in, 0, f.Size), f.data)
	return err
}

func (f *FolderFile) openHeld() (heldFile, error) {
	if layout.IsLog(f.Name) {
		return log.OpenLog(f.path)
	}
	return layout.OpenFile(f.path, os.O_RDONLY)
}

const (
	maxFolderName  = 255
	maxFolderDepth = 4
)

// CheckFolderFile refuses names that a file in a session's folder cannot have on every system.
func CheckFolderFile(name string) error {
	parts := strings.Split(name, "/")
	if len(parts) > maxFolderDepth {
		return fmt.Errorf("%.60q lies too deep for a file of a session", name)
	}
	for _, p := range parts {
		switch {
		case p == "" || len(p) > maxFolderName,
			strings.IndexFunc(p, func(r rune) bool {
				return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-#", r))
			}) >= 0,
			p[0] == '.' || p[0] == '-', strings.HasSuffix(p, "."), isTransient(p), durable.IsDevice(p), log.IsPacked(name):
			return fmt.Errorf("%.60q is no name of a session's file", name)
		}
	}
	return nil
}
