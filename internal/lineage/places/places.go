package places

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"path/filepath"
	"slices"

	"entire/internal/attribution"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/pathtext"
)

const (
	// fileName is the file in the cache directory that keeps the places of lines.
	fileName = "places"
	version  = 1
	// linesMax bounds the lines whose places are known. Those of further files count as written since.
	linesMax = 500_000
	bytesMax = 64 << 20 // of the file
)

// Places says in which files lines stood in the tree of a commit, the baseline. It knows the files that have changed since.
type Places struct {
	Version  int      `json:"version"`
	Baseline git.OID  `json:"baseline"`
	Tree     git.OID  `json:"tree"`  // of HEAD, up to which changes are known
	Paths    []string `json:"paths"` // encoded (package pathtext)
	Lines    int      `json:"lines"`

	at []uint64 // sorted: a line's print, and the index of its path in the lower half
}

// New returns places that know no file.
func New(baseline, tree git.OID) *Places {
	return &Places{Version: version, Baseline: baseline, Tree: tree}
}

// Only returns the path of the one file that had a line; "" if none or several had it.
func (p *Places) Only(line attribution.Print) string {
	i, _ := slices.BinarySearch(p.at, uint64(line)<<32)
	if i == len(p.at) || p.at[i]>>32 != uint64(line) || i+1 < len(p.at) && p.at[i+1]>>32 == uint64(line) {
		return ""
	}
	return pathtext.Decode(p.Paths[uint32(p.at[i])])
}

// Add adds the lines of a further file, given its encoded path; the caller sorts at the end ([Places.Sort]).
func (p *Places) Add(path string, text []byte) {
	for _, line := range attribution.DistinctivePrints(text) {
		p.at = append(p.at, uint64(line)<<32|uint64(len(p.Paths)))
	}
	p.Paths = append(p.Paths, path)
}

// Full reports whether no further file is to be added.
func (p *Places) Full() bool { return len(p.at) > linesMax }

// Sort makes the added lines known to Only.
func (p *Places) Sort() {
	slices.Sort(p.at)
	p.at = slices.Compact(p.at)
}

// Read returns the places that a cache directory keeps; nil for none.
func Read(dir string) *Places {
	if dir == "" {
		return nil
	}
	data, err := durable.Read(filepath.Join(dir, fileName), bytesMax)
	if err != nil {
		return nil
	}
	head, rest, _ := bytes.Cut(data, []byte{'\n'})
	var p Places
	if json.Unmarshal(head, &p) != nil || p.Version != version || len(rest) != 8*p.Lines {
		return nil
	}
	for ; len(rest) > 0; rest = rest[8:] {
		at := binary.BigEndian.Uint64(rest)
		if int(uint32(at)) >= len(p.Paths) {
			return nil
		}
		p.at = append(p.at, at)
	}
	return &p
}

// Write stores the places in a cache directory. Errors are ignored: without the file, the next run takes longer.
func (p *Places) Write(dir string) {
	p.Lines = len(p.at)
	head, err := json.Marshal(p)
	if dir == "" || err != nil {
		return
	}
	data := append(head, '\n')
	for _, at := range p.at {
		data = binary.BigEndian.AppendUint64(data, at)
	}
	_ = durable.WriteCache(filepath.Join(dir, fileName), data, 0o600)
}
