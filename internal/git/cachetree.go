package git

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"entire/internal/git/object"
	"entire/internal/git/store"
)

// errIndexForm is returned for an index in an unknown format.
var errIndexForm = errors.New("the index has an unknown form")

// maxIndex bounds the size of an index that is read.
const maxIndex = 1 << 30

// MissingCachedTrees returns the trees that this worktree's index names as already written
// but that do not exist. A commit of such an index would lack a tree, and a gc fails. It
// returns none in a partial clone, where trees may be absent. It changes nothing.
func (r *Repo) MissingCachedTrees(ctx context.Context) ([]object.OID, error) {
	data, err := readIndex(filepath.Join(r.GitDir, "index"))
	if err != nil || data == nil {
		return nil, err
	}
	trees, err := cachedTrees(data, r.HashLen())
	if err != nil || len(trees) == 0 {
		return nil, err
	}
	if promised, err := r.ConfigMatching(ctx, `^(remote\..*\.promisor|extensions\.partialclone)$`); err != nil || len(promised) > 0 {
		return nil, err
	}
	return r.absentObjects(ctx, trees)
}

func readIndex(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	if fi.Size() > maxIndex {
		return nil, fmt.Errorf("read index: %d bytes are too many", fi.Size())
	}
	return os.ReadFile(path)
}

// absentObjects returns those of the objects that do not exist.
func (r *Repo) absentObjects(ctx context.Context, oids []object.OID) ([]object.OID, error) {
	var in strings.Builder
	for _, oid := range oids {
		in.WriteString(oid.String() + "\n")
	}
	out, err := r.RunInput(ctx, []byte(in.String()), "cat-file", "--batch-check=%(objectname)")
	if err != nil {
		return nil, fmt.Errorf("look for trees: %w", err)
	}
	var absent []object.OID
	for line := range strings.Lines(string(out)) {
		if hex, missing := strings.CutSuffix(strings.TrimSpace(line), " missing"); missing {
			oid, err := object.ParseOID(hex)
			if err != nil {
				return nil, fmt.Errorf("look for trees: %w", err)
			}
			absent = append(absent, oid)
		}
	}
	return absent, nil
}

// RewriteCachedTrees writes the trees of this worktree's index again, from its entries. It
// does not change the index, which already names these trees. Entries of a conflict belong
// to no tree.
func (r *Repo) RewriteCachedTrees(ctx context.Context) error {
	staged, err := r.Run(ctx, "ls-files", "-s", "-z")
	if err != nil {
		return fmt.Errorf("list the index: %w", err)
	}
	var info strings.Builder
	for _, rec := range strings.Split(string(staged), "\x00") {
		head, _, _ := strings.Cut(rec, "\t")
		if strings.HasSuffix(head, " 0") {
			info.WriteString(rec + "\x00")
		}
	}
	dir, done, err := r.Scratch("index")
	if err != nil {
		return fmt.Errorf("write the trees of the index: %w", err)
	}
	defer done()
	index := "GIT_INDEX_FILE=" + filepath.Join(dir, "index")
	for _, args := range [][]string{{"update-index", "-z", "--index-info"}, {"write-tree", "--missing-ok"}} {
		c := r.Command(strings.NewReader(info.String()))
		c.Env, c.Flags = append(c.Env[:len(c.Env):len(c.Env)], index), store.DurableConfig
		if _, err := c.Output(ctx, args...); err != nil {
			return fmt.Errorf("write the trees of the index: %w", err)
		}
	}
	return nil
}

// cachedTrees returns the trees in the TREE extension of an index, without those marked as
// outdated.
func cachedTrees(data []byte, hashLen int) ([]object.OID, error) {
	if len(data) < 12+hashLen || string(data[:4]) != "DIRC" {
		return nil, errIndexForm
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, errIndexForm
	}
	rest := data[12 : len(data)-hashLen]
	for range count {
		n, ok := indexEntry(rest, version, hashLen)
		if !ok {
			return nil, errIndexForm
		}
		rest = rest[n:]
	}
	for len(rest) >= 8 {
		size := uint64(binary.BigEndian.Uint32(rest[4:]))
		if size > uint64(len(rest)-8) {
			return nil, errIndexForm
		}
		if string(rest[:4]) == "TREE" {
			return parseCacheTree(rest[8:8+size], hashLen)
		}
		rest = rest[8+size:]
	}
	return nil, nil
}

// indexEntry returns the length of the entry that data begins with.
func indexEntry(data []byte, version uint32, hashLen int) (n int, ok bool) {
	n = 40 + hashLen
	if len(data) < n+2 {
		return 0, false
	}
	flags := binary.BigEndian.Uint16(data[n:])
	n += 2
	if flags&0x4000 != 0 { // extended, from version 3 on
		n += 2
	}
	if version == 4 { // how many bytes of the preceding name to drop, then the rest of this name
		for n < len(data) && data[n]&0x80 != 0 {
			n++
		}
		n++
	}
	if n > len(data) {
		return 0, false
	}
	end := bytes.IndexByte(data[n:], 0)
	if end < 0 {
		return 0, false
	}
	n += end
	if version == 4 {
		return n + 1, true
	}
	n += 8 - n%8 // one to eight NULs
	return n, n <= len(data)
}

// parseCacheTree parses entries of the form `<name> NUL <count> SP <subtrees> LF <tree>`;
// an outdated entry has a count of -1 and no tree.
func parseCacheTree(data []byte, hashLen int) ([]object.OID, error) {
	var trees []object.OID
	for len(data) > 0 {
		name := bytes.IndexByte(data, 0)
		line := bytes.IndexByte(data, '\n')
		if name < 0 || line < name {
			return nil, errIndexForm
		}
		text, _, _ := strings.Cut(string(data[name+1:line]), " ")
		count, err := strconv.Atoi(text)
		if err != nil {
			return nil, errIndexForm
		}
		data = data[line+1:]
		if count < 0 {
			continue
		}
		if len(data) < hashLen {
			return nil, errIndexForm
		}
		trees = append(trees, object.OIDFromBytes(data[:hashLen]))
		data = data[hashLen:]
	}
	return trees, nil
}
