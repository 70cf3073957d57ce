package maintaincmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/statuslib"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/durable"
	"entire/internal/redact"
	"entire/session"
)

// maxBundledLog bounds how much of the end of each log file is packed.
const maxBundledLog = 1 << 20

// A gathering collects the files of a bundle.
type gathering struct {
	env     *cliui.Env
	wp      *workplace.Workplace
	places  *strings.Replacer // folders that say who somebody is
	files   []bundleFile
	without []string // what could not be read, and why
}

func gather(ctx context.Context, env *cliui.Env) (*gathering, error) {
	wp, settingsErr, err := workplace.OpenHere(ctx, env, cliui.Failf("run this inside the repository that it is about", "not a git repository"))
	if err != nil {
		return nil, err
	}
	defer wp.Close()
	g := &gathering{env: env, wp: wp}
	g.findPlaces()
	g.versions(ctx)
	for _, t := range []config.Target{config.Project, config.Local} {
		if text, err := config.Text(wp.Place.Settings, t); err != nil {
			g.cannot(filepath.Base(config.Path("", t)), err)
		} else if text != nil {
			g.add("settings/"+filepath.Base(config.Path("", t)), "the settings", text)
		}
	}
	g.status(ctx, settingsErr)
	g.sessions(ctx)
	g.refs(ctx)
	g.logs()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return g, nil
}

// findPlaces notes the folders that are replaced by a word: the longest first.
func (g *gathering) findPlaces() {
	type place struct{ path, word string }
	var list []place
	add := func(path, word string) {
		if len(path) > 1 {
			list = append(list, place{path, word})
			if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
				list = append(list, place{real, word})
			}
		}
	}
	add(g.wp.Repo.Top, "PROJECT")
	add(g.env.Home(), "~")
	add(strings.TrimSuffix(os.TempDir(), "/"), "TEMP")
	slices.SortStableFunc(list, func(a, b place) int { return len(b.path) - len(a.path) })
	var pairs []string
	for _, p := range list {
		quoted, _ := json.Marshal(p.path) // as JSON writes it, without its quotes
		pairs = append(pairs, p.path, p.word, string(quoted[1:len(quoted)-1]), p.word)
	}
	g.places = strings.NewReplacer(pairs...)
}

// add puts a text into the bundle, without secrets and places.
func (g *gathering) add(name, has string, text []byte) {
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		clean := line
		if trimmed := bytes.TrimSpace(line); json.Valid(trimmed) {
			clean = redact.Line(line)
		}
		b.WriteString(g.places.Replace(redact.Text(string(clean))))
	}
	g.files = append(g.files, bundleFile{name, has, b.Len(), b.Bytes()})
}

func (g *gathering) addJSON(name, has string, v any) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		g.cannot(name, err)
		return
	}
	g.add(name, has, append(text, '\n'))
}

func (g *gathering) cannot(what string, err error) {
	g.without = append(g.without, fmt.Sprintf("%s: %s", what, g.places.Replace(redact.Text(err.Error()))))
}

func (g *gathering) versions(ctx context.Context) {
	about := struct {
		Entire string    `json:"entire"`
		Go     string    `json:"go"`
		OS     string    `json:"os"`
		Arch   string    `json:"arch"`
		Git    string    `json:"git"`
		Time   time.Time `json:"time"`
	}{g.env.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, "", g.env.Now().UTC()}
	if out, err := g.wp.Repo.Run(ctx, "version"); err != nil {
		g.cannot("git's version", err)
	} else {
		about.Git = strings.TrimSpace(string(out))
	}
	g.addJSON("versions.json", "of entire, Go, git and the system", about)
}

// status adds what status and doctor say, without what was said in sessions.
func (g *gathering) status(ctx context.Context, settingsErr error) {
	s, err := statuslib.Read(ctx, g.env)
	if err != nil {
		g.cannot("status.json", err)
	} else {
		for i := range s.Sessions {
			s.Sessions[i].Prompt = ""
		}
		for i := range s.Unnamed {
			s.Unnamed[i].Subject = ""
		}
		g.addJSON("status.json", "as `entire status`, without prompts", s)
	}
	progress, done := g.env.Progress()
	d, err := statuslib.Diagnose(ctx, g.env, g.wp, settingsErr, false, progress)
	done()
	if err != nil {
		g.cannot("doctor.json", err)
		return
	}
	g.addJSON("doctor.json", "what `entire doctor` finds", d)
}

// A bundledSession is the state of a session without what was said, and without the names of files.
type bundledSession struct {
	ID          string        `json:"session_id"`
	Agent       string        `json:"agent"`
	Phase       session.Phase `json:"phase"`
	Here        bool          `json:"in_this_worktree"`
	Base        string        `json:"base_commit"`
	Started     time.Time     `json:"started_at"`
	Ended       *time.Time    `json:"ended_at,omitempty"`
	Last        *time.Time    `json:"last_interaction_time,omitempty"`
	Checkpoints int           `json:"checkpoint_count"`
	Files       int           `json:"files_touched"`
}

func (g *gathering) sessions(ctx context.Context) {
	states, _, err := g.wp.Store.List(ctx)
	if err != nil {
		g.cannot("sessions.json", err)
		return
	}
	list := []bundledSession{}
	for _, st := range states {
		list = append(list, bundledSession{st.SessionID.String(), string(st.AgentType), st.Phase, g.wp.Engine.InThisWorktree(st.WorktreePath, st.WorktreeID),
			st.BaseCommit, st.StartedAt, st.EndedAt, st.LastInteractionTime, st.CheckpointCount, len(st.FilesTouched)})
	}
	g.addJSON("sessions.json", "their states, nothing that was said", list)
}

// refs adds the refs of this program, which name no branch of the project.
func (g *gathering) refs(ctx context.Context) {
	var b strings.Builder
	for _, prefix := range []string{"refs/heads/entire/", "refs/entire/"} {
		list, err := g.wp.Repo.Refs(ctx, prefix)
		if err != nil {
			g.cannot("refs.txt", err)
			return
		}
		for _, ref := range list {
			fmt.Fprintf(&b, "%s %s\n", ref.OID, ref.Name)
		}
	}
	g.add("refs.txt", "refs of entire, with their commits", []byte(b.String()))
}

func (g *gathering) logs() {
	for _, path := range logFiles(g.wp.Place, g.wp.Place.GitDir()) {
		data, err := durable.ReadPlain(path, maxLog)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		name := "logs/" + filepath.Base(path)
		if err != nil {
			g.cannot(name, err)
			continue
		}
		has := "what the hooks noted"
		if len(data) > maxBundledLog {
			data = data[len(data)-maxBundledLog:]
			data = data[bytes.IndexByte(data, '\n')+1:]
			has += ", the end"
		}
		g.add(name, has, data)
	}
}
