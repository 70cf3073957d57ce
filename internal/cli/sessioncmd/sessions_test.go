package sessioncmd

import (
	"testing"
	"time"

	"entire/internal/cli/clitest"
	"entire/internal/cli/sessionlib"
)

func TestRecent(t *testing.T) {
	t.Parallel()
	var all []sessionlib.ListedSession
	for i := range 30 {
		all = append(all, sessionlib.ListedSession{ID: "a", Updated: clitest.Noon.Add(-time.Duration(i) * time.Hour)})
	}
	if got := recent(all, clitest.Noon); len(got) != recentCount {
		t.Errorf("%d sessions of one day, want %d", len(got), recentCount)
	}
	if got := recent(all, clitest.Noon.AddDate(0, 0, recentDays).Add(-150*time.Minute)); len(got) != 3 {
		t.Errorf("%d sessions, want the 3 of the last %d days", len(got), recentDays)
	}
}
