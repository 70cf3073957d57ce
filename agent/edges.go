package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
)

// edgeBytes is how much of both ends of the read part of a transcript is digested.
const edgeBytes = 4 << 10

// EdgeDigest returns a digest of the first and last bytes before offset. Where it changes, the agent has written
// the transcript anew, and what was read of it is to be read again.
func EdgeDigest(transcript io.ReaderAt, offset int64) (string, error) {
	if offset < 0 {
		return "", fmt.Errorf("read a transcript up to %d: %w", offset, fs.ErrInvalid)
	}
	n := min(offset, edgeBytes)
	buf := make([]byte, 2*n)
	if _, err := transcript.ReadAt(buf[:n], 0); err != nil {
		return "", err
	}
	if _, err := transcript.ReadAt(buf[n:], offset-n); err != nil {
		return "", err
	}
	sum := sha256.Sum256(buf)
	return hex.EncodeToString(sum[:8]), nil
}
