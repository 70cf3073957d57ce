package tui

import (
	"testing"

	"entire/internal/cli/tui/tuitest"
)

// TestFrames compares every panel, in each of its states, with the frames of testdata: at four widths, in
// Unicode and ASCII, light and dark.
func TestFrames(t *testing.T) {
	t.Parallel()
	s := tuitest.Shop(t)
	for _, panel := range []struct {
		name string
		keys []string
	}{
		{"timeline", nil},
		{"timeline-turn", []string{"G", "up", "up"}},
		{"timeline-said", []string{"G", "up", "tab"}},
		{"timeline-changes", []string{"tab", "tab"}},
		{"sheet", []string{"down", "down", "enter"}},
		{"sheet-session", []string{"down", "down", "down", "down", "enter", "s"}},
		{"undo", []string{"u"}},
		{"files", []string{"2"}},
		{"blame", []string{"2", "/", "c", "a", "r", "t", "enter", "down", "down"}},
		{"why", []string{"2", "/", "c", "a", "r", "t", "enter", "down", "down", "enter"}},
		{"states", []string{"2", "/", "p", "r", "i", "c", "e", "enter", "s", "left"}},
		{"states-diff", []string{"2", "/", "p", "r", "i", "c", "e", "enter", "s", "space", "left", "left", "space", "d"}},
		{"states-tree", []string{"down", "s"}},
		{"sessions", []string{"3"}},
		{"conversation", []string{"3", "enter"}},
		{"search", []string{"/", "p", "i", "e", "c", "e", "s"}},
		{"live", []string{"5"}},
		{"help", []string{"?"}},
		{"palette", []string{":", "s", "t", "e", "p"}},
		{"label", []string{"l", "o", "k"}},
	} {
		t.Run(panel.name, func(t *testing.T) {
			t.Parallel()
			checkPanel(t, s, panel.name, panel.keys...)
		})
	}
}
