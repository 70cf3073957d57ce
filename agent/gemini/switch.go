package gemini

import (
	"bytes"

	"github.com/tidwall/gjson"

	"entire/agent"
)

var _ agent.HookSwitch = Adapter{}

// SwitchFiles implements agent.HookSwitch.
func (Adapter) SwitchFiles() []string { return []string{".gemini/settings.json"} }

// SwitchedOff implements agent.HookSwitch. Install switches the hooks on in the repository's file,
// which wins over the user's.
func (Adapter) SwitchedOff(src []byte) bool {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	return gjson.ValidBytes(src) && gjson.GetBytes(src, "hooksConfig.enabled").Type == gjson.False
}
