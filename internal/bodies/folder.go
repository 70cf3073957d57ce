package bodies

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"entire/internal/config"
	"entire/internal/durable"
)

// The folders below <common>/entire/bodies.
const (
	waiting = "waiting" // bodies that were made here and that the bucket was not seen to have
	kept    = "kept"    // bodies that the bucket has
	leaving = "leaving" // bodies that Remove has put aside, while it finds out whether they are needed
)

// Folder is the bodies of one clone. It may be used by several goroutines.
type Folder struct {
	// Program finds the program that reaches the bucket; nil if there is none.
	Program func() (string, error)

	// Environ is its environment.
	Environ []string

	// Fetch says that Read may ask the bucket. Hooks do without.
	Fetch bool

	// Open opens a sealed body, and returns another as it is; nil for none.
	Open func(ctx context.Context, data []byte) ([]byte, error)

	// Tell, if set, is called before bodies are fetched from the bucket, with their number.
	Tell func(count int)

	// Now is the clock, with which bodies that are needed stay; nil: they do not.
	Now func() time.Time

	dir      string
	settings string

	mu     sync.Mutex
	rules  *rules // nil until they were read
	failed failure
	held   map[string][]byte // bodies that this process has stored, see Settle
	size   int               // their bytes
	enc    *zstd.Encoder
	dec    *zstd.Decoder
}

// failure is why the bucket could not be asked. It is forgotten soon, for programs that stay open.
type failure struct {
	err error
	at  time.Time
}

const failureStays = 30 * time.Second

// New returns the bodies of the clone with git's common directory common, whose settings lie below settings.
// It reads nothing yet.
func New(common, settings string) *Folder {
	return &Folder{dir: DirOf(common), settings: settings}
}

// DirOf returns the folder of the bodies of a clone.
func DirOf(common string) string { return filepath.Join(common, "entire", "bodies") }

// UseSettings names another folder whose settings apply. Call it before anything else.
func (f *Folder) UseSettings(dir string) { f.settings = dir }

// rules is what applies to new bodies.
type rules struct {
	bucket config.Bucket
	agreed bool
	err    error
}

func (f *Folder) load() *rules {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rules == nil {
		r := &rules{}
		if r.bucket, r.err = config.ReadBucket(f.settings); r.err == nil && r.bucket.URL != "" {
			r.agreed, r.err = f.agreedTo(r.bucket.URL)
		}
		f.rules = r
	}
	return f.rules
}

// Bucket returns the bucket that the settings name, and whether the person has agreed to it.
func (f *Folder) Bucket() (b config.Bucket, agreed bool, err error) {
	r := f.load()
	return r.bucket, r.agreed, r.err
}

// Move stores a text as a body that waits for being sent, and returns the blob that stands for it. moved is false, and
// nothing is stored, if the text stays in git: there is no bucket, nobody agreed to it, or the text is not large enough.
// seal seals what is stored.
func (f *Folder) Move(text []byte, seal func([]byte) ([]byte, error)) (blob []byte, moved bool, err error) {
	if len(text) < config.LeastBodyLimit || len(text) > maxBody {
		return nil, false, nil
	}
	r := f.load()
	if r.err != nil || !r.agreed || int64(len(text)) <= r.bucket.Limit {
		return nil, false, nil // settings that cannot be read keep everything in git
	}
	body, err := f.encode(text)
	if err == nil {
		body, err = seal(body)
	}
	if err != nil {
		return nil, false, err
	}
	p := Pointer{Version: version, SHA256: NameOf(body), Size: int64(len(body)), Plain: int64(len(text)), Coding: coding}
	if err := f.put(p, body); err != nil {
		return nil, false, fmt.Errorf("store a body: %w", err)
	}
	blob, err = p.encode()
	return blob, err == nil, err
}

// put writes a body, unless it is here.
func (f *Folder) put(p Pointer, body []byte) error {
	f.hold(p.SHA256, body)
	for _, folder := range []string{waiting, kept} {
		if info, err := os.Stat(f.path(folder, p.SHA256)); err == nil && info.Size() == p.Size {
			f.use(folder, p.SHA256)
			return nil
		}
	}
	return durable.WriteFile(f.path(waiting, p.SHA256), body, 0o600)
}

func (f *Folder) path(folder, name string) string { return filepath.Join(f.dir, folder, name) }

// use notes that a body was needed, so that it stays.
func (f *Folder) use(folder, name string) {
	if f.Now != nil {
		_ = os.Chtimes(f.path(folder, name), time.Time{}, f.Now())
	}
}

// Waiting returns the names of the bodies that the bucket was not seen to have, with their sizes.
func (f *Folder) Waiting() (map[string]int64, error) { return f.list(waiting) }

// Kept returns the names of the bodies that the bucket has and this clone, too, with their sizes.
func (f *Folder) Kept() (map[string]int64, error) { return f.list(kept) }

func (f *Folder) list(folder string) (map[string]int64, error) {
	entries, err := os.ReadDir(filepath.Join(f.dir, folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list bodies: %w", err)
	}
	names := map[string]int64{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && validName(e.Name()) && info.Mode().IsRegular() {
			names[e.Name()] = info.Size()
		}
	}
	return names, nil
}

// encode compresses a text.
func (f *Folder) encode(text []byte) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.enc == nil {
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithLowerEncoderMem(true))
		if err != nil {
			return nil, err
		}
		f.enc = enc
	}
	return f.enc.EncodeAll(text, nil), nil
}

// decode returns a text that was compressed.
func (f *Folder) decode(body []byte, size int64) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dec == nil {
		dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxBody))
		if err != nil {
			return nil, err
		}
		f.dec = dec
	}
	text, err := f.dec.DecodeAll(body, make([]byte, 0, min(size, 1<<20)))
	if err == nil && int64(len(text)) != size {
		err = fmt.Errorf("it has %d bytes, not %d", len(text), size)
	}
	return text, err
}
