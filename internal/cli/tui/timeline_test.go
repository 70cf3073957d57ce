package tui

import (
	"testing"

	"entire/internal/cli/tui/tuitest"
)

func TestTimelineFrames(t *testing.T) {
	t.Parallel()
	s := tuitest.Shop(t)
	checkPanel(t, s, "timeline")
	checkPanel(t, s, "timeline-turn", "G", "up", "up")
}
