package shadow_test

import (
	"reflect"
	"testing"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

func TestScopeOfARewind(t *testing.T) {
	t.Parallel()
	s1, err := id.ParseSessionID("s1")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]shadow.StepScope{
		"":                         {All: true},
		shadow.ScopeAgents:         {Agents: true, Excluded: []string{}},
		shadow.ScopeOfSession(s1):  {Session: s1},
		shadow.ScopeOfTurn(s1, 12): {Session: s1, Turn: 12},
		shadow.ScopeExcluding("", []string{"s1", "s2"}):           {All: true, Excluded: []string{"s1", "s2"}},
		shadow.ScopeExcluding(shadow.ScopeAgents, []string{"s1"}): {Agents: true, Excluded: []string{"s1"}},
		"turn x s1":           {},
		"session ../../x":     {},
		"something yet to be": {},
	} {
		if got := shadow.ParseScope(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	undoes := git.MustOID("1111111111111111111111111111111111111111")
	info := shadow.ParseStep(shadow.StepMessage(shadow.Step{Kind: shadow.StepRewind, Subject: "undo", Session: s1, Scope: shadow.ScopeOfTurn(s1, 3), Undoes: undoes}))
	if info.Kind != shadow.StepRewind || info.Scope != "turn 3 s1" || info.Undoes != undoes {
		t.Errorf("%+v", info)
	}
}
