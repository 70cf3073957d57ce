package metadata_test

import (
	"reflect"
	"testing"

	"entire/checkpoint/metadata"
)

// TestStoredNotesAreNoPrompts: older versions stored them among the prompts, and a rule
// in one divides it.
func TestStoredNotesAreNoPrompts(t *testing.T) {
	t.Parallel()
	note := "<task-notification>\n<result>one\n\n---\n\ntwo\n\n---\n\nthree</result>\n</task-notification>"
	stored := []string{"[Request interrupted by user]", "a", note, "b", "<session_context>\ncut"}
	if got := metadata.SplitPrompts(metadata.JoinPrompts(stored)); !reflect.DeepEqual(got, []string{"a", "b"}) {
		t.Errorf("prompts %q", got)
	}
}
