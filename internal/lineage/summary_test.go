package lineage

import (
	"testing"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/internal/git"
)

// TestSummaryOfFewerLines: a checkpoint of another tool gives a commit's lines to
// its session only where it can have counted them all.
func TestSummaryOfFewerLines(t *testing.T) {
	t.Parallel()
	changes := []git.Change{{Path: "a.txt"}}
	for name, row := range map[string]struct {
		counted metadata.InitialAttribution
		lines   int
		sure    bool
	}{
		"all of them":     {metadata.InitialAttribution{AgentLines: 3, AgentPercentage: 100}, 3, true},
		"another file's":  {metadata.InitialAttribution{AgentLines: 9, AgentPercentage: 100}, 3, true},
		"fewer":           {metadata.InitialAttribution{AgentLines: 2, AgentPercentage: 100}, 1035, false},
		"none":            {metadata.InitialAttribution{AgentPercentage: 100}, 0, false},
		"a person's, too": {metadata.InitialAttribution{AgentLines: 3, AgentPercentage: 100, HumanModified: 1}, 3, false},
		"most, not all":   {metadata.InitialAttribution{AgentLines: 3, AgentPercentage: 90}, 3, false},
	} {
		stored := &records.StoredCheckpoint{Sessions: []records.StoredSession{{}}}
		m := &stored.Sessions[0].Metadata
		m.SessionID, m.FilesTouched, m.InitialAttribution = "s1", []string{"a.txt"}, &row.counted
		if _, counted, ok := soleOwner(stored, changes); (ok && counted >= row.lines) != row.sure {
			t.Errorf("%s: %d counted, %v", name, counted, ok)
		}
	}
}
