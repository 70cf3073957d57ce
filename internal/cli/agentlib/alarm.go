package agentlib

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/durable"
	"entire/session"
)

// An Alarm says that an agent has worked here and that nothing of it was captured.
type Alarm struct {
	Worked     time.Time // when the agent last wrote to its own session file
	Transcript string    // that file
	Why, Hint  string
}

const (
	// alarmGrace is how much later than our last event an agent may write to its session file: some
	// write after the hook at a turn's end.
	alarmGrace = time.Minute
	// alarmSkew is how far apart the times may be that an agent and an editor's protocol give an answer.
	alarmSkew = 10 * time.Second
	// alarmWithin bounds the age of work that is an alarm.
	alarmWithin = 7 * 24 * time.Hour
	// alarmFiles bounds the files that are looked at for one agent, alarmDepth the folders below its own.
	alarmFiles, alarmDepth = 3000, 3
	// alarmTail bounds how much of its end is read to find the agent's last answer.
	alarmTail = 1 << 20
	// alarmHead bounds how much of a session file is read to find the folder in which the agent worked.
	alarmHead = 256 << 10
)

// alarm returns the alarm for an agent, nil for none.
func alarm(q Question, s *Standing) *Alarm {
	if q.Place.Folder || q.Env.Home() == "" {
		return nil
	}
	after := slices.MaxFunc([]time.Time{s.Heard, setUpAt(q.Place, s), q.Env.Now().Add(-alarmWithin)}, time.Time.Compare).Add(alarmGrace)
	path, worked := newestSession(q, s.Agent, after)
	if path == "" {
		return nil
	}
	a := &Alarm{Worked: worked, Transcript: path}
	a.Why, a.Hint = q.reason(s)
	return a
}

// setUpAt returns when the agent's hooks were written; for an agent without hooks here, when Entire
// was set up. Before that, nothing could be captured.
func setUpAt(p workplace.Place, s *Standing) time.Time {
	paths := []string{config.Path(p.Settings, config.Project), config.Path(p.Settings, config.Local)}
	if s.Installed {
		paths = []string{s.hookPath}
	}
	var first time.Time
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && (first.IsZero() || info.ModTime().Before(first)) {
			first = info.ModTime()
		}
	}
	return first
}

// reason returns why nothing was captured, as far as it can be told, and what to do.
func (q Question) reason(s *Standing) (why, hint string) {
	trust := s.Trust()
	add := "`entire agent add " + string(s.Agent.Name()) + "`"
	switch {
	case !s.Installed:
		return "its hooks are not installed here", add
	case switchedOff(q, s) != "":
		return switchedOff(q, s) + " switches its hooks off", "switch them on again"
	case OnPath(q.Env, "entire") == "":
		return "its hooks run `entire`, which is not on PATH", "add its folder to PATH"
	case s.Heard.IsZero() && trust != "":
		return "its hooks were never heard: " + trust, ""
	case s.ChangedSince():
		return "its hooks were changed since they were heard last: " + trust, ""
	case s.Heard.IsZero():
		return "its hooks were never heard", "agents read their hooks when they start: start it again"
	case trust != "" && s.Agent.Profile().TrustsFolder:
		return "its hooks were not heard since then: " + trust, ""
	}
	return "its hooks were not heard since then", "start it again; " + add + " writes hooks that are missing"
}

// switchedOff returns the settings file that switches the agent's hooks off, "" for none.
func switchedOff(q Question, s *Standing) string {
	switched, ok := s.Agent.(agent.HookSwitch)
	if !ok {
		return ""
	}
	for _, name := range switched.SwitchFiles() {
		for _, dir := range []string{q.Place.Top, q.Env.Home()} {
			src, err := durable.ReadWithin(dir, name, agent.MaxSettings)
			if err == nil && switched.SwitchedOff(src) {
				return cliui.ShownPath(q.Place.Top, filepath.Join(dir, filepath.FromSlash(name)))
			}
		}
	}
	return ""
}

// newestSession returns the agent's session file for this project that was written last, if that was
// later than after; "" for none. It leaves out sessions in the middle of a turn, whose next event comes
// later, files of other projects, files to which only a person has added something, and conversations
// that are kept: Entire itself may have written the file, to continue a session.
func newestSession(q Question, ag agent.Agent, after time.Time) (string, time.Time) {
	home, top := q.Env.Home(), q.Place.Top
	folders := ag.Folders(home, top, cliui.ReadIfThere)
	if dir := q.Env.Getenv(ag.Profile().TranscriptsVar); filepath.IsAbs(dir) {
		folders = []string{dir}
	}
	elsewhere := ag.Folders(home, top+"-elsewhere", cliui.ReadIfThere)
	path, newest := "", after
	for _, folder := range folders {
		shared := slices.Contains(elsewhere, folder)
		eachFile(folder, func(file string, info fs.FileInfo) {
			if !info.ModTime().After(newest) || q.inTurn(file) || shared && !mentions(file, top) {
				return
			}
			names := sessionsOf(ag, folder, file)
			if len(names) == 0 {
				return
			}
			kept := q.keptUntil(names)
			answer, untold := lastAnswer(ag, file)
			if untold && kept.IsZero() || answer.After(after) && answer.After(kept.Add(alarmSkew)) {
				path, newest = file, info.ModTime()
			}
		})
	}
	return path, newest
}

// eachFile calls fn for the regular files of a folder, as many as alarmFiles.
func eachFile(folder string, fn func(path string, info fs.FileInfo)) {
	seen := 0
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		if entry.IsDir() {
			if rel, err := filepath.Rel(folder, path); err == nil && strings.Count(rel, string(filepath.Separator)) >= alarmDepth {
				return fs.SkipDir
			}
			return nil
		}
		if seen++; seen > alarmFiles {
			return fs.SkipAll
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			fn(path, info)
		}
		return nil
	})
}

// sessionsOf returns the sessions whose main conversation the file may hold: what its name may name. Some agents put the
// first digits of an ID there.
func sessionsOf(ag agent.Agent, folder, path string) (names []id.SessionID) {
	name := filepath.Base(path)
	if isSubagent(ag, folder, path) {
		return nil
	}
	stem, _, _ := strings.Cut(name, ".")
	words := append([]string{stem}, filepath.Base(filepath.Dir(path)))
	if i := len(stem) - 36; i > 0 { // a UUID at the end
		words = append(words, stem[i:])
	}
	if i := strings.LastIndexAny(stem, "_-"); i >= 0 {
		words = append(words, stem[i+1:])
	}
	for _, word := range words {
		if sid, err := id.ParseSessionID(word); err == nil && ag.OwnsFile(name, sid) {
			names = append(names, sid)
		}
	}
	return names
}

// isSubagent reports whether the file is the transcript of a subagent, which may work on after its turn.
func isSubagent(ag agent.Agent, folder, path string) bool {
	stem, _, _ := strings.Cut(filepath.Base(path), ".")
	_, word, _ := strings.Cut(stem, "-")
	parents := []id.SessionID{{}}
	for dir := filepath.Dir(path); len(dir) > len(folder); dir = filepath.Dir(dir) {
		if sid, err := id.ParseSessionID(filepath.Base(dir)); err == nil {
			parents = append(parents, sid)
		}
	}
	for _, parent := range parents {
		main := filepath.Join(folder, ag.FileName(parent, nil))
		for _, name := range []string{stem, word} {
			if slices.Contains(ag.SubagentTranscripts(main, parent, name), path) {
				return true
			}
		}
	}
	return false
}

// lastAnswer returns the time of the agent's last answer in the end of a transcript, zero for none. Where
// that cannot be told, for example in a document or without timestamps, untold is true.
func lastAnswer(ag agent.Agent, path string) (at time.Time, untold bool) {
	f, err := durable.Open(path)
	if err != nil {
		return at, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return at, false
	}
	from := max(0, info.Size()-alarmTail)
	tail, err := io.ReadAll(io.NewSectionReader(f, from, alarmTail))
	if err != nil {
		return at, true
	}
	if from > 0 {
		tail = tail[bytes.IndexByte(tail, '\n')+1:]
	}
	n := conversation.NewNormalizer(ag.Type())
	untold = true
	for line := range bytes.Lines(tail) {
		for _, m := range n.AddLine(nil, bytes.TrimSuffix(line, []byte("\n"))) {
			if m.Role == agent.RoleAssistant && m.Timestamp.After(at) {
				at, untold = m.Timestamp, false
			}
		}
	}
	return at, untold
}

// inTurn reports whether the transcript is that of a session in the middle of a turn.
func (q Question) inTurn(path string) bool {
	return slices.ContainsFunc(q.States, func(st *session.State) bool {
		return st.Phase == session.PhaseActive && st.TranscriptPath == path
	})
}

// mentions reports whether the beginning of a file names the folder top as a JSON text.
func mentions(path, top string) bool {
	f, err := durable.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, alarmHead)
	n, err := io.ReadFull(f, head)
	if n == 0 && err != nil {
		return false
	}
	quoted, err := json.Marshal(top)
	return err == nil && bytes.Contains(head[:n], quoted)
}
