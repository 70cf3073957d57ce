package strategy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"entire/checkpoint"
	"entire/internal/git"
)

const (
	gapsPath    = checkpoint.MetadataDir + "/uncaptured.jsonl"
	gapsVersion = 1
	gapsMax     = 2000 // entries listed
)

// gapsHead is the first line of the list; each following line is an entry.
type gapsHead struct {
	Version int `json:"version"`
	More    int `json:"more,omitempty"` // entries that the list has no room for
}

// encodeGaps encodes the list as a step holds it, nil if it is empty.
func encodeGaps(list []Uncaptured) []byte {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	sortGaps(list)
	head := gapsHead{Version: gapsVersion, More: max(0, len(list)-gapsMax)}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(head) // these types always encode
	for _, u := range list[:len(list)-head.More] {
		u.Path = pathText(u.Path)
		_ = enc.Encode(u)
	}
	return b.Bytes()
}

// parseGaps reads what encodeGaps wrote. Lines that it cannot read are counted in more.
func parseGaps(data []byte) (list []Uncaptured, more int, err error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	var head gapsHead
	if err := json.Unmarshal(line, &head); err != nil || head.Version < 1 {
		return nil, 0, errors.New("list of what was not captured is damaged")
	}
	for line := range bytes.Lines(rest) {
		var u Uncaptured
		if json.Unmarshal(line, &u) != nil || u.Path == "" || len(list) >= gapsMax {
			head.More++
			continue
		}
		u.Path = textPath(u.Path)
		list = append(list, u)
	}
	return list, max(head.More, 0), nil
}

// storeGaps writes the snapshot's list as a blob; zero if the list is empty.
func (s *ManualCommitStrategy) storeGaps(snap *snapshot) (git.OID, error) {
	data := encodeGaps(snap.uncaptured)
	if data == nil {
		snap.gaps = git.OID{}
		return snap.gaps, nil
	}
	var err error
	if snap.gaps, err = s.repo.Writer().Blob(data); err != nil {
		return git.OID{}, fmt.Errorf("store the list of what was not captured: %w", err)
	}
	return snap.gaps, nil
}

// gapEdit returns the edit that adds the list to a tree, or removes it for a zero ID.
func gapEdit(oid git.OID) git.Edit {
	if oid.IsZero() {
		return git.Edit{Path: gapsPath}
	}
	return git.Edit{Path: gapsPath, Mode: git.ModeFile, OID: oid}
}

// gapsIn reads the list of what a step did not hold.
func (s *ManualCommitStrategy) gapsIn(ctx context.Context, tree git.OID) (list []Uncaptured, more int, err error) {
	e, ok, err := s.repo.Reader(ctx).Path(tree, gapsPath)
	if err != nil || !ok || e.Mode != git.ModeFile {
		return nil, 0, err
	}
	data, err := s.repo.Reader(ctx).Blob(e.OID)
	if err != nil {
		return nil, 0, err
	}
	return parseGaps(data)
}

// knownGaps returns what a plan's point did not hold.
func (s *ManualCommitStrategy) knownGaps(ctx context.Context, plan *RewindPlan) (*gaps, error) {
	list, more, err := s.gapsIn(ctx, plan.step.Tree)
	if err != nil {
		return nil, fmt.Errorf("read what %s did not capture: %w", plan.step.OID.Short(), err)
	}
	return newGaps(list, more), nil
}

// whyUncertain returns why a path of the point's tree proves nothing, because the point did not
// capture it; "" if it was captured.
func (g *gaps) whyUncertain(c git.Change) string {
	if u, ok := g.covering(c.Path); ok {
		return "not captured at that point: " + u.Why
	}
	if c.NewMode == 0 && g.more > 0 {
		return fmt.Sprintf("the point left out %s more than it could list", counted(g.more, "file"))
	}
	return ""
}

// tellUncaptured lists in the plan what it cannot restore, and what of the present cannot be
// saved.
func (s *ManualCommitStrategy) tellUncaptured(plan *RewindPlan, point *gaps) {
	seen := map[Uncaptured]bool{}
	for _, u := range plan.now.uncaptured {
		seen[u] = true
		plan.Uncaptured = append(plan.Uncaptured, u)
	}
	for _, u := range point.at {
		if !seen[u] {
			u.Why += ", at that point"
			plan.Uncaptured = append(plan.Uncaptured, u)
		}
	}
	for p := range point.empty {
		if !exists(filepath.Join(s.repo.Top, filepath.FromSlash(p))) {
			plan.Uncaptured = append(plan.Uncaptured, Uncaptured{Path: p, Gap: GapEmpty, Why: "it was an empty folder at that point, and stays away"})
		}
	}
	for _, p := range s.submodules() {
		u := Uncaptured{Path: p, Gap: GapSubmodule, Why: "submodule"}
		if !seen[u] {
			plan.Uncaptured = append(plan.Uncaptured, u)
		}
	}
	sortGaps(plan.Uncaptured)
}

// allowIncluded removes from the protected ignored files those that the settings capture, at the
// point and now: the point shows that they did not exist then.
func (s *ManualCommitStrategy) allowIncluded(plan *RewindPlan, ignored map[string]bool) {
	if now := s.includes(); now == "" || plan.step.info.Includes != now {
		return
	}
	for p := range plan.now.included {
		delete(ignored, p)
	}
}
