package usage

import "entire/agent"

// Tokens counts tokens by kind.
type Tokens struct {
	Input      int64 `json:"input"`       // that no cache held
	CacheRead  int64 `json:"cache_read"`  // input that a cache held
	CacheWrite int64 `json:"cache_write"` // input that a cache took
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning,omitempty"`        // the part of Output that is thoughts, where the agent says so
	HourWrite  int64 `json:"cache_write_hour,omitempty"` // the part of CacheWrite that is kept for an hour, where the agent says so
}

// Total returns the number of all tokens.
func (t Tokens) Total() int64 { return t.Input + t.CacheRead + t.CacheWrite + t.Output }

// Prompt returns the number of tokens that the model was sent.
func (t Tokens) Prompt() int64 { return t.Input + t.CacheRead + t.CacheWrite }

// Add returns the sum of t and u.
func (t Tokens) Add(u Tokens) Tokens {
	return t.each(u, func(a, b int64) int64 { return a + b })
}

// part returns the share of the i-th of n owners of t. The shares of all n add up to t.
func (t Tokens) part(i, n int64) Tokens {
	return t.each(t, func(a, _ int64) int64 { return a*(i+1)/n - a*i/n })
}

func (t Tokens) each(u Tokens, op func(a, b int64) int64) Tokens {
	return Tokens{Input: op(t.Input, u.Input), CacheRead: op(t.CacheRead, u.CacheRead), CacheWrite: op(t.CacheWrite, u.CacheWrite),
		Output: op(t.Output, u.Output), Reasoning: op(t.Reasoning, u.Reasoning), HourWrite: op(t.HourWrite, u.HourWrite)}
}

// tokensOf returns the tokens of u, those of its subagents included.
func tokensOf(u agent.TokenUsage) Tokens {
	t := Tokens{Input: int64(u.InputTokens), CacheRead: int64(u.CacheReadTokens), CacheWrite: int64(u.CacheCreationTokens), Output: int64(u.OutputTokens),
		Reasoning: int64(u.ReasoningTokens), HourWrite: int64(u.CacheCreationHourTokens)}
	if u.SubagentTokens != nil {
		t = t.Add(tokensOf(*u.SubagentTokens))
	}
	return t
}
