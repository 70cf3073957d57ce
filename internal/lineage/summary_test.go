package lineage

import (
	"testing"

	"entire/checkpoint"
	"entire/internal/git"
)

// TestSummaryOfFewerLines: a checkpoint of another tool gives a commit's lines to
// its session only where it can have counted them all.
func TestSummaryOfFewerLines(t *testing.T) {
	t.Parallel()
	changes := []git.Change{{Path: "a.txt"}}
	for name, row := range map[string]struct {
		counted checkpoint.InitialAttribution
		lines   int
		sure    bool
	}{
		"all of them":     {checkpoint.InitialAttribution{AgentLines: 3, AgentPercentage: 100}, 3, true},
		"another file's":  {checkpoint.InitialAttribution{AgentLines: 9, AgentPercentage: 100}, 3, true},
		"fewer":           {checkpoint.InitialAttribution{AgentLines: 2, AgentPercentage: 100}, 1035, false},
		"none":            {checkpoint.InitialAttribution{AgentPercentage: 100}, 0, false},
		"a person's, too": {checkpoint.InitialAttribution{AgentLines: 3, AgentPercentage: 100, HumanModified: 1}, 3, false},
		"most, not all":   {checkpoint.InitialAttribution{AgentLines: 3, AgentPercentage: 90}, 3, false},
	} {
		stored := &checkpoint.StoredCheckpoint{Sessions: []checkpoint.StoredSession{{}}}
		m := &stored.Sessions[0].Metadata
		m.SessionID, m.FilesTouched, m.InitialAttribution = "s1", []string{"a.txt"}, &row.counted
		if _, counted, ok := soleOwner(stored, changes); (ok && counted >= row.lines) != row.sure {
			t.Errorf("%s: %d counted, %v", name, counted, ok)
		}
	}
}
