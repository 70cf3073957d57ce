package claude

import (
	"entire/agent"
	"entire/agent/internal/settings"
)

const statusLineKey = "statusLine"

// StatusLineFile implements agent.StatusLineShower.
func (Adapter) StatusLineFile() agent.HookFile { return agent.HookFile{Path: settingsFile} }

// AddStatusLine implements agent.StatusLineShower.
func (Adapter) AddStatusLine(src []byte, command string) ([]byte, int, error) {
	return settings.AddCommand(src, statusLineKey, command)
}

// DropStatusLine implements agent.StatusLineShower.
func (Adapter) DropStatusLine(src []byte, command string) ([]byte, int, error) {
	return settings.DropCommand(src, statusLineKey, command)
}
