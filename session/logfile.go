package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// LogFile is an open log of a session: messages.jsonl, transcript.jsonl, or one that a fork
// shares. It reads the bytes that were appended, whether they are stored plain or compressed.
type LogFile struct {
	in     io.ReaderAt
	size   int64
	file   *os.File
	info   fs.FileInfo // describes file
	head   *packedHead // nil if nothing is compressed
	packed *packedFile
}

// OpenLog opens the log at path without a lock. Its bytes at that moment stay readable,
// whatever is appended or compressed meanwhile.
func OpenLog(path string) (*LogFile, error) {
	f, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	l := &LogFile{in: f, file: f}
	if err := l.look(path); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *LogFile) look(path string) (err error) {
	if l.info, err = l.file.Stat(); err != nil {
		return err
	}
	l.size = l.info.Size()
	if l.head, err = readPackedHead(l.file); err != nil || l.head == nil {
		return err
	}
	l.size += l.head.Bytes - l.head.length
	if l.packed, err = openPacked(path + packedExt); err != nil {
		return err
	}
	if l.packed.size < l.head.Bytes {
		return fmt.Errorf("%s%s has %d of %d bytes", path, packedExt, l.packed.size, l.head.Bytes)
	}
	l.in = &spliced{l.packed, l.head.Bytes, l.file, l.head.length}
	return nil
}

// ReadAt implements io.ReaderAt.
func (l *LogFile) ReadAt(p []byte, off int64) (int, error) { return l.in.ReadAt(p, off) }

// Size returns how many bytes the log had when it was opened.
func (l *LogFile) Size() int64 { return l.size }

// Close closes the log's files.
func (l *LogFile) Close() error {
	err := l.file.Close()
	if l.packed != nil {
		err = errors.Join(err, l.packed.Close())
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
	if _, err := os.Lstat(path + packedExt); errors.Is(err, fs.ErrNotExist) {
		return info.Size(), info.ModTime(), nil
	}
	head, info, err := headOf(path)
	if err != nil {
		return 0, time.Time{}, err
	}
	return info.Size() + head.more(), info.ModTime(), nil
}

// headOf returns the head of a log's file, nil if nothing is compressed.
func headOf(path string) (*packedHead, fs.FileInfo, error) {
	f, err := openFile(path, os.O_RDONLY)
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
