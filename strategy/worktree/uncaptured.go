package worktree

import (
	"fmt"
	"io/fs"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/strategy/sessionstate"
)

// Uncaptured is a path in the worktree that a step does not hold, or not wholly. Path is
// relative to the top.
type Uncaptured struct {
	Path string `json:"path"`
	Gap  Gap    `json:"gap"`
	Why  string `json:"why"`            // text for the user
	Mode string `json:"mode,omitempty"` // only for GapMode: the permissions, octal
}

// Gap names the reason why something was not captured.
type Gap string

// The gaps, as they are stored.
const (
	GapLarge      Gap = "too-large"    // over the limit for one file
	GapFull       Gap = "no-room"      // over the limit for a checkpoint
	GapSpecial    Gap = "special"      // a pipe, socket or device
	GapNested     Gap = "nested"       // another repository; covers all below it
	GapSubmodule  Gap = "submodule"    // covers all below it
	GapUnreadable Gap = "unreadable"   // or deleted while it was read
	GapLate       Gap = "no-time"      // to be read at the next event
	GapName       Gap = "name"         // a name that a tree cannot hold
	GapEmpty      Gap = "empty-folder" // an empty folder
	GapMode       Gap = "mode"         // the content is captured, its permissions are not
)

// HidesContent reports whether the gap leaves out content that git would hold.
func (g Gap) HidesContent() bool { return g != GapEmpty && g != GapMode }

// coversFolder reports whether the gap covers all below its path.
func (g Gap) coversFolder() bool { return g == GapNested || g == GapSubmodule }

// LeaveOut records that a path is left out.
func (snap *Snapshot) LeaveOut(path string, gap Gap, why string) {
	if OwnPath(path) {
		return
	}
	snap.Skipped = append(snap.Skipped, sessionstate.KeptFile{Path: path, Why: why})
	snap.Uncaptured = append(snap.Uncaptured, Uncaptured{Path: path, Gap: gap, Why: why})
}

// applySizeLimit leaves out files until the rest is within the limit for a checkpoint: first the largest
// untracked files, then the largest tracked ones.
func applySizeLimit(s *sessionstate.Env, found map[string]*inspectedPath, snap *Snapshot) {
	var total int64
	var sized []*inspectedPath
	for _, f := range found {
		if IsRegular(f.Mode) && f.key.Size > 0 && (f.hash || !f.OID.IsZero() && f.key.Size <= s.CaptureLimit) {
			total += f.key.Size
			sized = append(sized, f)
		}
	}
	if total <= s.CheckpointLimit {
		return
	}
	sort.Slice(sized, func(i, j int) bool {
		a, b := sized[i], sized[j]
		if a.tracked != b.tracked {
			return b.tracked
		}
		if a.key.Size != b.key.Size {
			return a.key.Size > b.key.Size
		}
		return a.Path < b.Path
	})
	for _, f := range sized {
		if total <= s.CheckpointLimit {
			break
		}
		total -= f.key.Size
		snap.LeaveOut(f.Path, GapFull, "no room: the files that changed have more than "+InMiB(s.CheckpointLimit))
		delete(found, f.Path)
	}
}

// InMiB returns a size in words.
func InMiB(n int64) string {
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%d bytes", n)
	case n%(1<<20) != 0:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

func specialKind(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "of another kind"
}

// notePermissions records permissions that a tree cannot hold: git stores only the executable bit, and
// the umask gives the rest.
func notePermissions(s *sessionstate.Env, path string, fi fs.FileInfo, snap *Snapshot) {
	umask, known := UmaskOf(s)
	if !known || !s.Repo.FileMode {
		return
	}
	perm := fi.Mode().Perm()
	plain := 0o666 &^ umask
	if perm&0o111 != 0 {
		plain = 0o777 &^ umask
	}
	if special := fi.Mode() & (fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky); special == 0 && (perm == plain || isAgentSettings(path, perm)) {
		return
	}
	snap.Uncaptured = append(snap.Uncaptured, Uncaptured{path, GapMode, "permissions " + octal(fi.Mode()), octal(fi.Mode())})
}

// isAgentSettings reports whether the path is an agent's settings file with the mode that `entire
// enable` gives it, which no user has chosen.
func isAgentSettings(path string, perm fs.FileMode) bool {
	return perm == 0o600 && slices.ContainsFunc(agents.All(), func(a agent.Agent) bool {
		return slices.ContainsFunc(a.Profile().HookFiles, func(f agent.HookFile) bool { return f.Path == path })
	})
}

// octal returns a mode in chmod's notation.
func octal(m fs.FileMode) string {
	n := uint32(m.Perm())
	for bit, flag := range map[uint32]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if m&flag != 0 {
			n |= bit
		}
	}
	return fmt.Sprintf("%04o", n)
}

// SortGaps sorts a list as it is stored: gaps that leave out content first, then by path.
func SortGaps(list []Uncaptured) {
	sort.SliceStable(list, func(i, j int) bool {
		if a, b := list[i].Gap.HidesContent(), list[j].Gap.HidesContent(); a != b {
			return a
		}
		return list[i].Path < list[j].Path
	})
}

// Gaps is an index of what was left out, by path.
type Gaps struct {
	ByPath   map[string]Uncaptured // gaps that leave out content
	unlisted int                   // number of gaps that the list has no room for
	Empty    map[string]bool
	Perms    map[string]fs.FileMode
}

// NewGaps indexes what a step could not capture; more counts what its list left out.
func NewGaps(list []Uncaptured, more int) *Gaps {
	g := &Gaps{ByPath: map[string]Uncaptured{}, unlisted: more, Empty: map[string]bool{}, Perms: map[string]fs.FileMode{}}
	for _, u := range list {
		switch {
		case u.Gap.HidesContent():
			g.ByPath[u.Path] = u
		case u.Gap == GapEmpty:
			g.Empty[u.Path] = true
		case u.Gap == GapMode:
			if n, err := strconv.ParseUint(u.Mode, 8, 12); err == nil {
				g.Perms[u.Path] = fs.FileMode(n) & fs.ModePerm
			}
		}
	}
	return g
}

// Covering returns the gap at a path, or the gap at a repository above it.
func (g *Gaps) Covering(path string) (Uncaptured, bool) {
	if u, ok := g.ByPath[path]; ok {
		return u, true
	}
	for dir := path; ; {
		i := strings.LastIndexByte(dir, '/')
		if i < 0 {
			return Uncaptured{}, false
		}
		dir = dir[:i]
		if u, ok := g.ByPath[dir]; ok && u.Gap.coversFolder() {
			return u, true
		}
	}
}

// EmptyParents returns how many of the folders above a path existed while they were empty, so that they
// stay when the path is removed.
func (g *Gaps) EmptyParents(path string) int {
	if g == nil || len(g.Empty) == 0 {
		return 0
	}
	for dir := path; ; {
		i := strings.LastIndexByte(dir, '/')
		if i < 0 {
			return 0
		}
		if dir = dir[:i]; g.Empty[dir] {
			return strings.Count(dir, "/") + 1
		}
	}
}

// Perm returns the permissions that a file had, 0 if they were git's.
func (g *Gaps) Perm(path string) fs.FileMode {
	if g == nil {
		return 0
	}
	return g.Perms[path]
}

// WithoutLimits returns the engine without limits, to read back what a rewind has written.
func WithoutLimits(s *sessionstate.Env) *sessionstate.Env {
	free := *s
	free.CaptureLimit, free.CheckpointLimit = math.MaxInt64, math.MaxInt64
	return &free
}
