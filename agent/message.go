package agent

import (
	"encoding/json"
	"fmt"
)

// StartMessage is what a session-start hook prints for the agent to show: one
// JSON object and a newline. others is how many other sessions of the worktree
// will be part of the next commit.
func StartMessage(others int) []byte {
	text := "\n\nPowered by Entire:\n  This conversation will be linked to your next commit."
	if others > 0 {
		text += fmt.Sprintf("\n  %d other active conversation(s) in this workspace will also be included."+
			"\n  Use 'entire status' for more information.", others)
	}
	out, err := json.Marshal(struct {
		SystemMessage string `json:"systemMessage"`
	}{text})
	if err != nil {
		panic(err) // a struct of one string always encodes
	}
	return append(out, '\n')
}
