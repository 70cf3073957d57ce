package agentlib

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/plugin"
	"entire/session"
)

// A Standing is how one agent stands in a repository or folder.
type Standing struct {
	Agent     agent.Agent
	Installed bool // its most important hook is in its hook file, or in the user's for all repositories
	// HookFile is relative to the top, or begins with userPrefix if only the user's file has the hooks; "" for an
	// agent that calls the hooks itself. hookPath is the same file's path.
	HookFile, hookPath string
	// Programs are the agent's programs on PATH, with their paths. Folders are its folders and files in the
	// repository, HomeFolders those in the home directory.
	Programs, Folders, HomeFolders []string
	Heard                          time.Time // its last event; zero for none
	Alarm                          *Alarm    // nil for none
}

// userPrefix is before the name of a hook file in the home directory.
const userPrefix = "~/"

// here reports whether the agent seems to be used here: its program is on PATH, or the repository
// has its folder.
func (s *Standing) here() bool { return len(s.Programs)+len(s.Folders) > 0 }

// NeverHeard reports whether hooks are installed that the agent has never called.
func (s *Standing) NeverHeard() bool { return s.Installed && s.Heard.IsZero() }

// Trust returns what a person must do before the agent runs its hooks; "" for nothing.
func (s *Standing) Trust() string {
	if about := s.Agent.Profile(); !about.TrustsFolder || !strings.HasPrefix(s.HookFile, userPrefix) {
		return about.Trust
	}
	return ""
}

// ChangedSince reports whether the agent's hook file was written after the agent called a hook for the last
// time: an agent whose hooks a person has to trust skips them until then.
func (s *Standing) ChangedSince() bool {
	if about := s.Agent.Profile(); s.Heard.IsZero() || !s.Installed || about.Trust == "" || about.TrustsFolder {
		return false
	}
	info, err := os.Stat(s.hookPath)
	return err == nil && info.ModTime().After(s.Heard)
}

// A Question is what Look needs to know.
type Question struct {
	Env   *cliui.Env
	Place workplace.Place
	// States are the sessions of the repository.
	States []*session.State
	// Kept returns the time of the last message of a session that is kept, zero for a session that is
	// not; nil if no conversation is kept.
	Kept func(id.SessionID) time.Time
}

// keptUntil returns when the last message was kept of the sessions with these names; zero if none is.
func (q Question) keptUntil(names []id.SessionID) (last time.Time) {
	for _, name := range names {
		if q.Kept == nil {
			break
		}
		if at := q.Kept(name); at.After(last) {
			last = at
		}
	}
	return last
}

// Look returns the standing of every agent, in the order of the table, and then of the allowed plug-ins.
// broken has an error for each plug-in that does not work.
func Look(ctx context.Context, q Question) (out []Standing, broken []error) {
	list, broken := Agents(ctx, q.Env, q.Place)
	for _, ag := range list {
		out = append(out, LookAt(q, ag))
	}
	return out, broken
}

// LookAt returns the standing of one agent.
func LookAt(q Question, ag agent.Agent) Standing {
	about := ag.Profile()
	s := Standing{Agent: ag, HookFile: about.HookFile(), Heard: heardAt(q.Place, ag.Name())}
	s.hookPath = filepath.Join(q.Place.Top, filepath.FromSlash(s.HookFile))
	s.Installed = installed(q.Place.Top, about.HookFiles, ag)
	if home := q.Env.Home(); !s.Installed && home != "" && installed(home, about.UserHookFiles, ag) {
		file := about.UserHookFiles[0].Path
		s.Installed, s.HookFile, s.hookPath = true, userPrefix+file, filepath.Join(home, filepath.FromSlash(file))
	}
	s.detect(q.Env, q.Place)
	if home := q.Env.Home(); home != "" {
		s.HomeFolders = existing(home, about.HomeFolders)
	}
	s.Alarm = alarm(q, &s)
	return s
}

// Detected returns those of the agents that seem to be used at p.
func Detected(env *cliui.Env, p workplace.Place, list []agent.Agent) []agent.Agent {
	var out []agent.Agent
	for _, ag := range list {
		s := Standing{Agent: ag}
		if s.detect(env, p); s.here() {
			out = append(out, ag)
		}
	}
	return out
}

// detect finds the agent's programs and folders.
func (s *Standing) detect(env *cliui.Env, p workplace.Place) {
	about := s.Agent.Profile()
	for _, name := range about.Programs {
		if path := OnPath(env, name); path != "" {
			s.Programs = append(s.Programs, path)
		}
	}
	s.Folders = existing(p.Top, about.Folders)
	if of, ok := s.Agent.(*plugin.Adapter); ok && !s.here() {
		if found, why, err := of.Detected(p.Top, env.Home()); err == nil && found {
			s.Folders = append(s.Folders, cmp.Or(why, "found"))
		}
	}
}

// installed reports whether the first of the files below dir has the agent's hooks.
func installed(dir string, files []agent.HookFile, ag agent.Agent) bool {
	if len(files) == 0 {
		return false
	}
	src, err := durable.ReadWithin(dir, files[0].Path, agent.MaxSettings)
	return err == nil && ag.Installed(src)
}

// OnPath returns the path of a program, "" if PATH does not have it.
func OnPath(env *cliui.Env, name string) string {
	for _, dir := range filepath.SplitList(env.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}

// existing returns those of the names that exist below dir.
func existing(dir string, names []string) []string {
	var out []string
	for _, name := range names {
		if workplace.FileExists(filepath.Join(dir, filepath.FromSlash(name))) {
			out = append(out, name)
		}
	}
	return out
}
