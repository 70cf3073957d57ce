package teleport

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/archive"
)

// How long a bundle can be received: by default, and at most.
const (
	DefaultExpiry = 24 * time.Hour
	MaxExpiry     = 30 * 24 * time.Hour

	// clockSlack is the allowed difference between the clocks of two machines.
	clockSlack = 5 * time.Minute
)

var (
	// ErrExpired is returned for an expired bundle.
	ErrExpired = errors.New("it has expired")

	// errNotBundle is returned if the code opens the data but it is not a bundle.
	errNotBundle = errors.New("it is not a bundle")

	// ErrRefused is returned, wrapped, for a bundle with content that no sender writes.
	ErrRefused = errors.New("it is refused")
)

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrRefused, fmt.Errorf(format, args...))
}

// Head describes a bundle. It is its first entry.
type Head struct {
	Version int       `json:"version"` // 1
	ID      string    `json:"id"`      // the key's ID, so that a bundle is not accepted under another name
	Made    time.Time `json:"made_at"`
	Expires time.Time `json:"expires_at"`
	By      string    `json:"by,omitempty"` // the program's version

	Session string          `json:"session_id"`
	Agent   agent.AgentType `json:"agent"`
	Title   string          `json:"title,omitempty"`
	Project string          `json:"project,omitempty"` // the project's key
	From    Place           `json:"from"`
	Repo    *Repository     `json:"repository,omitempty"`
}

// Place is where the session worked. Its paths are replaced by those of the other machine.
type Place struct {
	Home string `json:"home,omitempty"`
	Root string `json:"root,omitempty"`
}

// Repository describes the git objects in the bundle.
type Repository struct {
	Format   string   `json:"format"`             // object format: sha1 or sha256
	Branch   string   `json:"branch,omitempty"`   // the branch of HEAD
	Head     string   `json:"head,omitempty"`     // the commit of HEAD; "" before the first commit
	Tip      string   `json:"tip,omitempty"`      // the last step
	Metadata string   `json:"metadata,omitempty"` // commit with the session's checkpoints
	Needs    []string `json:"needs,omitempty"`    // commits that the receiver must have
	Worktree bool     `json:"worktree"`           // the tip holds the state of the worktree, to be applied
}

// check refuses an expired head and a head that no sender writes.
func (h *Head) check(k Key, now time.Time) error {
	if h.Version != 1 {
		return archive.ErrNewer
	}
	if h.ID != k.ID {
		return refused("it was sealed for another code")
	}
	if _, err := id.ParseSessionID(h.Session); err != nil {
		return refused("session: %w", err)
	}
	for _, text := range []string{h.Title, h.Project, h.From.Home, h.From.Root, string(h.Agent), h.By} {
		if len(text) > 4096 || strings.ContainsRune(text, 0) {
			return refused("its head has a text of %d bytes", len(text))
		}
	}
	if h.Repo != nil {
		if err := h.Repo.check(); err != nil {
			return err
		}
	}
	if h.Expires.Sub(h.Made) > MaxExpiry+clockSlack {
		return refused("it would expire only on %s", h.Expires.Format(time.DateOnly))
	}
	if now.After(h.Expires.Add(clockSlack)) {
		return fmt.Errorf("%w: on %s", ErrExpired, h.Expires.UTC().Format("2006-01-02 15:04 MST"))
	}
	return nil
}

var branchName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[^\x00-\x20~^:?*\[\\\x7f-]([^\x00-\x20~^:?*\[\\\x7f]*)$`)
})

const maxNeeds = 10_000

func (c *Repository) check() error {
	digits := 40
	switch c.Format {
	case "sha1":
	case "sha256":
		digits = 64
	default:
		return refused("%.20q is no format of objects", c.Format)
	}
	if len(c.Needs) > maxNeeds {
		return refused("it needs %d commits", len(c.Needs))
	}
	for _, oid := range append([]string{c.Head, c.Tip, c.Metadata}, c.Needs...) {
		if oid != "" && (len(oid) != digits || strings.Trim(oid, "0123456789abcdef") != "") {
			return refused("%.70q is no object's ID", oid)
		}
	}
	if c.Branch != "" && (!branchName().MatchString(c.Branch) || strings.Contains(c.Branch, "..") || path.Clean(c.Branch) != c.Branch || len(c.Branch) > 250) {
		return refused("%.60q is no name of a branch", c.Branch)
	}
	if c.Worktree && c.Tip == "" {
		return refused("its worktree is missing")
	}
	return nil
}

func readHead(data []byte, k Key, now time.Time) (*Head, error) {
	h := new(Head)
	if err := json.Unmarshal(data, h); err != nil {
		return nil, refused("its head: %w", err)
	}
	return h, h.check(k, now)
}
