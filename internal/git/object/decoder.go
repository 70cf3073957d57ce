package object

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/zlib"
)

// A decoder decompresses zlib streams in memory, one after another. Its zero value is ready for use.
type decoder struct {
	in  bytes.Reader
	out io.ReadCloser
}

// into decompresses the stream at the start of src until dst is full or the stream ends, and returns the number of bytes
// written. It checks the stream's checksum only at its end: git's objects are named by the hash of their content.
func (d *decoder) into(dst, src []byte) (n int, err error) {
	d.in.Reset(src)
	if d.out == nil {
		d.out, err = zlib.NewReader(&d.in)
	} else {
		err = d.out.(zlib.Resetter).Reset(&d.in, nil)
	}
	for err == nil && n < len(dst) {
		var read int
		read, err = d.out.Read(dst[n:])
		n += read
	}
	if err == io.EOF || n == len(dst) {
		err = nil
	}
	return n, err
}
