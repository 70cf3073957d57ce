package metadata

import (
	"slices"

	"entire/agent"
)

// aggregate sums a checkpoint over its sessions: steps and tokens added up, without the tokens
// of subagents, and files united and sorted.
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

// sortedUnion sorts files and removes duplicates. No files stay nil, which is how they are
// written.
func sortedUnion(files []string) []string {
	if len(files) == 0 {
		return nil
	}
	files = slices.Clone(files)
	slices.Sort(files)
	return slices.Compact(files)
}

// LaterOf compares by time of writing: positive if a is the later, 0 if they are equal.
func LaterOf(a, b CommittedMetadata) int { return a.CreatedAt.Compare(b.CreatedAt) }
