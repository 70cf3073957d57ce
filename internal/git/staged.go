package git

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"

	"entire/internal/git/object"
)

// stagedNatively compares HEAD with the tree that the index has cached for its content; ok
// is false if the index has none, or is in an unknown format. Git writes that tree before
// it asks for a commit's message.
func (r *Repo) stagedNatively(ctx context.Context, indexFile string) (s Staged, ok bool) {
	if !r.Ordinary {
		return s, false
	}
	head, ok := r.HeadInFiles()
	if !ok {
		return s, false
	}
	if indexFile == "" {
		indexFile = filepath.Join(r.GitDir, "index")
	}
	if s.To, ok = indexTree(indexFile); !ok {
		return s, false
	}
	c, err := r.Reader(ctx).Commit(head)
	if err != nil {
		return s, false
	}
	s.From = c.Tree
	s.Changes, err = r.DiffTrees(ctx, s.From, s.To)
	return s, err == nil
}

// indexTree returns the cached tree of an index of a SHA-1 repository, if it has one.
func indexTree(path string) (object.OID, bool) {
	f, err := os.Open(path)
	if err != nil {
		return object.OID{}, false
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return object.OID{}, false
	}
	tree, err := readIndexTree(bufio.NewReaderSize(f, 64<<10), fi.Size())
	return tree, err == nil && !tree.IsZero()
}

// readIndexTree skips the entries of an index of size bytes and returns its cached tree.
func readIndexTree(in *bufio.Reader, size int64) (object.OID, error) {
	var head [12]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return object.OID{}, err
	}
	version, count := binary.BigEndian.Uint32(head[4:]), binary.BigEndian.Uint32(head[8:])
	if string(head[:4]) != "DIRC" || version != 2 && version != 3 {
		return object.OID{}, errIndexForm
	}
	left := size - int64(len(head)) - 20
	for range count {
		n, err := skipEntry(in)
		if err != nil {
			return object.OID{}, err
		}
		left -= n
	}
	return indexExtensions(in, left)
}

// skipEntry skips an entry and returns its length.
func skipEntry(in *bufio.Reader) (int64, error) {
	const fixed, nameMask, extended = 62, 0xfff, 0x4000
	head, err := in.Peek(fixed)
	if err != nil {
		return 0, err
	}
	flags := binary.BigEndian.Uint16(head[fixed-2:])
	name, n := int(flags&nameMask), fixed
	if flags&extended != 0 {
		n += 2
	}
	if name == nameMask { // or longer
		return 0, errIndexForm
	}
	n += name
	n += 8 - n%8
	_, err = in.Discard(n)
	return int64(n), err
}

// indexExtensions reads the extensions after the entries, of left bytes, up to the tree.
func indexExtensions(in *bufio.Reader, left int64) (tree object.OID, err error) {
	var head [8]byte
	for left >= int64(len(head)) {
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return object.OID{}, err
		}
		size := int64(binary.BigEndian.Uint32(head[4:]))
		left -= int64(len(head)) + size
		if left < 0 || head[0] < 'A' || head[0] > 'Z' { // a lower-case extension changes the meaning of the index
			return object.OID{}, errIndexForm
		}
		if string(head[:4]) != "TREE" {
			if _, err := in.Discard(int(size)); err != nil {
				return object.OID{}, err
			}
			continue
		}
		data := make([]byte, size)
		if _, err := io.ReadFull(in, data); err != nil {
			return object.OID{}, err
		}
		if tree, err = rootOf(data); err != nil {
			return object.OID{}, err
		}
	}
	if left != 0 {
		return object.OID{}, errIndexForm
	}
	return tree, nil
}

// rootOf returns the first tree of a TREE extension, zero if it is outdated.
func rootOf(data []byte) (object.OID, error) {
	line := bytes.IndexByte(data, '\n')
	if line < 0 || data[0] != 0 { // the root has no name
		return object.OID{}, errIndexForm
	}
	if bytes.HasPrefix(data[1:], []byte("-")) {
		return object.OID{}, nil
	}
	if len(data) < line+1+20 {
		return object.OID{}, errIndexForm
	}
	return object.OIDFromBytes(data[line+1 : line+21]), nil
}
