package worktree

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

const (
	GapsPath    = shadow.MetadataDir + "/uncaptured.jsonl"
	gapsVersion = 1
	GapsMax     = 2000 // entries listed
)

// gapsHead is the first line of the list; each following line is an entry.
type gapsHead struct {
	Version int `json:"version"`
	More    int `json:"more,omitempty"` // entries that the list has no room for
}

// EncodeGaps encodes the list as a step holds it, nil if it is empty.
func EncodeGaps(list []Uncaptured) []byte {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	SortGaps(list)
	head := gapsHead{Version: gapsVersion, More: max(0, len(list)-GapsMax)}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(head) // these types always encode
	for _, u := range list[:len(list)-head.More] {
		u.Path = sessionstate.EncodePath(u.Path)
		_ = enc.Encode(u)
	}
	return b.Bytes()
}

// ParseGaps reads what EncodeGaps wrote. Lines that it cannot read are counted in more.
func ParseGaps(data []byte) (list []Uncaptured, more int, err error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	var head gapsHead
	if err := json.Unmarshal(line, &head); err != nil || head.Version < 1 {
		return nil, 0, errors.New("list of what was not captured is damaged")
	}
	for line := range bytes.Lines(rest) {
		var u Uncaptured
		if json.Unmarshal(line, &u) != nil || u.Path == "" || len(list) >= GapsMax {
			head.More++
			continue
		}
		u.Path = sessionstate.DecodePath(u.Path)
		list = append(list, u)
	}
	return list, max(head.More, 0), nil
}

// StoreGaps writes the snapshot's list as a blob; zero if the list is empty.
func StoreGaps(s *sessionstate.Env, snap *Snapshot) (git.OID, error) {
	data := EncodeGaps(snap.Uncaptured)
	if data == nil {
		snap.Gaps = git.OID{}
		return snap.Gaps, nil
	}
	var err error
	if snap.Gaps, err = s.Repo.Writer().Blob(data); err != nil {
		return git.OID{}, fmt.Errorf("store the list of what was not captured: %w", err)
	}
	return snap.Gaps, nil
}

// GapEdit returns the edit that adds the list to a tree, or removes it for a zero ID.
func GapEdit(oid git.OID) git.Edit {
	if oid.IsZero() {
		return git.Edit{Path: GapsPath}
	}
	return git.Edit{Path: GapsPath, Mode: git.ModeFile, OID: oid}
}

// GapsIn reads the list of what a step did not hold.
func GapsIn(ctx context.Context, s *sessionstate.Env, tree git.OID) (list []Uncaptured, more int, err error) {
	e, ok, err := s.Repo.Reader(ctx).Path(tree, GapsPath)
	if err != nil || !ok || e.Mode != git.ModeFile {
		return nil, 0, err
	}
	data, err := s.Repo.Reader(ctx).Blob(e.OID)
	if err != nil {
		return nil, 0, err
	}
	return ParseGaps(data)
}

// WhyUncertain returns why a path of the point's tree proves nothing, because the point did not
// capture it; "" if it was captured.
func (g *Gaps) WhyUncertain(c git.Change) string {
	if u, ok := g.Covering(c.Path); ok {
		return "not captured at that point: " + u.Why
	}
	if c.NewMode == 0 && g.unlisted > 0 {
		return fmt.Sprintf("the point left out %s more than it could list", Counted(g.unlisted, "file"))
	}
	return ""
}
