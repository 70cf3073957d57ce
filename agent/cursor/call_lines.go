package cursor

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// CallLine implements agent.CallTeller: some versions of Cursor write transcripts without calls, or write them late. The
// hook after an edit has each text that was replaced.
func (Adapter) CallLine(ev agent.Event, id string) []byte {
	var uses []string
	use := func(name, input string) {
		one := jsontext.Quote(fmt.Sprintf("%s-%d", id, len(uses)+1))
		uses = append(uses, `{"type":"tool_use","id":`+one+`,"name":"`+name+`","input":`+input+`}`)
		if ev.Type == agent.ToolEnd {
			uses = append(uses, `{"type":"tool_result","tool_use_id":`+one+`,"content":""}`)
		}
	}
	path := jsontext.Quote(gjson.GetBytes(ev.ToolInput, "path").String())
	switch command := ev.ShellCommand(); {
	case command != "":
		use("Shell", `{"command":`+jsontext.Quote(command)+`}`)
	case ev.Type == agent.ToolEnd:
		gjson.GetBytes(ev.ToolInput, "edits").ForEach(func(_, e gjson.Result) bool {
			was, now := jsontext.Quote(text(e, "old_string")), jsontext.Quote(text(e, "new_string"))
			if text(e, "old_string") == "" {
				use("Write", `{"path":`+path+`,"contents":`+now+`}`)
			} else {
				use("StrReplace", `{"path":`+path+`,"old_string":`+was+`,"new_string":`+now+`}`)
			}
			return true
		})
	}
	if len(uses) == 0 {
		return nil
	}
	return []byte(`{"role":"assistant","message":{"content":[` + strings.Join(uses, ",") + `]}}`)
}
