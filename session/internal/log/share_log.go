package log

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"entire/session/internal/layout"
)

// ShareLog gives a log and its compressed files a second name in another session's folder. If
// the file system has no hard links, it copies the first bytes of the log uncompressed. The
// caller holds the session's lock.
func ShareLog(from, to string, bytes int64) error {
	l, err := OpenLog(from)
	if err != nil {
		return err
	}
	defer l.Close()
	if l.Head == nil {
		return layout.ShareFile(from, to, bytes)
	}
	if linkPacked(l, from, to) == nil {
		return nil
	}
	for _, path := range []string{to, to + PackedExt} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return copyLog(l, to, bytes)
}

// linkPacked links the log's own file last, because its compressed files must exist by then.
func linkPacked(l *File, from, to string) error {
	outputs := filepath.Join(filepath.Dir(to), OutputsName)
	if len(l.Packed.LargeTexts) > 0 {
		if err := os.MkdirAll(outputs, 0o750); err != nil {
			return err
		}
	}
	for _, a := range l.Packed.LargeTexts {
		err := os.Link(TextPath(l.Packed.Dir, a.SHA256), TextPath(outputs, a.SHA256))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if err := os.Link(from+PackedExt, to+PackedExt); err != nil {
		return err
	}
	return os.Link(from, to)
}

func copyLog(l *File, to string, bytes int64) error {
	out, err := layout.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, io.NewSectionReader(l, 0, bytes)); err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// CheckLogs returns an error unless all logs in a folder can be opened.
func CheckLogs(ctx context.Context, dir string) error {
	for _, of := range []Stream{MessageStream, TranscriptStream} {
		list, err := Parts(dir, of)
		for _, p := range list {
			var l *File
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				l, err = p.Open()
			}
			if err == nil {
				err = l.Close()
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
