package log

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"entire/session/internal/layout"
)

// SmallFile is the largest file that is held in memory instead of kept open.
const SmallFile = 1 << 20

// File is an open log of a session: messages.jsonl, transcript.jsonl, or one that a fork
// shares. It reads the bytes that were appended, whether they are stored plain or compressed.
type File struct {
	in     io.ReaderAt
	size   int64
	file   *os.File
	Info   fs.FileInfo // describes file
	Head   *PackedHead // nil if nothing is compressed
	Packed *packedFile
}

// OpenLog opens the log at path without a lock. Its bytes at that moment stay readable,
// whatever is appended or compressed meanwhile.
func OpenLog(path string) (*File, error) {
	f, err := layout.OpenFile(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	l := &File{in: f, file: f}
	if err := l.look(path); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *File) look(path string) (err error) {
	if l.Info, err = l.file.Stat(); err != nil {
		return err
	}
	l.size = l.Info.Size()
	if l.Head, err = readPackedHead(l.file); err != nil || l.Head == nil {
		return err
	}
	l.size += l.Head.Bytes - l.Head.Length
	if l.Packed, err = OpenPacked(path + PackedExt); err != nil {
		return err
	}
	if l.Packed.Size < l.Head.Bytes {
		return fmt.Errorf("%s%s has %d of %d bytes", path, PackedExt, l.Packed.Size, l.Head.Bytes)
	}
	l.in = &spliced{l.Packed, l.Head.Bytes, l.file, l.Head.Length}
	return nil
}

// ReadAt implements io.ReaderAt.
func (l *File) ReadAt(p []byte, off int64) (int, error) { return l.in.ReadAt(p, off) }

// Size returns how many bytes the log had when it was opened.
func (l *File) Size() int64 { return l.size }

// Close closes the log's files.
func (l *File) Close() error {
	err := l.file.Close()
	if l.Packed != nil {
		err = errors.Join(err, l.Packed.Close())
	}
	return err
}

// spliced joins the first bytes of one file and another file from an offset on.
type spliced struct {
	first io.ReaderAt
	bytes int64
	then  io.ReaderAt
	from  int64
}

func (j *spliced) ReadAt(p []byte, off int64) (n int, err error) {
	if off < j.bytes {
		k := int(min(int64(len(p)), j.bytes-off))
		n, err = j.first.ReadAt(p[:k], off)
		if n == k && errors.Is(err, io.EOF) { // the other file continues it
			err = nil
		}
		if n == len(p) || err != nil {
			return n, err
		}
	}
	k, err := j.then.ReadAt(p[n:], off+int64(n)-j.bytes+j.from)
	return n + k, err
}

// StatLog returns how many bytes the log at path has, and when it was last appended to. It
// opens only compressed logs.
func StatLog(path string) (size int64, changed time.Time, err error) {
	// The order matters: a log becomes compressed only after its compressed file has appeared.
	info, err := os.Lstat(path)
	if err != nil {
		return 0, time.Time{}, err
	}
	if _, err := os.Lstat(path + PackedExt); errors.Is(err, fs.ErrNotExist) {
		return info.Size(), info.ModTime(), nil
	}
	head, info, err := HeadOf(path)
	if err != nil {
		return 0, time.Time{}, err
	}
	return info.Size() + head.extraBytes(), info.ModTime(), nil
}

// HeadOf returns the head of a log's file, nil if nothing is compressed.
func HeadOf(path string) (*PackedHead, fs.FileInfo, error) {
	f, err := layout.OpenFile(path, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	head, err := readPackedHead(f)
	return head, info, err
}
