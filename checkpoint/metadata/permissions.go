package metadata

import (
	"bytes"
	"slices"

	"entire/agent"
	"entire/agent/agents"
	"entire/checkpoint/chunk"
	"entire/checkpoint/statement"
	"entire/internal/git"
)

// modesMax and modeBytes bound what a statement repeats of a transcript.
const (
	modesMax  = 16
	modeBytes = 64
)

// permissionsIn returns what a slot's part of the transcript says about permissions; nil if its agent's transcripts
// say nothing, or if the transcript cannot be read here, as one that another clone has sealed.
func permissionsIn(rd *git.Reader, s *Slot) *statement.Permissions {
	teller, ok := agents.For(s.Meta.Agent).(agent.PermissionTeller)
	if !ok {
		return nil
	}
	text, missing, err := chunk.ReadTranscript(rd, s.Files, s.Meta.Agent)
	if err != nil || len(missing) > 0 || len(text) == 0 {
		return nil
	}
	return tellPermissions(teller, text, s.Meta.GetTranscriptStart())
}

// tellPermissions counts what the lines from start on say.
func tellPermissions(teller agent.PermissionTeller, text []byte, start int) *statement.Permissions {
	p := &statement.Permissions{}
	mode := ""
	for n := 0; len(text) > 0; n++ {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		said := teller.PermissionIn(line)
		if len(said.Mode) <= modeBytes && said.Mode != "" {
			mode = said.Mode
		}
		if n < start {
			continue
		}
		if mode != "" && !slices.Contains(p.Modes, mode) && len(p.Modes) < modesMax {
			p.Modes = append(p.Modes, mode)
		}
		switch said.Answer {
		case agent.Approved:
			p.Approved = counted(p.Approved, said.By)
		case agent.Denied:
			p.Denied = counted(p.Denied, said.By)
		}
	}
	if len(p.Modes) == 0 && p.Approved == nil && p.Denied == nil {
		return nil
	}
	return p
}

func counted(counts map[string]int, by agent.PermissionSource) map[string]int {
	if counts == nil {
		counts = map[string]int{}
	}
	counts[string(by)]++
	return counts
}
