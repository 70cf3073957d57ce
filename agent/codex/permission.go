package codex

import (
	"bytes"

	"github.com/tidwall/gjson"

	"entire/agent"
)

var _ agent.PermissionTeller = Adapter{}

// PermissionIn implements agent.PermissionTeller. The context of a turn names the policy and the sandbox, joined
// here by a slash. Of the answers only a person's refusal is in the transcript, as the text of the call's result.
func (Adapter) PermissionIn(line []byte) (p agent.Permission) {
	switch {
	case bytes.Contains(line, []byte(`"turn_context"`)):
		v := gjson.ParseBytes(line)
		if v.Get("type").Str != "turn_context" {
			return p
		}
		p.Mode = v.Get("payload.approval_policy").Str
		if sandbox := v.Get("payload.sandbox_policy.type").Str; p.Mode != "" && sandbox != "" {
			p.Mode += "/" + sandbox
		}
	case bytes.Contains(line, []byte(" rejected by user")):
		v := gjson.ParseBytes(line)
		output := v.Get("payload.output")
		if nested := output.Get("content"); nested.Exists() {
			output = nested
		}
		if v.Get("type").Str == "response_item" && (output.Str == "exec command rejected by user" || output.Str == "patch rejected by user") {
			p.Answer, p.By = agent.Denied, agent.ByPerson
		}
	}
	return p
}
