package agenttest

import (
	"testing"
	"time"

	"entire/id"
)

var HookTime = time.Date(2026, 2, 11, 20, 36, 45, 0, time.UTC)

func Session(t testing.TB, s string) id.SessionID {
	t.Helper()
	sid, err := id.ParseSessionID(s)
	if err != nil {
		t.Fatal(err)
	}
	return sid
}
