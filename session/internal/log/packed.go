package log

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"entire/internal/seekable"
	"entire/session/internal/layout"
)

// The parts of compressed logs that reach the disk, besides the format of internal/seekable.
const (
	// PackedExt is added to a log's name for the name of its compressed file.
	PackedExt = ".zst"
	// OutputsName is the folder of large texts, named by their content.
	OutputsName = "outputs"
	// LargeTextMark and the SHA-256 of a large text replace the text in the compressed file.
	LargeTextMark = "entire-output:"
	// PackedHeadStart begins the first line of a log whose beginning is compressed.
	PackedHeadStart = `{"entire_packed":{"bytes":`
	// packedHeadMessage tells people who read that line where the rest is, and makes the line a message
	// for other programs.
	packedHeadMessage = `"role":"system","content":"What was said before is in the file of this name with .zst, compressed (zstd)."`
	// maxPackedHead is more bytes than any such line has.
	maxPackedHead = 512
)

// maxLogBytes is more bytes than any log or text has, and small enough that sums do not overflow.
const maxLogBytes = 1 << 42

// largeTextMarkLength is how many bytes replace a large text.
const largeTextMarkLength = int64(len(LargeTextMark) + 64)

// A PackedHead says that a log's first bytes are those of its compressed file.
type PackedHead struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of those bytes
	Length int64  `json:"-"`      // length of the line with the head
}

// Line returns the head as the first line of a log, with a newline.
func (h *PackedHead) Line() []byte {
	return fmt.Appendf(nil, "%s%d,\"sha256\":\"%s\"},%s}\n", PackedHeadStart, h.Bytes, h.SHA256, packedHeadMessage)
}

// extraBytes returns how many bytes a log has beyond those of its file.
func (h *PackedHead) extraBytes() int64 {
	if h == nil {
		return 0
	}
	return h.Bytes - h.Length
}

// readPackedHead reads the first line of a log's file; nil if nothing is compressed.
func readPackedHead(f io.ReaderAt) (*PackedHead, error) {
	var buf [maxPackedHead]byte
	n, err := f.ReadAt(buf[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !bytes.HasPrefix(buf[:n], []byte(PackedHeadStart)) {
		return nil, nil
	}
	line, _, whole := bytes.Cut(buf[:n], []byte{'\n'})
	var v struct {
		Packed PackedHead `json:"entire_packed"`
	}
	if !whole || json.Unmarshal(line, &v) != nil || v.Packed.Bytes < 1 || v.Packed.Bytes > maxLogBytes || !isSHA256(v.Packed.SHA256) {
		return nil, errors.New("what says that the beginning is compressed is damaged")
	}
	v.Packed.Length = int64(len(line)) + 1
	return &v.Packed, nil
}

func isSHA256(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == 32
}

// A PackedNote describes a compressed file and is stored in it.
type PackedNote struct {
	Bytes      int64       `json:"bytes"` // of the log
	LargeTexts []LargeText `json:"apart,omitempty"`
}

// LargeText is a large text that is stored in a file of its own.
type LargeText struct {
	At     int64  `json:"at"` // offset in the compressed file's content of the largeTextMarkLength bytes that replace the text
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`

	from int64 // offset in the log
}

// A packedFile is the compressed beginning of a log, open for reading.
type packedFile struct {
	File       *os.File
	In         *seekable.Reader
	Size       int64 // how many bytes of the log it holds
	LargeTexts []LargeText
	Dir        string // the folder of the large texts

	mu   sync.Mutex
	text *packedText // the large text that was read last
}

type packedText struct {
	file *os.File
	in   *seekable.Reader
	sum  string
}

// OpenPacked opens the compressed file at path. The error for a missing file is not
// fs.ErrNotExist, because the log has then lost its content.
func OpenPacked(path string) (p *packedFile, err error) {
	f, r, err := openSeekable(path)
	if err != nil {
		return nil, err
	}
	p = &packedFile{File: f, In: r, Dir: filepath.Join(filepath.Dir(path), OutputsName)}
	if err := p.readNote(); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), f.Close())
	}
	return p, nil
}

func openSeekable(path string) (*os.File, *seekable.Reader, error) {
	f, err := layout.OpenFile(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s is missing, and what was said is in it", path)
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	var r *seekable.Reader
	if err == nil {
		r, err = seekable.NewReader(f, info.Size())
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("read %s: %w", path, err), f.Close())
	}
	return f, r, nil
}

// readNote reads the list of large texts and validates it.
func (p *packedFile) readNote() error {
	var note PackedNote
	if err := json.Unmarshal(p.In.Note(), &note); err != nil {
		return fmt.Errorf("%w: %w", seekable.ErrDamaged, err)
	}
	var at, more int64
	for i := range note.LargeTexts {
		a := &note.LargeTexts[i]
		if a.At < at || a.At > p.In.Size()-largeTextMarkLength || a.Bytes < 1 || a.Bytes > maxLogBytes || !isSHA256(a.SHA256) {
			return fmt.Errorf("%w: the %d. text of %d bytes at %d", seekable.ErrDamaged, i+1, a.Bytes, a.At)
		}
		a.from = a.At + more
		at, more = a.At+largeTextMarkLength, more+a.Bytes-largeTextMarkLength
	}
	if note.Bytes != p.In.Size()+more {
		return fmt.Errorf("%w: it holds %d bytes, not %d", seekable.ErrDamaged, p.In.Size()+more, note.Bytes)
	}
	p.Size, p.LargeTexts = note.Bytes, note.LargeTexts
	return nil
}

// ReadAt reads the bytes of the log.
func (p *packedFile) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) {
		k, err := p.readPiece(b[n:], off+int64(n))
		n += k
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// readPiece reads at off, up to the end of the file that holds those bytes.
func (p *packedFile) readPiece(b []byte, off int64) (int, error) {
	i, found := slices.BinarySearchFunc(p.LargeTexts, off, func(a LargeText, off int64) int { return cmp.Compare(a.from, off) })
	if !found {
		i--
	}
	at := off // offset in the compressed content
	if i >= 0 {
		a := p.LargeTexts[i]
		if in := off - a.from; in < a.Bytes {
			return p.readText(a, b[:min(int64(len(b)), a.Bytes-in)], in)
		}
		at = a.At + largeTextMarkLength + off - a.from - a.Bytes
	}
	if i+1 < len(p.LargeTexts) {
		b = b[:min(int64(len(b)), p.LargeTexts[i+1].from-off)]
	}
	return p.In.ReadAt(b, at)
}

func (p *packedFile) readText(a LargeText, b []byte, off int64) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text == nil || p.text.sum != a.SHA256 {
		f, r, err := openSeekable(TextPath(p.Dir, a.SHA256))
		if err != nil {
			return 0, err
		}
		if p.text != nil {
			p.text.file.Close()
		}
		p.text = &packedText{f, r, a.SHA256}
	}
	if p.text.in.Size() != a.Bytes {
		return 0, fmt.Errorf("%w: the text %s has %d bytes, not %d", seekable.ErrDamaged, a.SHA256, p.text.in.Size(), a.Bytes)
	}
	return p.text.in.ReadAt(b, off)
}

// TextPath returns the path of a large text in the outputs folder.
func TextPath(outputs, sum string) string { return filepath.Join(outputs, sum+PackedExt) }

func (p *packedFile) Close() error {
	err := p.File.Close()
	if p.text != nil {
		err = errors.Join(err, p.text.file.Close())
	}
	return err
}

// IsPacked reports whether name, below a session's folder, is that of a file with compressed
// content of a log.
func IsPacked(name string) bool {
	stem, ok := strings.CutSuffix(name, PackedExt)
	if !ok {
		return false
	}
	if sum, in := strings.CutPrefix(stem, OutputsName+"/"); in {
		return isSHA256(sum)
	}
	return layout.IsLog(stem)
}
