package rewindcmd

import (
	"strings"
	"testing"

	"entire/internal/cli/workplace"
	"entire/strategy/step"
)

// TestPickRowsHaveNoControls gives the picker whatever others may have put into a point's texts.
func TestPickRowsHaveNoControls(t *testing.T) {
	t.Parallel()
	evil := "x\x1b[31m\u009b2J\ry"
	v := workplace.ViewPoint(step.RewindPoint{ID: strings.Repeat("a", 40), Message: evil, SessionPrompt: evil, SessionID: evil, Branch: evil, Head: "abc"})
	text := ""
	rows, _ := pickRows([]workplace.PointView{v})
	for _, r := range rows {
		text += r.Text + r.Note
	}
	if strings.ContainsAny(text, "\x1b\u009b\r") || text == "" {
		t.Errorf("%q", text)
	}
}
