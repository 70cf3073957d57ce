package sessioncmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/check"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/term"
	"entire/session"
)

// problemsShown bounds the problems of one transcript in the text for people.
const problemsShown = 10

// repairedSuffix precedes the extension in the name of a repaired copy.
const repairedSuffix = ".repaired"

type checkOptions struct {
	repair, json bool
	agent        string
}

func sessionsCheckCommand(env *cliui.Env) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [ID | FILE]",
		Short: "Find what is broken in transcripts, and what a resume would see",
		Long: `Read a session's transcripts to their end: the agent's own, the one kept here, and
the messages in it; or those of all sessions of this project; or a file. It finds
torn lines, duplicate IDs, broken chains of messages, calls without results, and
says how much of the conversation the agent would see if it continued.

It exits with 1 if there is a problem. --repair writes a repaired copy next to the
original, which does not change, and says where.`,
		Example: `  entire sessions check
  entire sessions check 6e1f0d2
  entire sessions check ~/.claude/projects/-home-me-app/6e1f0d2a.jsonl --repair`,
		Args: cliui.AtMostOneArgument,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			ids, how := sessionlib.CompleteSession(env)(cmd, args, begun)
			if len(args) == 0 { // or a file
				how &^= cobra.ShellCompDirectiveNoFileComp
			}
			return ids, how
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error { return checkTranscripts(cmd.Context(), l, args, o) })
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.repair, "repair", false, "write a repaired copy next to each broken transcript")
	f.BoolVar(&o.json, "json", false, "print a JSON array")
	f.StringVar(&o.agent, "agent", "", "the `AGENT` of a file's transcript: "+strings.Join(workplace.AgentNames(), ", "))
	cmd.RegisterFlagCompletionFunc("agent", workplace.CompleteAgents)
	return cmd
}

// The parts of a session that are checked.
const (
	checkedLive     = "agent"    // the agent's own transcript
	checkedKept     = "store"    // the stored records
	checkedMessages = "messages" // the messages in the stored records
	checkedFile     = "file"
)

// A checkedView is the result for one transcript, and its JSON form.
type checkedView struct {
	SessionID string `json:"session_id,omitempty"`
	What      string `json:"what"`
	Path      string `json:"path,omitempty"`
	OK        bool   `json:"ok"`
	check.TranscriptReport
	RepairedTo string         `json:"repaired_to,omitempty"`
	Repairs    *check.Repairs `json:"repairs,omitempty"`
}

func checkTranscripts(ctx context.Context, l *sessionlib.Library, args []string, o checkOptions) error {
	views, err := checked(ctx, l, args, o)
	if err != nil {
		return err
	}
	if o.repair {
		for i := range views {
			if err := views[i].repair(); err != nil {
				return err
			}
		}
	}
	if o.json {
		err = l.Env.PrintJSON(cliui.NotNil(views))
	} else {
		_, err = fmt.Fprint(l.Env.Out, checkedText(views, l.Env.Screen(), len(args) == 0))
	}
	if err == nil && slices.ContainsFunc(views, func(v checkedView) bool { return !v.OK }) {
		return cliui.ErrTold
	}
	return err
}

func checked(ctx context.Context, l *sessionlib.Library, args []string, o checkOptions) ([]checkedView, error) {
	if len(args) == 0 {
		all, err := l.Here(ctx)
		if err != nil {
			return nil, err
		}
		return checkedAll(ctx, l, all)
	}
	path := l.Abs(args[0])
	if strings.ContainsRune(args[0], filepath.Separator) || cliui.HasFile(path) {
		v, err := checkFile(path, o.agent)
		return []checkedView{v}, err
	}
	s, err := l.Find(ctx, args[0])
	if err != nil {
		return nil, err
	}
	return checkSession(ctx, l, s)
}

// checkedAll checks every session, and shows a person how far it is.
func checkedAll(ctx context.Context, l *sessionlib.Library, all []sessionlib.ListedSession) (views []checkedView, err error) {
	progress, done := l.Env.Progress()
	defer done()
	err = l.Hold(func() error {
		for i, s := range all {
			progress("sessions", i, len(all))
			of, err := checkSession(ctx, l, s)
			if err != nil {
				return err
			}
			views = append(views, of...)
		}
		progress("sessions", len(all), len(all))
		return nil
	})
	return views, err
}

func checkFile(path, name string) (checkedView, error) {
	about, err := sessionlib.ReadAbout(path, name)
	if err != nil {
		return checkedView{}, err
	}
	return checkTranscript(checkedView{What: checkedFile, Path: path}, about.Agent)
}

func checkTranscript(v checkedView, t agent.AgentType) (checkedView, error) {
	f, err := durable.Open(v.Path)
	if err != nil {
		return v, err
	}
	defer f.Close()
	v.TranscriptReport, err = check.Transcript(t, f)
	v.OK = v.TranscriptReport.OK()
	return v, err
}

// checkSession checks every transcript of a session.
func checkSession(ctx context.Context, l *sessionlib.Library, s sessionlib.ListedSession) ([]checkedView, error) {
	var views []checkedView
	if sid, err := sessionlib.ParsedID(s); err == nil {
		if path := l.Homes(ctx, s).Live(agents.For(s.Agent), sid, nil); cliui.HasFile(path) {
			v, err := checkTranscript(checkedView{SessionID: s.ID, What: checkedLive, Path: path}, s.Agent)
			if err != nil {
				return nil, err
			}
			views = append(views, v)
		}
	}
	if !s.AsGit && !slices.Contains(s.Sources, sessionlib.InStore) {
		return views, nil
	}
	v, err := checkKept(ctx, l, s)
	if err != nil {
		return nil, err
	}
	if v.Lines > 0 {
		views = append(views, v)
	}
	if v, err = checkMessages(ctx, l, s); err == nil && v.Lines > 0 {
		views = append(views, v)
	}
	return views, err
}

// checkKept checks the stored records while they stream.
func checkKept(ctx context.Context, l *sessionlib.Library, s sessionlib.ListedSession) (checkedView, error) {
	v := checkedView{SessionID: s.ID, What: checkedKept}
	in, out := io.Pipe()
	go func() {
		err := l.WriteRaw(ctx, s, out)
		if errors.Is(err, session.ErrNotFound) {
			err = nil
		}
		out.CloseWithError(err)
	}()
	defer in.Close() // ends the writer if it is still writing
	var err error
	v.TranscriptReport, err = check.Transcript(s.Agent, in)
	v.OK = v.TranscriptReport.OK()
	return v, err
}

func checkMessages(ctx context.Context, l *sessionlib.Library, s sessionlib.ListedSession) (checkedView, error) {
	v := checkedView{SessionID: s.ID, What: checkedMessages}
	var bad []check.Problem
	var broken error
	v.TranscriptReport, broken = check.Messages(func(yield func(agent.Message, error) bool) {
		for m, err := range l.Source(ctx, s).Messages(ctx, s.ID) {
			if line := sessionlib.BadLine(err); line != nil {
				bad = append(bad, check.Problem{Kind: check.ProblemMalformed, Detail: line.Error()})
				continue
			}
			if !yield(m, err) {
				return
			}
		}
	})
	if errors.Is(broken, session.ErrNotFound) {
		return v, nil
	}
	v.Agent = s.Agent
	v.Problems = cliui.NotNil(append(bad, v.Problems...))
	v.OK = v.TranscriptReport.OK()
	return v, broken
}

// repair writes a repaired copy of a broken transcript that is a file.
func (v *checkedView) repair() error {
	if v.OK || v.Path == "" {
		return nil
	}
	in, err := durable.Open(v.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	var out bytes.Buffer
	done, err := check.Repair(v.Agent, in, &out)
	if err != nil {
		return fmt.Errorf("%s: %w", v.Path, err)
	}
	if done.IsZero() {
		return nil
	}
	to := besideName(v.Path)
	if err := durable.WriteFile(to, out.Bytes(), 0o600); err != nil {
		return err
	}
	v.RepairedTo, v.Repairs = to, &done
	return nil
}

// besideName returns an unused name for a repaired copy.
func besideName(path string) string {
	ext := filepath.Ext(path)
	stem := strings.TrimSuffix(path, ext) + repairedSuffix
	to := stem + ext
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, os.ErrNotExist) {
			return to
		}
		to = fmt.Sprintf("%s-%d%s", stem, n, ext)
	}
}

// checkedText returns the results as text for people. With many, a session without a problem gets
// one line.
func checkedText(views []checkedView, t term.Terminal, many bool) string {
	if len(views) == 0 {
		return "No transcripts.\n"
	}
	var b strings.Builder
	for len(views) > 0 {
		n := 1
		for n < len(views) && views[n].SessionID == views[0].SessionID {
			n++
		}
		of := views[:n]
		views = views[n:]
		name := t.Styled(term.Strong, cliui.ShownLine(of[0].SessionID))
		switch {
		case many && !slices.ContainsFunc(of, func(v checkedView) bool { return !v.OK }):
			fmt.Fprintf(&b, "Session: %s  %s\n", name, t.Styled(term.Good, "ok"))
			continue
		case of[0].SessionID != "":
			fmt.Fprintf(&b, "Session: %s\n", name)
		}
		for _, v := range of {
			v.write(&b, t)
		}
	}
	return b.String()
}

func (v checkedView) write(b *strings.Builder, t term.Terminal) {
	mark := t.Styled(term.Good, "ok")
	if !v.OK {
		mark = t.Styled(term.Bad, "broken")
	}
	name := map[string]string{checkedLive: "agent's transcript", checkedKept: "kept transcript", checkedMessages: "kept messages", checkedFile: "transcript"}[v.What]
	fmt.Fprintf(b, "  %s: %s, %s, %s\n", name, mark, cliui.Count(v.Messages+v.Sidechain, "message"), v.resumeText())
	if v.Path != "" {
		fmt.Fprintf(b, "    %s\n", t.Styled(term.Faint, cliui.ShownName(v.Path)))
	}
	shown := 0
	for _, p := range v.Problems {
		if p.Normal {
			continue
		}
		if shown++; shown > problemsShown {
			continue
		}
		at := ""
		if p.Line > 0 {
			at = fmt.Sprintf("line %d: ", p.Line)
		}
		fmt.Fprintf(b, "    %s%s: %s\n", at, strings.ReplaceAll(string(p.Kind), "_", " "), cliui.ShownLine(p.Detail))
	}
	if shown > problemsShown {
		fmt.Fprintf(b, "    and %d more\n", shown-problemsShown)
	}
	if v.RepairedTo != "" {
		fmt.Fprintf(b, "    repaired copy: %s\n", cliui.ShownName(v.RepairedTo))
	}
}

// resumeText says how much of the conversation a resume sees, and what became of the other
// messages.
func (v checkedView) resumeText() string {
	r := v.Resume
	text := fmt.Sprintf("a resume sees %.0f%%", 100*r.Share)
	if r.Share > 0.995 && r.Visible < r.Total || r.Share < 1 && r.Share > 0.99 {
		text = fmt.Sprintf("a resume sees %d of %d", r.Visible, r.Total)
	}
	var rest []string
	for _, part := range []struct {
		n    int
		what string
	}{{r.Compacted, "compacted"}, {r.Abandoned, "on abandoned branches"}, {r.Parallel, "on parallel branches"}, {r.Lost, "lost"}} {
		if part.n > 0 {
			rest = append(rest, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	if rest != nil {
		text += " (" + strings.Join(rest, ", ") + ")"
	}
	return text
}
