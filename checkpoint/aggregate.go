package checkpoint

import (
	"slices"

	"entire/agent"
)

// aggregate computes the sums of a checkpoint over its sessions: steps added,
// files united and sorted, tokens added without those of subagents.
func aggregate(sessions []CommittedMetadata) (steps int, files []string, usage *agent.TokenUsage) {
	for _, m := range sessions {
		steps += m.CheckpointsCount
		files = append(files, m.FilesTouched...)
		usage = addUsage(usage, m.TokenUsage)
	}
	return steps, sortedUnion(files), usage
}

func addUsage(sum, more *agent.TokenUsage) *agent.TokenUsage {
	if more == nil {
		return sum
	}
	own := *more
	own.SubagentTokens = nil
	if sum != nil {
		own = own.Add(*sum)
	}
	return &own
}

// sortedUnion sorts files and drops repetitions; nothing stays nil, which is
// how "no files" is written.
func sortedUnion(files []string) []string {
	if len(files) == 0 {
		return nil
	}
	files = slices.Clone(files)
	slices.Sort(files)
	return slices.Compact(files)
}
