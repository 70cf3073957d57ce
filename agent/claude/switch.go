package claude

import (
	"bytes"

	"github.com/tidwall/gjson"

	"entire/agent"
)

var _ agent.HookSwitch = Adapter{}

// SwitchFiles implements agent.HookSwitch.
func (Adapter) SwitchFiles() []string {
	return []string{".claude/settings.json", ".claude/settings.local.json"}
}

// SwitchedOff implements agent.HookSwitch.
func (Adapter) SwitchedOff(src []byte) bool {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	return gjson.ValidBytes(src) && gjson.GetBytes(src, "disableAllHooks").Type == gjson.True
}
