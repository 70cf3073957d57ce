package workplace

import (
	"fmt"
	"slices"
	"strings"

	"entire/agent"
	"entire/checkpoint/chunk"
	"entire/checkpoint/shadow"
	"entire/internal/git"
)

// StepTranscript joins the chunks of the session's transcript in a step's tree; empty if there
// are none.
func StepTranscript(rd *git.Reader, commit git.Commit, info shadow.StepInfo, kind agent.AgentType) ([]byte, error) {
	if info.Session.IsZero() {
		return nil, nil
	}
	folder, found, err := rd.Path(commit.Tree, shadow.SessionDir(info.Session))
	if err != nil || !found {
		return nil, err
	}
	entries, err := rd.Tree(folder.OID)
	if err != nil {
		return nil, err
	}
	if info.Base.IsZero() && info.Kind == shadow.StepAgent {
		// Another tool's step holds the whole transcript in one file; the chunks in its tree
		// come from an earlier step of ours.
		entries = slices.DeleteFunc(entries, func(e git.TreeEntry) bool { return strings.HasPrefix(e.Name, chunk.Name(0)+".") })
	}
	transcript, missing, err := chunk.TranscriptIn(rd, entries, kind)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("read transcript of %s: %w", commit.OID.Short(), &chunk.MissingChunkError{Names: missing})
	}
	return transcript, err
}

// SubagentMax bounds the size of a subagent's transcript that is searched for a call.
const SubagentMax = 32 << 20
