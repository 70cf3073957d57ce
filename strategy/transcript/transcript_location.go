package transcript

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
)

// ErrNoHome is returned if nobody can tell where an agent looks for a session's transcript.
var ErrNoHome = errors.New("where its agent looks for transcripts is not known here")

// Live returns the path at which the agent has, or would look for, a session's transcript, "" if
// it is not known. The path that this machine remembers comes first.
func (h Homes) Live(a agent.Agent, sid id.SessionID, transcript []byte) string {
	own := h.Recorded()
	if isRegularFile(own) || h.InAgentFolder(a, own) && a.OwnsFile(own, sid) {
		return own
	}
	return h.find(a, sid, "", transcript)
}

// InAgentFolder reports whether path is in the folder where the agent keeps its transcripts.
func (h Homes) InAgentFolder(a agent.Agent, path string) bool {
	root, _ := h.folders(a)
	return root != "" && strings.HasPrefix(path, root+string(filepath.Separator))
}

// PlanRestore plans how to restore a transcript to where the agent of type t looks for the
// session's. A transcript that is there already stays unless force is set; then it is kept next
// to the new one.
func (h Homes) PlanRestore(sid id.SessionID, t agent.AgentType, transcript []byte, force bool) (PlannedLog, error) {
	path := h.Live(agents.For(t), sid, transcript)
	if path == "" {
		return PlannedLog{}, fmt.Errorf("session %s: %w", sid, ErrNoHome)
	}
	return planned(PlannedLog{SessionID: sid.String(), Agent: t, Path: path, Transcript: transcript}, sid, force)
}

// PlanContinue is PlanRestore for a session that its agent is to continue. If the agent's program keeps
// conversations as documents, the plan restores them.
func (h Homes) PlanContinue(sid id.SessionID, t agent.AgentType, transcript []byte, force bool) (PlannedLog, error) {
	if log, ok := h.documentsLog(t, sid, transcript); ok {
		return planned(log, sid, force)
	}
	return h.PlanRestore(sid, t, transcript, force)
}

// planned completes a plan by what is at its path.
func planned(log PlannedLog, sid id.SessionID, force bool) (PlannedLog, error) {
	log.ResumeCommand = agents.For(log.Agent).ResumeCommand(sid)
	fi, err := os.Stat(log.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return log, nil
	case err != nil:
		return PlannedLog{}, fmt.Errorf("session %s: %w", sid, err)
	case !fi.Mode().IsRegular():
		return PlannedLog{}, fmt.Errorf("session %s: %s is in the way, and no file", sid, log.Path)
	}
	log.inPlace = fi.Size() > 0 && (!force || log.isInPlace())
	log.Replaces = !log.inPlace && fi.Size() > 0
	return log, nil
}

// Stays reports whether there is nothing to write, because the file that is there is the
// session's.
func (log PlannedLog) Stays() bool { return log.inPlace }

// Write carries out the plan.
func (log PlannedLog) Write() error { return log.write() }
