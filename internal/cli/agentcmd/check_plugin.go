package agentcmd

import (
	"context"
	"fmt"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/plugin"
)

// trySession is the session of the questions that check asks a plug-in.
const trySession = "00000000-0000-4000-8000-000000000000"

// checkPlugin tries each command of a plug-in's protocol.
func (v *checkView) checkPlugin(ctx context.Context, a *plugin.Adapter, top, home string) {
	p := a.Plugin()
	v.add("info", passed, fmt.Sprintf("%s, %s", a.Type(), cliui.Count(len(a.Verbs()), "verb")), "")
	if found, why, err := a.Detected(top, home); err != nil {
		v.add("detect", failed, err.Error(), "")
	} else if found {
		v.add("detect", passed, why, "")
	} else {
		v.add("detect", passed, "it is not used here", "")
	}
	sid, err := id.ParseSessionID(trySession)
	if err != nil {
		v.add("parse-event", failed, err.Error(), "")
		return
	}
	for _, verb := range a.Verbs() {
		for _, text := range []string{"{}", "", "no JSON", "[1]"} {
			if _, err := p.Event(ctx, verb, []byte(text), top, time.Time{}); err != nil {
				v.add("parse-event", failed, fmt.Sprintf("%s, the payload %q: %v", verb, text, err), "it must answer {} to a payload that it cannot read")
				return
			}
		}
	}
	v.add("parse-event", passed, "payloads that cannot be read are no events", "")
	if _, err := p.Transcript(ctx, agent.Event{SessionID: sid, Dir: top, TranscriptPath: top}); err != nil {
		v.add("read-transcript", failed, err.Error(), "it must print nothing for a session that it does not know")
	} else {
		v.add("read-transcript", passed, "", "")
	}
	if command := a.ResumeCommand(sid); command == "" {
		v.add("resume-command", noted, "it has none", "")
	} else {
		v.add("resume-command", passed, command, "")
	}
}
