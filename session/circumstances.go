package session

import (
	"maps"
	"slices"
)

// Circumstances are what a session ran under when it was last heard of, besides its
// model and the folder that it was begun in.
type Circumstances struct {
	Permissions string   `json:"permissions,omitempty"` // what the agent may do without asking, in its own word
	Tools       []string `json:"tools,omitempty"`       // that it has called, sorted
	CWD         string   `json:"cwd,omitempty"`         // where it works now, absolute
	Branch      string   `json:"branch,omitempty"`      // "" where HEAD was detached
	Commit      string   `json:"commit,omitempty"`      // that HEAD was
	// Environment has those variables that the user chose, without secrets.
	Environment map[string]string `json:"environment,omitempty"`
}

// Equal reports whether two are the same.
func (c Circumstances) Equal(d Circumstances) bool {
	return c.Permissions == d.Permissions && slices.Equal(c.Tools, d.Tools) && c.CWD == d.CWD && c.Branch == d.Branch &&
		c.Commit == d.Commit && maps.Equal(c.Environment, d.Environment)
}

// IsZero reports that nothing is known.
func (c Circumstances) IsZero() bool { return c.Equal(Circumstances{}) }
