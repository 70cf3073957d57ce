package agents

import (
	"sync"

	"entire/agent"
)

// Form is how the transcripts of an agent are read. A part that the agent does not have is nil.
type Form struct {
	agent.RecordReader
	Messages agent.MessageReader // only where the transcript is a list of messages
	Linker   agent.Linker
	Teller   agent.SessionTeller
	Calls    agent.CallDescriber
	outliner agent.Outliner
}

// Outline is agent.Outliner for every agent: the whole records where it has no such reader.
func (f *Form) Outline(line []byte) ([]agent.Record, bool) {
	if f.outliner != nil {
		return f.outliner.Outline(line)
	}
	return f.Records(line)
}

// forms makes the table once, on first use: every line of a transcript asks for it.
var forms = sync.OnceValue(func() map[agent.AgentType]*Form {
	out := map[agent.AgentType]*Form{}
	for _, a := range All() {
		f := &Form{}
		f.RecordReader, _ = a.(agent.RecordReader)
		f.Linker, _ = a.(agent.Linker)
		f.Teller, _ = a.(agent.SessionTeller)
		f.Calls, _ = a.(agent.CallDescriber)
		f.outliner, _ = a.(agent.Outliner)
		if a.Profile().Messages {
			f.Messages, _ = a.(agent.MessageReader)
		}
		out[a.Type()] = f
	}
	return out
})

// FormOf returns how the transcripts of an agent are read.
func FormOf(t agent.AgentType) *Form {
	if f, ok := forms()[t]; ok {
		return f
	}
	return forms()[agent.AgentTypeUnknown]
}
