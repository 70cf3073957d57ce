package strategy

import (
	"entire/agent"
	"entire/checkpoint"
)

// moment returns the context that a step made now records: why, the turn's number and the last
// message.
func (o *open) moment(why string) checkpoint.StepContext {
	c := checkpoint.StepContext{Why: why, Turn: o.side.Turns}
	if t := o.side.Capture.Talk; t != nil {
		c.Message = t.LastUUID
	}
	return c
}

// nextTurn counts a new turn. A session that an older version began has no count; its transcript's
// count of prompts is used.
func (o *open) nextTurn() {
	if o.side.Turns == 0 && o.side.Turn.Digest != "" {
		o.side.Turns = o.side.Turn.Talk.Prompts + 1
	}
	o.side.Turns++
}

// turnWhy returns why the step at a turn's end is made. A turn whose start was not reported counts
// as the first.
func (o *open) turnWhy() string {
	o.side.Turns = max(o.side.Turns, 1)
	if o.why != "" {
		return o.why
	}
	if o.interrupted {
		return checkpoint.WhyInterrupted
	}
	return checkpoint.WhyTurnEnd
}

func taskWhy(ev agent.Event) string {
	if ev.Type == agent.Todo {
		return checkpoint.WhyTodo
	}
	return checkpoint.WhyTask
}
