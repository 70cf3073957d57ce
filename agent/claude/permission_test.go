package claude

import (
	"testing"

	"entire/agent"
)

func TestPermissionIn(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]agent.Permission{
		`{"type":"user","message":{"role":"user","content":"go on"},"permissionMode":"acceptEdits"}`:                                 {Mode: "acceptEdits"},
		`{"type":"user","toolUseResult":{"a":1},"permissionDecision":{"decision":"accept","source":"config","reasonType":"rule"}}`:   {Answer: agent.Approved, By: agent.BySettings},
		`{"type":"user","permissionDecision":{"decision":"accept","source":"user_permanent"}}`:                                       {Answer: agent.Approved, By: agent.ByPerson},
		`{"type":"user","toolUseResult":"User rejected tool use","permissionDecision":{"decision":"reject","source":"user_reject"}}`: {Answer: agent.Denied, By: agent.ByPerson},
		`{"type":"user","permissionDecision":{"decision":"reject","source":"hook"}}`:                                                 {Answer: agent.Denied, By: agent.ByHook},
		`{"type":"user","permissionDecision":{"decision":"accept","source":"moon"}}`:                                                 {Answer: agent.Approved, By: agent.ByOther},
		`{"type":"user","toolUseResult":"User rejected tool use"}`:                                                                   {Answer: agent.Denied, By: agent.ByPerson},
		`{"type":"user","message":{"content":"\"permissionDecision\":{\"decision\":\"accept\"} User rejected tool use"}}`:            {},
		`{"type":"user","permissionDecision":"accept","permissionMode":7}`:                                                           {},
		`not JSON "permissionMode" User rejected tool use`:                                                                           {},
	} {
		if got := (Adapter{}).PermissionIn([]byte(line)); got != want {
			t.Errorf("%s: %+v, want %+v", line, got, want)
		}
	}
}

func FuzzPermissionIn(f *testing.F) {
	f.Add([]byte(`{"permissionMode":"plan","permissionDecision":{"decision":"reject","source":"user_abort"}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if got := (Adapter{}).PermissionIn(line); got.Answer == "" && got.By != "" && got.By != agent.ByOther && got.By != agent.ByPerson && got.By != agent.BySettings && got.By != agent.ByHook {
			t.Errorf("%q: %+v", line, got)
		}
	})
}
