package strategy

import (
	"entire/agent"
	"entire/checkpoint"
)

// moment is what a step of the session says of when it was made.
func (o *open) moment(why string) checkpoint.StepContext {
	c := checkpoint.StepContext{Why: why, Turn: o.side.Turns}
	if t := o.side.Capture.Talk; t != nil {
		c.Message = t.LastUUID
	}
	return c
}

// nextTurn counts a turn that begins. A session that an older version began has
// not counted: its transcript has.
func (o *open) nextTurn() {
	if o.side.Turns == 0 && o.side.Turn.Digest != "" {
		o.side.Turns = o.side.Turn.Talk.Prompts + 1
	}
	o.side.Turns++
}

// turnWhy is why the step at a turn's end is made. A turn of which no beginning
// was told is the first.
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
