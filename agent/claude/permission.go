package claude

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
)

var _ agent.PermissionTeller = Adapter{}

// PermissionIn implements agent.PermissionTeller. A prompt names the mode. The result of a call has the decision in
// newer versions; older ones write only what a person refused.
func (Adapter) PermissionIn(line []byte) (p agent.Permission) {
	if bytes.Contains(line, []byte(`"permissionMode"`)) {
		p.Mode = gjson.GetBytes(line, "permissionMode").Str
	}
	if bytes.Contains(line, []byte(`"permissionDecision"`)) {
		if d := gjson.GetBytes(line, "permissionDecision"); d.IsObject() {
			p.Answer, p.By = decided(d.Get("decision").Str), decidedBy(d.Get("source").Str)
			return p
		}
	}
	if bytes.Contains(line, []byte("User rejected tool use")) && gjson.GetBytes(line, "toolUseResult").Str == "User rejected tool use" {
		p.Answer, p.By = agent.Denied, agent.ByPerson
	}
	return p
}

func decided(decision string) agent.PermissionAnswer {
	switch decision {
	case "accept":
		return agent.Approved
	case "reject":
		return agent.Denied
	}
	return ""
}

// decidedBy returns the source of a decision: user_temporary and user_permanent are answers at that moment, too.
func decidedBy(source string) agent.PermissionSource {
	switch {
	case strings.HasPrefix(source, "user"):
		return agent.ByPerson
	case source == "config":
		return agent.BySettings
	case source == "hook":
		return agent.ByHook
	}
	return agent.ByOther
}
