package rewindcmd

import (
	"reflect"
	"testing"

	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
)

// After a plan that a person has read, only what came out otherwise is told.
func TestBeyond(t *testing.T) {
	t.Parallel()
	planned, late := sessionstate.KeptFile{Path: "a", Why: "ignored"}, sessionstate.KeptFile{Path: "b", Why: "changed meanwhile"}
	plan := &rewind.Plan{Kept: []sessionstate.KeptFile{planned}, Warnings: []string{"known"}}
	done := &restore.RewindOutcome{
		Written: []string{"c"}, Removed: []string{"d"}, Kept: []sessionstate.KeptFile{planned, late},
		Warnings: []string{"known", "new"}, SafetyID: "0123456",
	}
	want := &restore.RewindOutcome{Kept: []sessionstate.KeptFile{late}, Warnings: []string{"new"}, SafetyID: "0123456"}
	if got := beyond(done, plan); !reflect.DeepEqual(got, want) {
		t.Errorf("beyond = %+v", got)
	}
	if len(done.Kept) != 2 {
		t.Error("the outcome was changed")
	}
}
