package teleport

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"entire/internal/archive"
	"entire/session"
)

// Kinds of entries, in their order in a bundle.
const (
	kindHead  = "teleport"
	KindFile  = "file"  // a file of the session; its name is relative to the session's folder
	KindState = "state" // the session's state in the repository
	KindPack  = "pack"  // a git pack with the objects that the head names
)

// limits bound the content of a bundle.
var limits = archive.Limits{Entries: 200_000, Entry: 4 << 30, Total: 8 << 30, Ratio: 2000}

const maxSmall = 16 << 20 // most bytes of a head or a state

// Sealer writes a bundle.
type Sealer struct {
	*archive.Writer
	sealed io.WriteCloser
}

// NewSealer begins a bundle on w.
func NewSealer(w io.Writer, k Key, h Head) (*Sealer, error) {
	h.Version, h.ID = 1, k.ID
	sealed, err := k.seal(w)
	if err != nil {
		return nil, err
	}
	out, err := archive.NewWriter(sealed)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	return &Sealer{out, sealed}, out.AddBytes(archive.Entry{Kind: kindHead}, data)
}

// Close completes the bundle. It does not close the underlying writer.
func (s *Sealer) Close() error { return errors.Join(s.Writer.Close(), s.sealed.Close()) }

// Read reads a bundle to its end and calls take for each entry after the head. The entries count only
// if Read returns no error, so take must do nothing that cannot be undone. Entries that take does not
// read are checked too.
func Read(r io.Reader, k Key, now time.Time, take func(h *Head, e archive.Entry, content io.Reader) error) (*Head, error) {
	plain, err := k.open(r)
	if err != nil {
		return nil, err
	}
	in, err := archive.NewReader(plain, limits)
	if errors.Is(err, archive.ErrNot) {
		return nil, errNotBundle
	}
	if err != nil {
		return nil, translateError(err)
	}
	defer in.Close()
	c := &checker{names: map[string]bool{}}
	var h *Head
	for {
		e, content, err := in.Next()
		if errors.Is(err, io.EOF) {
			if h == nil {
				return nil, errNotBundle
			}
			return h, c.end(h)
		}
		if err != nil {
			return nil, translateError(err)
		}
		if h == nil {
			if h, err = c.head(e, content, k, now); err != nil {
				return nil, translateError(err)
			}
			continue
		}
		if err := c.entry(h, e); err != nil {
			return nil, err
		}
		if take == nil {
			continue
		}
		if err := take(h, e, content); err != nil {
			return nil, translateError(err)
		}
	}
}

// translateError translates an error from a lower layer.
func translateError(err error) error {
	if errors.Is(err, archive.ErrDamaged) && !errors.Is(err, ErrTampered) {
		return fmt.Errorf("%w: %w", ErrTampered, err)
	}
	return err
}

// checker checks entries one after another.
type checker struct {
	names map[string]bool // with folded case; true for a file, false for a folder
	stage int
	pack  bool
}

func (c *checker) head(e archive.Entry, content io.Reader, k Key, now time.Time) (*Head, error) {
	if e.Kind != kindHead || e.Size > maxSmall {
		return nil, errNotBundle
	}
	data, err := io.ReadAll(content)
	if err != nil {
		return nil, err
	}
	return readHead(data, k, now)
}

// stages are the kinds of entries in their order.
var stages = []string{KindFile, KindState, KindPack}

func (c *checker) entry(h *Head, e archive.Entry) error {
	at := -1
	for i, kind := range stages {
		if kind == e.Kind {
			at = i
		}
	}
	switch {
	case at < 0:
		return archive.ErrNewer
	case at < c.stage || at == c.stage && at > 0:
		return refused("%s %.60q is out of order", e.Kind, e.Name)
	}
	c.stage = at
	switch e.Kind {
	case KindFile:
		return c.file(e.Name)
	case KindState:
		if e.Size > maxSmall || h.Repo == nil {
			return refused("a state of %d bytes", e.Size)
		}
	case KindPack:
		if c.pack = true; h.Repo == nil {
			return refused("a pack without a repository")
		}
	}
	if e.Name != "" {
		return refused("%s has a name: %.60q", e.Kind, e.Name)
	}
	return nil
}

// bundleFiles are the names or prefixes of a session's files in a bundle. Other files are refused.
var bundleFiles = []string{"metadata.json", "messages.jsonl", "transcript.jsonl", "transcript.json", "talk.jsonl", "agents/", "checkpoints/", "blobs/"}

// inBundle reports whether a file of a session's folder belongs in a bundle.
func inBundle(name string) bool {
	for _, c := range bundleFiles {
		if name == c || strings.HasSuffix(c, "/") && strings.HasPrefix(name, c) {
			return true
		}
	}
	return false
}

func (c *checker) file(name string) error {
	if err := session.CheckFolderFile(name); err != nil {
		return refused("%w", err)
	}
	if !inBundle(name) {
		return refused("%.60q is not a file of a bundle", name)
	}
	whole := true
	for at := strings.ToLower(name); at != ""; {
		isFile, taken := c.names[at]
		if taken && (whole || isFile) {
			return refused("%.60q is there twice", name)
		}
		c.names[at] = whole
		i := strings.LastIndexByte(at, '/')
		at, whole = at[:max(i, 0)], false
	}
	return nil
}

// end checks that the bundle has all required entries.
func (c *checker) end(h *Head) error {
	if !c.names["metadata.json"] {
		return refused("the session has no metadata")
	}
	if h.Repo != nil && (h.Repo.Tip != "" || h.Repo.Metadata != "") && !c.pack {
		return refused("its pack is missing")
	}
	return nil
}
