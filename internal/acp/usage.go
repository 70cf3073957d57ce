package acp

import (
	"github.com/tidwall/gjson"

	"entire/agent"
)

// meter follows what a session's agent says it has used. The protocol leaves open whether the end of a turn
// tells the tokens of the turn or of the whole session: they are the session's as long as no count goes down.
type meter struct {
	answers  bool             // the agent told the tokens of each answer in this turn
	perTurn  bool             // a count has gone down
	last     agent.TokenUsage // what the last turn's end said
	sum      agent.TokenUsage // of all turns' ends
	recorded agent.TokenUsage
}

// add returns what is to be recorded when a turn's end says u.
func (m *meter) add(u agent.TokenUsage) agent.TokenUsage {
	m.sum = m.sum.Add(u)
	m.perTurn = m.perTurn || u.InputTokens < m.last.InputTokens || u.OutputTokens < m.last.OutputTokens ||
		u.CacheReadTokens < m.last.CacheReadTokens || u.CacheCreationTokens < m.last.CacheCreationTokens
	m.last = u
	all := u
	if m.perTurn {
		all = m.sum
	}
	more := all.Less(m.recorded)
	more.APICallCount, m.recorded = u.APICallCount, all
	return more
}

// used returns what is to be recorded of a turn that ended with this result; nil for nothing.
func (m *meter) used(result gjson.Result) *agent.TokenUsage {
	u, ok := usageOf(result.Get("usage"))
	if !ok {
		u, ok = quotaOf(result.Get("_meta.quota.token_count"))
	}
	if !ok || m.answers {
		return nil
	}
	u = m.add(u)
	return &u
}

// usageOf returns the tokens in an object of the protocol's form; false for none. Agents differ in whether the
// input includes what came from the cache: the total tells.
func usageOf(told gjson.Result) (agent.TokenUsage, bool) {
	u := agent.TokenUsage{
		InputTokens: count(told, "inputTokens"), OutputTokens: count(told, "outputTokens"),
		CacheReadTokens: count(told, "cachedReadTokens"), CacheCreationTokens: count(told, "cachedWriteTokens"), APICallCount: 1,
	}
	cached, thought, total := u.CacheReadTokens+u.CacheCreationTokens, count(told, "thoughtTokens"), count(told, "totalTokens")
	switch {
	case total == u.InputTokens+u.OutputTokens+thought: // the thoughts are not in the output
		u.InputTokens = max(0, u.InputTokens-cached)
		u.OutputTokens += thought
	case total == u.InputTokens+u.OutputTokens:
		u.InputTokens = max(0, u.InputTokens-cached)
	case total != u.InputTokens+u.OutputTokens+cached:
		u.OutputTokens += thought
	}
	return u, told.IsObject() && u.Total() > 0
}

// quotaOf returns the tokens in the form that some agents use beside the protocol; false for none. Its input
// includes what came from the cache.
func quotaOf(told gjson.Result) (agent.TokenUsage, bool) {
	u := agent.TokenUsage{InputTokens: count(told, "input_tokens"), OutputTokens: count(told, "output_tokens"), APICallCount: 1}
	return u, u.Total() > 0
}

func count(told gjson.Result, name string) int {
	return int(min(max(told.Get(name).Int(), 0), 1<<40))
}
