package statuslib

import (
	"fmt"
	"path/filepath"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/term"
	"entire/internal/watch"
)

// Guard says whether the files are saved before commands that may lose work.
type Guard struct {
	Enabled bool     `json:"enabled"`
	Agents  []string `json:"agents"`           // whose hooks do so
	Missing []string `json:"missing"`          // whose hooks lack it, or are of an older version
	Without []string `json:"without"`          // whose hooks cannot
	Denied  int      `json:"denied,omitempty"` // number of the commands that a person refuses
	Watched bool     `json:"watched"`          // `entire watch` runs in this worktree
}

// readGuard finds whose hooks at top have the guard.
func (v *Status) readGuard(top string, s config.Settings) {
	g := &Guard{Enabled: s.Guard(), Agents: []string{}, Missing: []string{}, Without: []string{}, Denied: len(s.Deny)}
	v.Guard = g
	if dir := workplace.FindPlace(top).GitDir(); dir != "" {
		st, _ := watch.Status(filepath.Join(dir, "entire")) // `entire watch --status` says what is wrong
		g.Watched = st.Running
	}
	if !g.Enabled {
		return
	}
	for _, ag := range workplace.InstalledAgents(top) {
		name := string(ag.Type())
		if ag.Profile().NoGuard != "" {
			g.Without = append(g.Without, name)
			continue
		}
		if workplace.NeedsHooks(top, ag, s) {
			g.Missing = append(g.Missing, name)
		} else {
			g.Agents = append(g.Agents, name)
		}
	}
}

// writeGuard writes the line of the guard.
func (v *Status) writeGuard(b *strings.Builder, t term.Terminal) {
	g := v.Guard
	if g == nil || len(v.Agents) == 0 {
		return
	}
	label := t.Styled(term.Strong, "Guard:")
	var parts []string
	if len(g.Agents) > 0 {
		parts = append(parts, "on for "+cliui.Enumerated(g.Agents))
	}
	if len(g.Missing) > 0 {
		parts = append(parts, "missing for "+cliui.Enumerated(g.Missing)+" (`entire enable` adds it)")
	}
	if len(g.Without) > 0 {
		parts = append(parts, "not possible for "+cliui.Enumerated(g.Without))
	}
	if !g.Enabled {
		parts = []string{"off (`entire enable --no-guard=false` switches it on)"}
	}
	if g.Denied > 0 {
		parts = append(parts, cliui.Count(g.Denied, "command")+" refused")
	}
	if g.Watched {
		parts = append(parts, "changes outside turns are kept (`entire watch`)")
	}
	fmt.Fprintf(b, "\n%s %s\n", label, strings.Join(parts, "; "))
}
