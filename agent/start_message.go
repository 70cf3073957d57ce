package agent

import (
	"encoding/json"
	"fmt"
)

// StartMessage returns the output of a session-start hook, which the agent shows: one JSON
// object and a newline; nothing if the next commit would not be linked to a session. own
// says whether the session has uncommitted work, others how many other sessions of the
// worktree have.
func StartMessage(own bool, others int) []byte {
	text := "\n\nPowered by Entire:"
	switch {
	case own:
		text += "\n  This conversation will be linked to your next commit."
		if others > 0 {
			text += fmt.Sprintf("\n  %d other active conversation(s) in this workspace will also be included.", others)
		}
	case others > 0:
		text += fmt.Sprintf("\n  %d active conversation(s) in this workspace will be linked to your next commit.", others)
	default:
		return nil
	}
	if others > 0 {
		text += "\n  Use 'entire status' for more information."
	}
	out, err := json.Marshal(struct {
		SystemMessage string `json:"systemMessage"`
	}{text})
	if err != nil {
		panic(err) // a struct of one string always encodes
	}
	return append(out, '\n')
}
