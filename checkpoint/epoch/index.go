package epoch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
)

// The index says in which months an ID may be, so that a lookup costs the same whatever the number of epochs. It is a
// cache: without it every manifest is opened.
const (
	indexName = "epochs.index" // in <common>/entire: what the manifests list
	keyName   = "epochs.key"   // likewise: for which state of the refs the index is right
	indexForm = "entire epochs 1"

	entrySize = 7 // 5 bytes of the ID's hash, 2 bytes with the number of the month
	headMax   = 64 << 10
	keyMax    = 4096

	// settled is how old the newest change of the refs must be before times tell whether there was another.
	settled = 50 * time.Millisecond
)

// LoadFor returns the manifests that may list one of ids, the newest month first. It opens no other if the index is there.
func LoadFor(ctx context.Context, repo *git.Repo, ids []id.CheckpointID) (Set, error) {
	months, ok := indexed(ctx, repo, ids)
	if !ok {
		return Load(ctx, repo)
	}
	var set Set
	for _, month := range months {
		oid, found, err := repo.Ref(ctx, month.Ref())
		if err != nil {
			return nil, err
		}
		if !found {
			return Load(ctx, repo) // it has just gone
		}
		m, err := Open(repo.Reader(ctx), month, oid)
		if err != nil {
			return nil, fmt.Errorf("read the manifest %s: %w", month.Ref(), err)
		}
		set = append(set, m)
	}
	return set, nil
}

// indexed returns the months that the index has for ids, the newest first; ok is false if there is no index for the refs
// as they are.
func indexed(ctx context.Context, repo *git.Repo, ids []id.CheckpointID) (months []Month, ok bool) {
	f, err := durable.OpenPlain(path(repo, indexName))
	if err != nil {
		return nil, false
	}
	defer f.Close()
	x, err := readIndex(f)
	if err != nil || !isCurrent(ctx, repo, x.state) {
		return nil, false
	}
	for _, cp := range ids {
		some, err := x.find(f, cp)
		if err != nil {
			return nil, false
		}
		for _, m := range some {
			if !slices.Contains(months, m) {
				months = append(months, m)
			}
		}
	}
	slices.SortFunc(months, func(a, b Month) int { return cmp.Compare(b, a) })
	return months, true
}

func path(repo *git.Repo, name string) string { return filepath.Join(repo.CommonDir, "entire", name) }

// index is the head of the file.
type index struct {
	state  string // of the refs
	months []Month
	count  int
	start  int64 // of the entries
}

type reader interface {
	ReadAt(p []byte, off int64) (int, error)
}

func readIndex(f reader) (x index, err error) {
	head := make([]byte, headMax)
	n, _ := f.ReadAt(head, 0) // a short file is no error
	lines := bytes.SplitN(head[:n], []byte("\n"), 5)
	if len(lines) < 5 || string(lines[0]) != indexForm {
		return x, fmt.Errorf("it is no index")
	}
	x.state = string(lines[1])
	for name := range strings.FieldsSeq(string(lines[2])) {
		m, ok := ParseMonth(name)
		if !ok {
			return x, fmt.Errorf("it names no month: %.20q", name)
		}
		x.months = append(x.months, m)
	}
	if x.count, err = strconv.Atoi(string(lines[3])); err != nil || x.count < 0 || x.count > 1<<30 {
		return x, fmt.Errorf("it has no number of entries")
	}
	x.start = int64(n - len(lines[4]))
	return x, nil
}

// find returns the months that may list an ID.
func (x index) find(f reader, cp id.CheckpointID) (months []Month, err error) {
	want := fingerprint(cp.String())
	var entry [8]byte
	at := func(i int) uint64 {
		if _, rerr := f.ReadAt(entry[1:], x.start+int64(i)*entrySize); rerr != nil {
			err = rerr
		}
		return binary.BigEndian.Uint64(entry[:]) >> 16
	}
	from, to := 0, x.count
	for from < to && err == nil {
		if mid := from + (to-from)/2; at(mid) < want {
			from = mid + 1
		} else {
			to = mid
		}
	}
	for i := from; i < x.count && err == nil && at(i) == want; i++ {
		n := int(binary.BigEndian.Uint16(entry[6:]))
		if n >= len(x.months) {
			return nil, fmt.Errorf("it has no month %d", n)
		}
		months = append(months, x.months[n])
	}
	return months, err
}

// fingerprint returns 40 bits of an ID's hash.
func fingerprint(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return h.Sum64() >> 24
}

// isCurrent reports whether the refs are those of a state. It looks at times first, and at all refs if these have changed.
func isCurrent(ctx context.Context, repo *git.Repo, state string) bool {
	if !repo.Ordinary { // its refs may be in other files
		now, _, err := stateOf(ctx, repo)
		return err == nil && now == state
	}
	key, err := times(repo)
	if err != nil {
		return false
	}
	text, err := durable.ReadPlain(path(repo, keyName), keyMax)
	if err == nil && string(text) == key.text+" "+state {
		return true
	}
	now, _, err := stateOf(ctx, repo)
	if err != nil || now != state {
		return false
	}
	if clock, err := durable.Clock(filepath.Join(repo.CommonDir, "entire")); err == nil && clock.Sub(key.newest) > settled {
		_ = durable.WriteCache(path(repo, keyName), []byte(key.text+" "+state), 0o600)
	}
	return true
}

// changed is when the files that have refs were last changed.
type changed struct {
	text   string
	newest time.Time
}

// times reads when the folder of manifests and packed-refs were changed.
func times(repo *git.Repo) (c changed, err error) {
	for _, name := range []string{filepath.FromSlash(strings.TrimSuffix(Refs, "/")), "packed-refs"} {
		info, err := os.Stat(filepath.Join(repo.CommonDir, name))
		if errors.Is(err, fs.ErrNotExist) {
			c.text += "- "
			continue
		}
		if err != nil {
			return c, err
		}
		c.text += fmt.Sprintf("%d.%d ", info.ModTime().UnixNano(), info.Size())
		if info.ModTime().After(c.newest) {
			c.newest = info.ModTime()
		}
	}
	return c, nil
}

// stateOf returns a hash of the manifests' refs, and the refs.
func stateOf(ctx context.Context, repo *git.Repo) (string, []git.Ref, error) {
	refs, err := repo.Refs(ctx, Refs)
	sum := sha256.New()
	for _, ref := range refs {
		fmt.Fprintf(sum, "%s %s\n", ref.OID, ref.Name)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), refs, err
}

// fewMonths is the number of epochs up to which no index is worth while.
const fewMonths = 3

// WriteIndex writes the index of the manifests as they are now, unless it is there.
func WriteIndex(ctx context.Context, repo *git.Repo) error {
	state, refs, err := stateOf(ctx, repo)
	if err != nil || len(refs) <= fewMonths {
		return err
	}
	if f, err := durable.OpenPlain(path(repo, indexName)); err == nil {
		x, err := readIndex(f)
		f.Close()
		if err == nil && x.state == state {
			return nil
		}
	}
	set, err := Load(ctx, repo)
	if err != nil {
		return err
	}
	data, err := encodeIndex(set, state, func(m *Manifest) ([]id.CheckpointID, error) { return Set{m}.IDs(repo.Reader(ctx), "") })
	if err != nil {
		return fmt.Errorf("write the index of sealed checkpoints: %w", err)
	}
	return durable.WriteCache(path(repo, indexName), data, 0o600)
}

func encodeIndex(set Set, state string, list func(*Manifest) ([]id.CheckpointID, error)) ([]byte, error) {
	var entries []uint64 // the hash and the number of the month
	var head strings.Builder
	fmt.Fprintf(&head, "%s\n%s\n", indexForm, state)
	for n, m := range set {
		ids, err := list(m)
		if err != nil {
			return nil, err
		}
		for _, cp := range ids {
			entries = append(entries, fingerprint(cp.String())<<16|uint64(n))
		}
		head.WriteString(string(m.Month) + " ")
	}
	slices.Sort(entries)
	fmt.Fprintf(&head, "\n%d\n", len(entries))
	data := append(make([]byte, 0, head.Len()+len(entries)*entrySize), head.String()...)
	var entry [8]byte
	for _, e := range entries {
		binary.BigEndian.PutUint64(entry[:], e)
		data = append(data, entry[1:]...)
	}
	return data, nil
}
