package agent

// Change returns what must be added to v to get u, which may be negative.
func (u TokenUsage) Change(v TokenUsage) TokenUsage {
	return u.combine(v, func(a, b int) int { return a - b })
}

// ToldUsage adds up what events tell of a session's tokens, for an agent whose transcript has none.
type ToldUsage struct {
	Sum  TokenUsage `json:"sum"`
	Last string     `json:"last,omitempty"` // the report that was added last
}

// Note adds what an event tells and reports whether it did: two sets of hooks may tell the same.
func (t *ToldUsage) Note(ev Event) bool {
	if ev.Usage.IsZero() || ev.UsageReport != "" && ev.UsageReport == t.Last {
		return false
	}
	t.Sum, t.Last = t.Sum.Add(ev.Usage), ev.UsageReport
	return true
}

// TokenUsage counts the tokens that a model consumed and produced. Its JSON form is part
// of stored metadata.
type TokenUsage struct {
	InputTokens         int `json:"input_tokens"`
	CacheCreationTokens int `json:"cache_creation_tokens"`
	CacheReadTokens     int `json:"cache_read_tokens"`
	OutputTokens        int `json:"output_tokens"`
	APICallCount        int `json:"api_call_count"`
	// CacheCreationHourTokens is the part of CacheCreationTokens that a cache keeps for an hour, ReasoningTokens
	// the part of OutputTokens that is thoughts; both only where the agent says so.
	CacheCreationHourTokens int         `json:"cache_creation_hour_tokens,omitempty"`
	ReasoningTokens         int         `json:"reasoning_tokens,omitempty"`
	SubagentTokens          *TokenUsage `json:"subagent_tokens,omitempty"`
}

// Add returns the sum of u and v, including their subagents. It changes neither, and the
// sum shares no memory with them.
func (u TokenUsage) Add(v TokenUsage) TokenUsage {
	return u.combine(v, func(a, b int) int { return a + b })
}

// Less returns u minus v, never below zero: the part of a running total that was added
// after v was taken.
func (u TokenUsage) Less(v TokenUsage) TokenUsage {
	return u.combine(v, func(a, b int) int { return max(a-b, 0) })
}

// Since returns what was added to a running total between v and u.
func (u TokenUsage) Since(v TokenUsage) TokenUsage { return u.Less(v) }

func (u TokenUsage) combine(v TokenUsage, op func(a, b int) int) TokenUsage {
	sum := TokenUsage{
		InputTokens:         op(u.InputTokens, v.InputTokens),
		CacheCreationTokens: op(u.CacheCreationTokens, v.CacheCreationTokens),
		CacheReadTokens:     op(u.CacheReadTokens, v.CacheReadTokens),
		OutputTokens:        op(u.OutputTokens, v.OutputTokens),
		APICallCount:        op(u.APICallCount, v.APICallCount),

		CacheCreationHourTokens: op(u.CacheCreationHourTokens, v.CacheCreationHourTokens),
		ReasoningTokens:         op(u.ReasoningTokens, v.ReasoningTokens),
	}
	if u.SubagentTokens != nil || v.SubagentTokens != nil {
		sub := u.sub().combine(v.sub(), op)
		sum.SubagentTokens = &sub
	}
	return sum
}

func (u TokenUsage) sub() TokenUsage {
	if u.SubagentTokens == nil {
		return TokenUsage{}
	}
	return *u.SubagentTokens
}

// IsZero reports whether all counts are zero, including those of subagents.
func (u TokenUsage) IsZero() bool {
	if u.SubagentTokens != nil && !u.SubagentTokens.IsZero() {
		return false
	}
	u.SubagentTokens = nil
	return u == TokenUsage{}
}

// Total returns the number of tokens of every kind, including those of subagents.
func (u TokenUsage) Total() int {
	n := u.InputTokens + u.CacheCreationTokens + u.CacheReadTokens + u.OutputTokens
	if u.SubagentTokens != nil {
		n += u.SubagentTokens.Total()
	}
	return n
}
