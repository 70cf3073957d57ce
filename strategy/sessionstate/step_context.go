package sessionstate

import (
	"entire/agent"
	"entire/checkpoint/shadow"
)

// StepContext returns the context that a step made now records: why, the turn's number and the last
// message.
func (o *LockedSession) StepContext(why string) shadow.StepContext {
	c := shadow.StepContext{Why: why, Turn: o.Engine.TurnNumber}
	if t := o.Engine.Capture.Conversation; t != nil {
		c.Message = t.LastUUID
	}
	return c
}

// CountTurn counts a new turn. A session that an older version began has no count; its transcript's
// count of prompts is used.
func (o *LockedSession) CountTurn() {
	if o.Engine.TurnNumber == 0 && o.Engine.TurnStart.Digest != "" {
		o.Engine.TurnNumber = o.Engine.TurnStart.ConversationMark.Prompts + 1
	}
	o.Engine.TurnNumber++
}

// TurnReason returns why the step at a turn's end is made. A turn whose start was not reported counts
// as the first.
func (o *LockedSession) TurnReason() string {
	o.Engine.TurnNumber = max(o.Engine.TurnNumber, 1)
	if o.StepReason != "" {
		return o.StepReason
	}
	if o.Interrupted {
		return shadow.WhyInterrupted
	}
	return shadow.WhyTurnEnd
}

// TaskReason returns the reason of the step that an event of a subagent or of a to-do list makes.
func TaskReason(ev agent.Event) string {
	if ev.Type == agent.Todo {
		return shadow.WhyTodo
	}
	return shadow.WhyTask
}
