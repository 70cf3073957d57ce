package step_test

import (
	"testing"

	"entire/internal/git"
	"entire/strategy/step"
)

func TestOwnRef(t *testing.T) {
	t.Parallel()
	const hex = "0123456789abcdef0123456789abcdef01234567"
	oid, err := git.ParseOID(hex)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"backlog/5e55104f-0000-4000-8000-000000000001": true,
		"tasks/s1":                                      true,
		"received/s1":                                   true,
		"received/s1-head":                              true,
		"fetched/0123456789ab":                          true,
		"teleport/" + hex[:32]:                          true,
		"labels/e3b0c4/" + hex:                          true,
		"undo/" + hex:                                   true,
		"undo/e3b0c4/000001":                            true,
		"undo/e3b0c4/1234567":                           true,
		"orphans/abcdef0-e3b0c4-0123456":                true,
		"orphans/abcdef0-0123456":                       true,
		"orphans/abcdef0-e3b0c4-" + hex[:7] + "-" + hex: true,

		"checkpoints/AB/01K0000000000000000000000AB": false,
		"policies/default":                           false,
		"backlog":                                    false,
		"backlog/a/b":                                false,
		"labels/e3b0c4/" + hex[1:] + "0":             false, // of another object
		"undo/" + hex[1:] + "0":                      false,
		"undo/x":                                     false,
		"orphans/abcdef0-e3b0c4-7654321":             false,
		"teleport/x":                                 false,
		"fetched/0123456789ab/x":                     false,
	} {
		if got := step.IsOwnRef(git.Ref{Name: step.OwnRefRoot + name, OID: oid}); got != want {
			t.Errorf("ownRef(%s) = %v", name, got)
		}
	}
}
