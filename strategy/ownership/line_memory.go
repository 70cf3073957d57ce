package ownership

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"entire/internal/attribution"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// lineMemory holds the owners of the lines of the last commit's files, and of the files that the
// commit left uncommitted: the steps that showed them are gone by then. It can be deleted at any
// time; the owners of those lines are then unknown.
type lineMemory struct {
	Version int              `json:"version"` // always 1
	Files   []rememberedFile `json:"files"`

	updated []rememberedFile `json:"-"`
	index   map[string]int   `json:"-"` // index in fresh of a path's blob
}

type rememberedFile struct {
	Path string    `json:"path"`
	Blob string    `json:"blob"`
	Runs []lineRun `json:"runs"`
}

// lineRun is a run of consecutive lines with one owner.
type lineRun struct {
	Lines    int    `json:"n"`
	By       string `json:"by,omitempty"` // agent, person, unknown; "" for lines that were there before
	Session  string `json:"session,omitempty"`
	Turn     int    `json:"turn,omitempty"`
	Modified bool   `json:"modified,omitempty"`
}

func lineMemoryPath(s *sessionstate.Env) string { return filepath.Join(s.LocalDir(), "lines.json") }

func loadLineMemory(s *sessionstate.Env) *lineMemory {
	data, err := durable.ReadOwn(lineMemoryPath(s))
	if err != nil {
		return &lineMemory{}
	}
	return ParseLineMemory(data)
}

// ParseLineMemory reads the memory; an unreadable memory is empty.
func ParseLineMemory(data []byte) *lineMemory {
	var m lineMemory
	if json.Unmarshal(data, &m) != nil || m.Version != 1 {
		return &lineMemory{}
	}
	return &m
}

// saveLineMemory replaces the stored memory by the files of this commit. Earlier commits can be dropped:
// the files of this one include the lines they left uncommitted.
func saveLineMemory(s *sessionstate.Env, m *lineMemory) {
	if len(m.updated) == 0 {
		return
	}
	data, err := json.Marshal(lineMemory{Version: 1, Files: m.updated})
	if err == nil {
		err = durable.WriteCache(lineMemoryPath(s), data, 0o600)
	}
	if err != nil {
		s.Log.Warn("owners of lines not remembered", "err", err)
	}
}

func (m *lineMemory) find(path string, blob git.OID) *rememberedFile {
	text, hex := sessionstate.EncodePath(path), blob.String()
	for i := range m.Files {
		if m.Files[i].Path == text && m.Files[i].Blob == hex {
			return &m.Files[i]
		}
	}
	return nil
}

// knowsAll reports whether the memory has every file that the amended commit changed.
func (m *lineMemory) knowsAll(chains []*lineHistory) bool {
	for _, c := range chains {
		if len(c.parents) > 0 && !c.origin.IsZero() && c.origin != c.parents[0] && m.find(c.path, c.origin) == nil {
			return false
		}
	}
	return true
}

// Lines returns the owners of a file version's lines, nil if they are not known.
func (m *lineMemory) Lines(path string, blob git.OID) []attribution.Line {
	f := m.find(path, blob)
	if f == nil {
		return nil
	}
	return f.lines()
}

func (f *rememberedFile) lines() []attribution.Line {
	out := []attribution.Line{}
	for _, r := range f.Runs {
		line := attribution.Line{Owner: attribution.Owner{Class: parseClass(r.By), Session: r.Session, Turn: r.Turn, Remembered: true}, Modified: r.Modified}
		for range min(r.Lines, attribution.MaxLines-len(out)) {
			out = append(out, line)
		}
	}
	return out
}

func memoryKey(path string, blob git.OID) string { return path + "\x00" + blob.String() }

// remember stores the owners of a file version's lines. If another shadow branch stored owners for the
// same version, put merges both, as the commit's record does.
func (m *lineMemory) remember(path string, blob git.OID, lines []attribution.Line) {
	if blob.IsZero() {
		return
	}
	key := memoryKey(path, blob)
	at, known := m.index[key]
	if known {
		lines = mergeLineOwners(m.updated[at].lines(), lines)
	} else {
		if m.index == nil {
			m.index = map[string]int{}
		}
		at, m.updated = len(m.updated), append(m.updated, rememberedFile{})
		m.index[key] = at
	}
	m.updated[at] = newRemembered(path, blob, lines)
}

// relearn copies what the commit's record says differently from the steps into the memory, so that an amend starts
// from the record.
func (m *lineMemory) relearn(changes []git.Change, files map[string]attributedFile) {
	for _, c := range changes {
		f := files[c.Path]
		m.revise(c.Path, c.New, f.Lines, func(i int, l attribution.Line) (attribution.Owner, bool) {
			if l.Moved { // whoever moved it did not write it
				return unknownOwner, l.Added
			}
			return l.Owner, l.Added && (l.Owner.Class == attribution.Unknown || f.settled[i])
		})
	}
}

// revise gives the new lines of a file version the owners that owner tells for lines that it calls other.
func (m *lineMemory) revise(path string, blob git.OID, of []attribution.Line, owner func(i int, l attribution.Line) (o attribution.Owner, other bool)) {
	at, known := m.index[memoryKey(path, blob)]
	if !known {
		return
	}
	lines := m.updated[at].lines()
	for i := range min(len(lines), len(of)) {
		if o, other := owner(i, of[i]); other && lines[i].Owner.Class != attribution.Before {
			lines[i].Owner = o
		}
	}
	m.updated[at] = newRemembered(path, blob, lines)
}

func newRemembered(path string, blob git.OID, lines []attribution.Line) rememberedFile {
	f := rememberedFile{Path: sessionstate.EncodePath(path), Blob: blob.String(), Runs: []lineRun{}}
	for _, l := range lines {
		if l.Owner.Class == attribution.Unknown {
			l.Owner.Turn = 0
		}
		r := lineRun{By: className[l.Owner.Class], Session: l.Owner.Session, Turn: l.Owner.Turn, Modified: l.Modified, Lines: 1}
		if n := len(f.Runs); n > 0 && f.Runs[n-1].same(r) {
			f.Runs[n-1].Lines++
			continue
		}
		f.Runs = append(f.Runs, r)
	}
	return f
}

// mergeLineOwners merges two lists of owners of one file version. A line that one list has as older gets
// the owner of the other list.
func mergeLineOwners(known, lines []attribution.Line) []attribution.Line {
	if len(known) != len(lines) {
		return known
	}
	out := slices.Clone(lines)
	for i, t := range known {
		switch {
		case t.Owner.Class == attribution.Before:
		case lines[i].Owner.Class == attribution.Before:
			out[i] = t
		default:
			out[i].Owner = mergeOwners(t.Owner, lines[i].Owner)
		}
	}
	return out
}

func (r lineRun) same(other lineRun) bool {
	r.Lines, other.Lines = 0, 0
	return r == other
}

// className is how the memory writes a class; lines that were there before have none.
var className = map[attribution.Class]string{attribution.Agent: "agent", attribution.Person: "person", attribution.Unknown: "unknown"}

func parseClass(name string) attribution.Class {
	for class, n := range className {
		if n == name {
			return class
		}
	}
	if name == "" {
		return attribution.Before
	}
	return attribution.Unknown
}
