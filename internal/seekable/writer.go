package seekable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// Writer compresses what is written to it. It is unusable after an error.
type Writer struct {
	out   io.Writer
	enc   *zstd.Encoder
	held  []byte // data not yet in a frame
	frame []byte // scratch
	list  []entry
	err   error
}

// An entry is the compressed and the uncompressed size of a frame.
type entry struct{ packed, plain uint32 }

// NewWriter begins a file on w. Close completes it and does not close w.
func NewWriter(w io.Writer) (*Writer, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(longFrame))
	if err != nil {
		return nil, err
	}
	return &Writer{out: w, enc: enc}, nil
}

// Copy appends all frames of another file without recompressing them.
func (w *Writer) Copy(from *Reader) error {
	if err := w.flush(); err != nil {
		return err
	}
	for i, e := range from.list {
		if e.plain == 0 {
			continue
		}
		frame, err := from.raw(i)
		if err == nil {
			err = w.put(frame, e.plain)
		}
		if err != nil {
			return w.fail(err)
		}
	}
	return nil
}

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && w.err == nil {
		k := min(longFrame-len(w.held), len(p))
		w.held, p = append(w.held, p[:k]...), p[k:]
		for cut := cutAt(w.held); cut > 0 && w.err == nil; cut = cutAt(w.held) {
			w.compress(w.held[:cut])
			w.held = append(w.held[:0], w.held[cut:]...)
		}
	}
	if w.err != nil {
		return 0, w.err
	}
	return n, nil
}

// cutAt returns where the next frame ends in held, or 0 if it is too early.
func cutAt(held []byte) int {
	if len(held) < frameBytes {
		return 0
	}
	if i := bytes.LastIndexByte(held[:frameBytes], '\n'); i >= frameBytes/2 {
		return i + 1
	}
	if i := bytes.IndexByte(held[frameBytes:], '\n'); i >= 0 { // end of the line that crosses the limit
		return frameBytes + i + 1
	}
	if len(held) < longFrame {
		return 0
	}
	return longFrame
}

func (w *Writer) compress(data []byte) {
	w.frame = w.enc.EncodeAll(data, w.frame[:0])
	if err := w.put(w.frame, uint32(len(data))); err != nil {
		w.fail(err)
	}
}

// put writes a frame.
func (w *Writer) put(frame []byte, plain uint32) error {
	if len(frame) > math.MaxInt32 {
		return fmt.Errorf("a frame of %d bytes", len(frame))
	}
	w.list = append(w.list, entry{uint32(len(frame)), plain})
	_, err := w.out.Write(frame)
	return err
}

func (w *Writer) fail(err error) error {
	if w.err == nil {
		w.err = err
	}
	return w.err
}

func (w *Writer) flush() error {
	if w.err == nil && len(w.held) > 0 {
		w.compress(w.held)
		w.held = w.held[:0]
	}
	return w.err
}

// Close writes the remaining data, the note if it is not empty, and the table.
func (w *Writer) Close(note []byte) error {
	if err := w.flush(); err != nil {
		return err
	}
	if len(note) > maxNote {
		return w.fail(fmt.Errorf("a note of %d bytes", len(note)))
	}
	if len(note) > 0 {
		sum := binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(note))
		if err := w.put(skipped(skipMagic, append(sum, note...)), 0); err != nil {
			return w.fail(err)
		}
	}
	table := make([]byte, 0, entrySize*len(w.list)+footSize)
	for _, e := range w.list {
		table = binary.LittleEndian.AppendUint32(table, e.packed)
		table = binary.LittleEndian.AppendUint32(table, e.plain)
	}
	table = binary.LittleEndian.AppendUint32(table, uint32(len(w.list)))
	table = append(table, 0)
	table = binary.LittleEndian.AppendUint32(table, footMagic)
	if _, err := w.out.Write(skipped(tableMagic, table)); err != nil {
		return w.fail(err)
	}
	w.err = errors.New("the file is closed")
	return nil
}

// skipped returns a frame that decoders skip.
func skipped(magic uint32, content []byte) []byte {
	out := binary.LittleEndian.AppendUint32(make([]byte, 0, skipHead+len(content)), magic)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(content)))
	return append(out, content...)
}
