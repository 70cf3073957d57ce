package records

import (
	"context"
	"iter"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
)

// normalised streams the messages that are made from the transcript.
func (o *OpenConversation) normalised(ctx context.Context) iter.Seq2[agent.Message, error] {
	return func(yield func(agent.Message, error) bool) {
		n := conversation.NewNormalizer(o.Agent)
		var some []agent.Message
		for line, err := range o.Lines(ctx) {
			some = some[:0]
			switch {
			case err != nil:
			case agents.IsDocument(o.Agent, line):
				some, err = n.AddDocument(line)
			default:
				some = n.AddLine(some, line)
			}
			if err != nil {
				yield(agent.Message{}, err)
				return
			}
			for _, m := range some {
				if !yield(m, nil) {
					return
				}
			}
		}
	}
}
