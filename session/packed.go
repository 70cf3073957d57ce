package session

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
)

// The parts of compressed logs that reach the disk, besides the format of internal/seekable.
const (
	// packedExt is added to a log's name for the name of its compressed file.
	packedExt = ".zst"
	// outputsName is the folder of large texts, named by their content.
	outputsName = "outputs"
	// apartMark and the SHA-256 of a large text replace the text in the compressed file.
	apartMark = "entire-output:"
	// headStart begins the first line of a log whose beginning is compressed.
	headStart = `{"entire_packed":{"bytes":`
	// headSaid tells people who read that line where the rest is, and makes the line a message
	// for other programs.
	headSaid = `"role":"system","content":"What was said before is in the file of this name with .zst, compressed (zstd)."`
	// headMost is more bytes than any such line has.
	headMost = 512
)

// mostBytes is more bytes than any log or text has, and small enough that sums do not overflow.
const mostBytes = 1 << 42

// apartLength is how many bytes replace a large text.
const apartLength = int64(len(apartMark) + 64)

// A packedHead says that a log's first bytes are those of its compressed file.
type packedHead struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of those bytes
	length int64  // length of the line with the head
}

func (h *packedHead) line() []byte {
	return fmt.Appendf(nil, "%s%d,\"sha256\":\"%s\"},%s}\n", headStart, h.Bytes, h.SHA256, headSaid)
}

// more returns how many bytes a log has beyond those of its file.
func (h *packedHead) more() int64 {
	if h == nil {
		return 0
	}
	return h.Bytes - h.length
}

// readPackedHead reads the first line of a log's file; nil if nothing is compressed.
func readPackedHead(f io.ReaderAt) (*packedHead, error) {
	var buf [headMost]byte
	n, err := f.ReadAt(buf[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !bytes.HasPrefix(buf[:n], []byte(headStart)) {
		return nil, nil
	}
	line, _, whole := bytes.Cut(buf[:n], []byte{'\n'})
	var v struct {
		Packed packedHead `json:"entire_packed"`
	}
	if !whole || json.Unmarshal(line, &v) != nil || v.Packed.Bytes < 1 || v.Packed.Bytes > mostBytes || !isSum(v.Packed.SHA256) {
		return nil, errors.New("what says that the beginning is compressed is damaged")
	}
	v.Packed.length = int64(len(line)) + 1
	return &v.Packed, nil
}

func isSum(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == 32
}

// A packedNote describes a compressed file and is stored in it.
type packedNote struct {
	Bytes int64   `json:"bytes"` // of the log
	Apart []apart `json:"apart,omitempty"`
}

// apart is a large text that is stored in a file of its own.
type apart struct {
	At     int64  `json:"at"` // offset in the compressed file's content of the apartLength bytes that replace the text
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`

	from int64 // offset in the log
}

// A packedFile is the compressed beginning of a log, open for reading.
type packedFile struct {
	file  *os.File
	in    *seekable.Reader
	size  int64 // how many bytes of the log it holds
	apart []apart
	dir   string // the folder of the large texts

	mu   sync.Mutex
	text *packedText // the large text that was read last
}

type packedText struct {
	file *os.File
	in   *seekable.Reader
	sum  string
}

// openPacked opens the compressed file at path. The error for a missing file is not
// fs.ErrNotExist, because the log has then lost its content.
func openPacked(path string) (p *packedFile, err error) {
	f, r, err := openSeekable(path)
	if err != nil {
		return nil, err
	}
	p = &packedFile{file: f, in: r, dir: filepath.Join(filepath.Dir(path), outputsName)}
	if err := p.readNote(); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), f.Close())
	}
	return p, nil
}

func openSeekable(path string) (*os.File, *seekable.Reader, error) {
	f, err := openFile(path, os.O_RDONLY)
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
	var note packedNote
	if err := json.Unmarshal(p.in.Note(), &note); err != nil {
		return fmt.Errorf("%w: %w", seekable.ErrDamaged, err)
	}
	var at, more int64
	for i := range note.Apart {
		a := &note.Apart[i]
		if a.At < at || a.At > p.in.Size()-apartLength || a.Bytes < 1 || a.Bytes > mostBytes || !isSum(a.SHA256) {
			return fmt.Errorf("%w: the %d. text of %d bytes at %d", seekable.ErrDamaged, i+1, a.Bytes, a.At)
		}
		a.from = a.At + more
		at, more = a.At+apartLength, more+a.Bytes-apartLength
	}
	if note.Bytes != p.in.Size()+more {
		return fmt.Errorf("%w: it holds %d bytes, not %d", seekable.ErrDamaged, p.in.Size()+more, note.Bytes)
	}
	p.size, p.apart = note.Bytes, note.Apart
	return nil
}

// ReadAt reads the bytes of the log.
func (p *packedFile) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) {
		k, err := p.piece(b[n:], off+int64(n))
		n += k
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// piece reads at off, up to the end of the file that holds those bytes.
func (p *packedFile) piece(b []byte, off int64) (int, error) {
	i, found := slices.BinarySearchFunc(p.apart, off, func(a apart, off int64) int { return cmp.Compare(a.from, off) })
	if !found {
		i--
	}
	at := off // offset in the compressed content
	if i >= 0 {
		a := p.apart[i]
		if in := off - a.from; in < a.Bytes {
			return p.readText(a, b[:min(int64(len(b)), a.Bytes-in)], in)
		}
		at = a.At + apartLength + off - a.from - a.Bytes
	}
	if i+1 < len(p.apart) {
		b = b[:min(int64(len(b)), p.apart[i+1].from-off)]
	}
	return p.in.ReadAt(b, at)
}

func (p *packedFile) readText(a apart, b []byte, off int64) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text == nil || p.text.sum != a.SHA256 {
		f, r, err := openSeekable(textPath(p.dir, a.SHA256))
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

// textPath returns the path of a large text in the outputs folder.
func textPath(outputs, sum string) string { return filepath.Join(outputs, sum+packedExt) }

func (p *packedFile) Close() error {
	err := p.file.Close()
	if p.text != nil {
		err = errors.Join(err, p.text.file.Close())
	}
	return err
}

// isPacked reports whether name, below a session's folder, is that of a file with compressed
// content of a log.
func isPacked(name string) bool {
	stem, ok := strings.CutSuffix(name, packedExt)
	if !ok {
		return false
	}
	if sum, in := strings.CutPrefix(stem, outputsName+"/"); in {
		return isSum(sum)
	}
	return isLog(stem)
}
