package workplace

import (
	"context"
	"fmt"
	"strings"
	"time"

	"entire/agent"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/git"
	"entire/internal/term"
	"entire/internal/timeline"
	"entire/strategy/rewind"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// A ChangedFile is a file that differs between two trees.
type ChangedFile struct {
	Path       string `json:"path"`
	Action     string `json:"action"` // "create", "write", "mode", "remove"
	Insertions int    `json:"insertions"`
	Deletions  int    `json:"deletions"` // both -1 for binary
}

func ChangedFiles(changes []git.LineCount) []ChangedFile {
	files := []ChangedFile{}
	for _, c := range changes {
		files = append(files, ChangedFile{strings.ToValidUTF8(c.Path, "\uFFFD"), c.Action(), c.Added, c.Removed})
	}
	return files
}

// kindWords describe the kinds of points in a sentence.
var kindWords = map[string]string{
	"turn": "the end of a turn", "task": "a subagent's task", "label": "made by hand", "commit": "a commit with an agent's work",
	"rewind": "the worktree after a rewind", "saved": "the saved worktree", "auto": "in the middle of a turn",
	"watch": "changes outside turns, kept by entire watch",
}

func (v PointView) Text(t term.Terminal, name string, gaps []worktree.Uncaptured, more int) string {
	var b strings.Builder
	label := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%s %s\n", t.Styled(term.Strong, name+":"), fmt.Sprintf(format, args...))
	}
	switch {
	case v.Checkpoint == "":
		label("Point", "%s", cliui.ShortID(v.ID))
	case strings.HasPrefix(v.Checkpoint, name):
		label("Checkpoint", "%s", v.Checkpoint)
		label("Commit", "%s", cliui.ShortID(v.ID))
	default:
		label("Commit", "%s", cliui.ShortID(v.ID))
		label("Checkpoint", "%s", v.Checkpoint)
	}
	if v.Label != "" {
		label("Label", "%s", cliui.ShownLine(v.Label))
	}
	kind := kindWords[v.Kind]
	if v.Kind == "saved" || v.Kind == "auto" || v.Kind == "rewind" || v.Why == shadow.WhyInterrupted {
		kind += fmt.Sprintf(" (%s)", cliui.ShownLine(v.Why))
	}
	label("Kind", "%s", kind)
	label("Made", "%s", v.Date.Local().Format("2006-01-02 15:04:05 -0700"))
	if v.SessionID != "" {
		turn := ""
		if v.Turn > 0 {
			turn = fmt.Sprintf(", turn %d", v.Turn)
		}
		label("Session", "%s (%s)%s", cliui.ShownLine(v.SessionID), cliui.ShownLine(string(cliui.AgentOr(v.Agent))), turn)
	}
	for _, f := range []struct{ name, text string }{
		{"Prompt", v.Prompt}, {"Message", v.Message}, {"After message", v.MessageID}, {"Task", v.ToolUseID},
	} {
		if f.text != "" && !(f.name == "Message" && v.Label != "") {
			label(f.name, "%s", cliui.ShownLine(f.text))
		}
	}
	switch on := cliui.ShortID(v.Head); {
	case on != "" && v.Branch != "":
		label("On", "%s (%s)", on, cliui.ShownLine(v.Branch))
	case on != "":
		label("On", "%s", on)
	}
	if v.TakenBy != "" {
		label("Taken by", "commit %s", strings.TrimSpace(cliui.ShortID(v.TakenBy)+"  "+v.TakenIn))
	}
	b.WriteString("\n" + StatText(v.Changes, t))
	WriteUncaptured(&b, gaps, nil)
	if more > 0 {
		fmt.Fprintf(&b, "  Not captured: %d more, which the list does not name\n", more)
	}
	how := "To go back to it: entire rewind " + cliui.ShortID(v.ID)
	if v.IsLogsOnly {
		how = "To restore its conversation: entire rewind " + cliui.ShortID(v.ID) + "\nTo restore its files: entire restore " + cliui.ShortID(v.ID)
	}
	fmt.Fprintf(&b, "\n%s\n", how)
	return b.String()
}

// StatText lists changed files for people.
func StatText(changes []git.LineCount, t term.Terminal) string {
	if len(changes) == 0 {
		return "No file changed.\n"
	}
	var b strings.Builder
	added, removed := 0, 0
	marks := map[string]string{"create": "A", "write": "M", "mode": "M", "remove": "D"}
	for i, f := range ChangedFiles(changes) {
		mark := marks[f.Action]
		switch mark {
		case "A":
			mark = t.Styled(term.Good, mark)
		case "D":
			mark = t.Styled(term.Bad, mark)
		}
		note := cliui.LineCounts(f.Insertions, f.Deletions)
		if f.Action == "mode" {
			note = fmt.Sprintf(" (mode %o to %o)", changes[i].OldMode, changes[i].NewMode)
		}
		fmt.Fprintf(&b, "  %s %s%s\n", mark, cliui.ShownName(f.Path), t.Styled(term.Faint, note))
		added, removed = added+max(f.Insertions, 0), removed+max(f.Deletions, 0)
	}
	fmt.Fprintf(&b, "%s changed, +%d -%d\n", cliui.Count(len(changes), "file"), added, removed)
	return b.String()
}

// A PointView is a point as `entire checkpoints` shows it, and its JSON form: the fields of
// `rewind --list`, and more.
type PointView struct {
	ID         string          `json:"id"`
	Kind       string          `json:"kind"`
	Message    string          `json:"message"`
	Date       time.Time       `json:"date"`
	Label      string          `json:"label,omitempty"`
	Why        string          `json:"why,omitempty"`
	SessionID  string          `json:"session_id,omitempty"`
	Agent      agent.AgentType `json:"agent,omitempty"`
	Prompt     string          `json:"session_prompt,omitempty"`
	Turn       int             `json:"turn,omitempty"`
	MessageID  string          `json:"message_id,omitempty"`
	ToolUseID  string          `json:"tool_use_id,omitempty"`
	Checkpoint string          `json:"condensation_id,omitempty"`
	Head       string          `json:"head,omitempty"`
	Branch     string          `json:"branch,omitempty"`
	TakenBy    string          `json:"taken_by,omitempty"`
	TakenIn    string          `json:"taken_in,omitempty"`
	IsLogsOnly bool            `json:"is_logs_only"`
	Files      int             `json:"files"` // number of changed files
	Insertions int             `json:"insertions"`
	Deletions  int             `json:"deletions"`

	Changes []git.LineCount `json:"-"`
}

// What describes the point: its label, or else its subject, and the commit that took it.
func (v PointView) What() string {
	what := v.Message
	if v.Label != "" {
		what = v.Label
	}
	if what = cliui.ShortLine(what, cliui.MessageRunes); v.TakenBy != "" {
		what += " (in " + cliui.ShortID(v.TakenBy) + ")"
	}
	return what
}

// kindOf returns the kind of a point in one word.
func kindOf(p step.RewindPoint) string {
	kind := shadow.StepKind("")
	switch {
	case p.IsTaskCheckpoint:
		kind = shadow.StepTask
	case rewind.IsCommit(p):
		return string(timeline.Commit)
	case p.Why == shadow.WhyLabel:
		kind = shadow.StepLabel
	case p.Label == "" && (p.Why == shadow.WhyRewind || p.Why == shadow.WhyUndo || p.Why == shadow.WhyRedo):
		return string(timeline.Rewind)
	}
	return string(timeline.KindOf(kind, p.Label, p.Why))
}

func ViewPoint(p step.RewindPoint) PointView {
	return PointView{
		ID: p.ID, Kind: kindOf(p), Message: p.Message, Date: p.Date, Label: p.Label, Why: p.Why,
		SessionID: p.SessionID, Agent: p.Agent, Prompt: p.SessionPrompt, Turn: p.Turn, MessageID: p.MessageID,
		ToolUseID: p.ToolUseID, Checkpoint: p.CheckpointID.String(), Head: p.Head, Branch: p.Branch, TakenBy: p.TakenBy, TakenIn: p.TakenIn.String(), IsLogsOnly: p.IsLogsOnly,
	}
}

// ViewPoints returns the views of points, each with what it changed.
func ViewPoints(ctx context.Context, wp *Workplace, points []step.RewindPoint) ([]PointView, error) {
	views := make([]PointView, len(points))
	agents := map[string]agent.AgentType{}
	for i, p := range points {
		views[i] = ViewPoint(p)
		if p.Agent == "" && p.SessionID != "" {
			if _, known := agents[p.SessionID]; !known {
				agents[p.SessionID] = agentOfState(ctx, wp, p.SessionID)
			}
			views[i].Agent = agents[p.SessionID]
		}
	}
	pairs, err := MadeFrom(ctx, wp, points)
	if err != nil {
		return nil, err
	}
	changes, err := wp.Repo.CountLines(ctx, pairs, ".entire")
	if err != nil {
		return nil, err
	}
	for i, of := range changes {
		views[i].changed(of)
	}
	return views, nil
}

func agentOfState(ctx context.Context, wp *Workplace, session string) agent.AgentType {
	sid, err := id.ParseSessionID(session)
	if err != nil {
		return ""
	}
	if st, err := wp.Store.Load(ctx, sid); err == nil {
		return st.AgentType
	}
	return ""
}

func (v *PointView) changed(changes []git.LineCount) {
	v.Changes, v.Files = changes, len(changes)
	for _, c := range changes {
		v.Insertions += max(c.Added, 0)
		v.Deletions += max(c.Removed, 0)
	}
}

// MadeFrom returns, for each point, the tree before it and its own tree. A first step changed the
// commit it was made on; for a label, the tree before it is that of the step that saved the
// worktree first.
func MadeFrom(ctx context.Context, wp *Workplace, points []step.RewindPoint) ([][2]git.OID, error) {
	h := commitReader{wp.Repo.Reader(ctx), map[git.OID]git.Commit{}}
	made, before := make([]git.OID, len(points)), make([]git.OID, len(points))
	for i, p := range points {
		oid, err := git.ParseOID(p.ID)
		if err != nil {
			return nil, err
		}
		made[i] = oid
	}
	if err := h.read(made); err != nil {
		return nil, err
	}
	for i, oid := range made {
		if h.known[oid].OID.IsZero() {
			return nil, fmt.Errorf("read checkpoint %s: it is missing", oid)
		}
		before[i] = timeline.ParentID(h.known[oid])
	}
	if err := h.read(before); err != nil {
		return nil, err
	}
	for i, p := range points {
		if c := h.known[before[i]]; kindOf(p) == "label" && shadow.ParseStep(c.Message).Why == shadow.WhyBeforeLabel {
			before[i] = timeline.ParentID(c)
		}
	}
	if err := h.read(before); err != nil {
		return nil, err
	}
	pairs := make([][2]git.OID, len(made))
	for i := range made {
		is := h.known[made[i]].Tree
		was := h.known[before[i]].Tree
		if was.IsZero() && !before[i].IsZero() { // git has pruned it: the change is unknown
			was = is
		}
		pairs[i] = [2]git.OID{was, is}
	}
	return pairs, nil
}

// A commitReader reads each commit once; known has no entry for a missing one.
type commitReader struct {
	rd    *git.Reader
	known map[git.OID]git.Commit
}

func (r commitReader) read(oids []git.OID) error {
	var specs []string
	for _, oid := range oids {
		if _, known := r.known[oid]; !known && !oid.IsZero() {
			specs = append(specs, oid.String())
		}
	}
	objs, err := r.rd.Objects(specs...)
	if err != nil {
		return err
	}
	for _, o := range objs {
		if o.Type != "commit" {
			continue
		}
		if r.known[o.OID], err = git.ParseCommit(o.OID, o.Data); err != nil {
			return err
		}
	}
	return nil
}
