package sessionlib

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"entire/agent"
	"entire/internal/durable"
)

// packedEnding ends the name of a transcript that its agent has compressed.
const packedEnding = ".zst"

// unpackMemory bounds what a compressed transcript may ask for.
const unpackMemory = 128 << 20

var errTooLarge = fmt.Errorf("it holds more than %d MiB", agent.MaxTranscript>>20)

// Unpacked returns the path of a transcript that can be read: path itself or, if it is compressed, that of
// a copy, which done removes.
func Unpacked(path string) (plain string, done func(), err error) {
	if !strings.HasSuffix(path, packedEnding) {
		return path, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "entire-unpacked-")
	if err != nil {
		return "", nil, err
	}
	done = func() { _ = os.RemoveAll(dir) }
	plain = filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), packedEnding))
	if err := unpack(path, plain); err != nil {
		done()
		return "", nil, fmt.Errorf("unpack %s: %w", path, err)
	}
	return plain, done, nil
}

func unpack(from, to string) (err error) {
	in, err := durable.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	dec, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(unpackMemory))
	if err != nil {
		return err
	}
	defer dec.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	switch n, err := io.Copy(out, io.LimitReader(dec, agent.MaxTranscript+1)); {
	case err != nil:
		return err
	case n > agent.MaxTranscript:
		return errTooLarge
	}
	return nil
}
