package feed

import (
	"entire/agent/agents"
	"entire/internal/durable"
)

// maxUsageFile bounds the file that has a session's tokens, in bytes.
const maxUsageFile = 1 << 20

// addUsageBeside counts what a session has used, for an agent that keeps that beside the transcript.
func (s *eventRun) addUsageBeside(st *stream, path string) {
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
