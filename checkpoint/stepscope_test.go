package checkpoint

import (
	"reflect"
	"testing"

	"entire/id"
	"entire/internal/git"
)

func TestScopeOfARewind(t *testing.T) {
	t.Parallel()
	s1, err := id.ParseSessionID("s1")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]StepScope{
		"":                                      {All: true},
		ScopeAgents:                             {Agents: true, Apart: []string{}},
		ScopeOfSession(s1):                      {Session: s1},
		ScopeOfTurn(s1, 12):                     {Session: s1, Turn: 12},
		ScopeApart("", []string{"s1", "s2"}):    {All: true, Apart: []string{"s1", "s2"}},
		ScopeApart(ScopeAgents, []string{"s1"}): {Agents: true, Apart: []string{"s1"}},
		"turn x s1":                             {},
		"session ../../x":                       {},
		"something yet to be":                   {},
	} {
		if got := ParseScope(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	undoes := git.MustOID("1111111111111111111111111111111111111111")
	info := ParseStep(StepMessage(Step{Kind: StepRewind, Subject: "undo", Session: s1, Scope: ScopeOfTurn(s1, 3), Undoes: undoes}))
	if info.Kind != StepRewind || info.Scope != "turn 3 s1" || info.Undoes != undoes {
		t.Errorf("%+v", info)
	}
}
