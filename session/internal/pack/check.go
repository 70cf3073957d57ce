package pack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"entire/internal/seekable"
	"entire/session/internal/log"
)

// CheckPacked returns an error unless the compressed content of a log has the hash that the
// log's head says.
func CheckPacked(ctx context.Context, path string) error {
	switch head, _, err := log.HeadOf(path); {
	case errors.Is(err, fs.ErrNotExist), err == nil && head == nil:
		return nil
	case err != nil:
		return fmt.Errorf("read %s: %w", path, err)
	}
	l, err := log.OpenLog(path)
	if err != nil {
		return err
	}
	defer l.Close()
	sum := sha256.New()
	for at := int64(0); at < l.Head.Bytes; at += log.SmallFile {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := io.Copy(sum, io.NewSectionReader(l, at, min(log.SmallFile, l.Head.Bytes-at))); err != nil {
			return fmt.Errorf("read %s%s: %w", path, log.PackedExt, err)
		}
	}
	if hex.EncodeToString(sum.Sum(nil)) != l.Head.SHA256 {
		return fmt.Errorf("read %s%s: %w: it is another than was compressed", path, log.PackedExt, seekable.ErrDamaged)
	}
	return nil
}
