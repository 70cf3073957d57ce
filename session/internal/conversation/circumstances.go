package conversation

import (
	"maps"
	"slices"
)

// Circumstances are the settings that a session last ran under, besides its model and the
// folder it was started in.
type Circumstances struct {
	Permissions string   `json:"permissions,omitempty"` // what the agent may do without asking, in the agent's own word
	Tools       []string `json:"tools,omitempty"`       // the tools it has called, sorted
	CWD         string   `json:"cwd,omitempty"`         // the folder it works in now, absolute
	Branch      string   `json:"branch,omitempty"`      // "" when HEAD was detached
	Commit      string   `json:"commit,omitempty"`      // the commit of HEAD
	// Environment has the variables that the user chose to record, without secrets.
	Environment map[string]string `json:"environment,omitempty"`
}

// Equal reports whether c and d are the same.
func (c Circumstances) Equal(d Circumstances) bool {
	return c.Permissions == d.Permissions && slices.Equal(c.Tools, d.Tools) && c.CWD == d.CWD && c.Branch == d.Branch &&
		c.Commit == d.Commit && maps.Equal(c.Environment, d.Environment)
}

// IsZero reports whether nothing is known.
func (c Circumstances) IsZero() bool { return c.Equal(Circumstances{}) }
