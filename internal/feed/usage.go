package feed

import (
	"entire/agent/agents"
	"entire/internal/durable"
)

// maxUsageFile bounds the file that has a session's tokens, in bytes.
const maxUsageFile = 1 << 20

// addUsage counts what a session has used, for an agent that keeps that beside the transcript or tells it
// in events.
func (s *eventRun) addUsage(st *stream, path string) {
	if told := s.pos.Told.Sum; st == &s.pos.Main && !told.IsZero() && st.normalizer != nil {
		st.normalizer.SetTotal(told)
	}
	keeper := agents.UsageKeeper(s.ev.AgentType)
	if keeper == nil || st.normalizer == nil {
		return
	}
	data, err := durable.Read(keeper.UsageFile(path), maxUsageFile)
	if err != nil {
		return
	}
	if u, known := keeper.Usage(data); known {
		st.normalizer.SetTotal(u)
	}
}
