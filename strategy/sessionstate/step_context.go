package sessionstate

import (
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/checkpoint/shadow"
)

// StepContext returns the context that a step made now records: why, the turn's number and the last
// message.
func (o *LockedSession) StepContext(why string) shadow.StepContext {
	c := shadow.StepContext{Why: why, Turn: o.Engine.TurnNumber, AtWork: o.AtWork}
	if t := o.Engine.Capture.Conversation; t != nil {
		c.Message = t.LastUUID
	}
	return c
}

// clockSlack is by how much a file system's clock may be behind the one of an agent's program.
const clockSlack = 20 * time.Millisecond

// LastWork returns the last moment at which the agent was surely at work, as its transcript tells; zero if it does not.
// What a file system says changed before then did.
func (o *LockedSession) LastWork() time.Time {
	t := o.Engine.Capture.Conversation
	if t == nil || o.NextImplied {
		return time.Time{}
	}
	var at time.Time
	switch asked := t.PromptCount() - o.Engine.TurnStart.ConversationMark.Prompts; {
	case asked <= 1:
		at = conversation.ParseTimestamp(t.LastWork)
	case asked == 2: // the next turn's prompt is there already
		at = conversation.ParseTimestamp(t.PriorWork)
	}
	if at.IsZero() {
		return at
	}
	return at.Add(-clockSlack)
}

// CountTurn counts a new turn. A session that an older version began has no count; its transcript's
// count of prompts is used.
func (o *LockedSession) CountTurn() {
	o.recount(0)
	if o.Engine.TurnNumber == 0 && o.Engine.TurnStart.Digest != "" {
		o.Engine.TurnNumber = o.Engine.TurnStart.ConversationMark.Prompts + 1
	}
	o.Engine.TurnNumber++
}

// recount takes the number of turns from the transcript where the count was lost with engine.json; open of them are not
// over. The last checkpoint is unknown then, so that the turns before count as committed.
func (o *LockedSession) recount(open int) {
	if c := o.Engine.Capture.Conversation; o.Engine.TurnNumber == 0 && o.State.TurnID != "" && c != nil {
		o.Engine.TurnNumber = c.Mark().Prompts
		o.Engine.CondensedTurn = max(o.Engine.TurnNumber-open, 0)
	}
}

// TurnReason returns why the step at a turn's end is made. A turn whose start was not reported counts
// as the first.
func (o *LockedSession) TurnReason() string {
	o.recount(1)
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
