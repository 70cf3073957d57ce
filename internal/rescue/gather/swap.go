package gather

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"

	"entire/internal/rescue/versions"
)

// isSwap reports whether a file's name is that of one of Vim's swap files.
func isSwap(name string) bool {
	ext := filepath.Ext(name)
	return len(ext) == 4 && strings.HasPrefix(ext, ".sw") && ext[3] >= 'a' && ext[3] <= 'p'
}

// addSwap adds the text of a swap file. beside is its path if it stands beside the file that it is for, which
// names that file; otherwise it says itself which file it is for.
func (c *Collector) addSwap(file, beside string) {
	data, err := readRegular(file)
	info, err2 := os.Lstat(file)
	if err != nil || err2 != nil {
		return
	}
	name, text, ok := swapText(data)
	if !ok {
		return
	}
	if strings.HasPrefix(name, "~/") {
		name = filepath.Join(c.Home, name[2:])
	}
	if beside != "" {
		base := strings.TrimPrefix(filepath.Base(beside), ".")
		name = filepath.Join(filepath.Dir(beside), strings.TrimSuffix(base, filepath.Ext(base)))
	}
	path, inside := c.inside(name, "")
	if !inside {
		return
	}
	if hash, size, ok := c.put(text); ok {
		c.add(versions.Evidence{Path: path, At: info.ModTime(), Source: "Vim's swap file", Content: hash, Size: size, Loose: true})
	}
}

// Where Vim's swap files have what (memline.c): in the first block the size of a block and the file's name; a
// pointer block lists blocks, a data block has lines, the last one first.
const (
	swapPageSize, swapName = 12, 108
	swapPointers, swapData = "tp", "ad" // as they stand on a little-endian machine
)

// swapText returns the file's name and the text that a swap file has.
func swapText(data []byte) (name string, text []byte, ok bool) {
	if len(data) < 4096 || !bytes.HasPrefix(data, []byte("b0VIM")) {
		return "", nil, false
	}
	page := int(binary.LittleEndian.Uint32(data[swapPageSize:]))
	if page < 1024 || page > 1<<20 {
		return "", nil, false
	}
	field := data[swapName : swapName+898]
	if end := bytes.IndexByte(field, 0); end >= 0 {
		field = field[:end]
	}
	s := swapFile{data: data, page: page}
	if !s.block(1, 0) {
		return "", nil, false
	}
	return string(field), s.text.Bytes(), true
}

type swapFile struct {
	data []byte
	page int
	text bytes.Buffer
	seen int
}

// block appends the lines of a block; false if the file is not whole.
func (s *swapFile) block(n, depth int) bool {
	at := n * s.page
	if s.seen++; n <= 0 || at+s.page > len(s.data) || depth > 20 || s.seen > len(s.data)/s.page+1 {
		return false
	}
	b := s.data[at:]
	switch string(b[:2]) {
	case swapPointers:
		const head, size = 8, 32
		count := int(binary.LittleEndian.Uint16(b[2:]))
		for i := range count {
			e := head + i*size
			if e+size > s.page || !s.block(int(binary.LittleEndian.Uint64(b[e:])), depth+1) {
				return false
			}
		}
		return count > 0
	case swapData:
		return s.lines(at)
	}
	return false
}

// lines appends the lines of a data block. Its index has where each line begins, which ends with a NUL byte.
func (s *swapFile) lines(at int) bool {
	const head = 24
	b := s.data[at:]
	end, count := int(binary.LittleEndian.Uint32(b[12:])), int(binary.LittleEndian.Uint64(b[16:]))
	if end > len(b) || count < 0 || head+4*count > len(b) || count > len(b) {
		return false
	}
	for i := range count {
		from := int(binary.LittleEndian.Uint32(b[head+4*i:]) & 0x7fffffff)
		if from < head || from >= end || from > len(b) {
			return false
		}
		stop := bytes.IndexByte(b[from:end], 0)
		if stop < 0 {
			return false
		}
		s.text.Write(b[from : from+stop])
		s.text.WriteByte('\n')
	}
	return true
}
