package ownership

import (
	"testing"

	"entire/internal/attribution"
)

// A formatter changes quotes between the newest step and the commit; a line that was staged before the step, which
// re-indents it, is as it was.
func TestRestoreReformatted(t *testing.T) {
	t.Parallel()
	agent, unknown := agentOwner("s1"), attribution.Owner{Class: attribution.Unknown}
	was := []byte("say('hello there')\n\tgreet(everybody)\n")
	is := []byte("say(\"hello there\")\ngreet(everybody)\n")
	lines := []attribution.Line{{Owner: unknown, Added: true, Version: 2}, {Owner: unknown, Added: true, Version: 1}}
	restoreReformatted(was, []attribution.Line{{Owner: agent}, {Owner: agent}}, is, lines, 2)
	if !lines[0].Owner.Is(agent) {
		t.Errorf("the line that the formatter changed: %+v", lines[0].Owner)
	}
	if lines[1].Owner != unknown {
		t.Errorf("the line that was staged before the step: %+v", lines[1].Owner)
	}
}
