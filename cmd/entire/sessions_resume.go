package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/internal/term"
	"entire/strategy/resume"
)

// pickerCount bounds how many sessions a person is offered.
const pickerCount = 50

type againOptions struct {
	at                string
	fork, force, json bool
}

func (w *world) sessionsResumeCommand() *cobra.Command {
	var o againOptions
	cmd := &cobra.Command{
		Use:   "resume [ID]",
		Short: "Continue a session",
		Long: `Write a session's transcript where its agent looks for it, if it is missing there,
and print the command that continues it. An existing transcript stays, unless you
give --force; then it is kept under another name.

With --at or --fork it makes a new session instead, which continues from that
message, or from the end; the original does not change. Without an ID a person at a
terminal chooses.

To continue the work of a branch, see ` + "`entire resume BRANCH`" + `.`,
		Example: `  entire sessions resume
  entire sessions resume 6e1f0d2
  entire sessions resume 6e1f0d2 --at 1a2252ee   # as it was then, as a new session`,
		Args:              atMostOneArgument,
		ValidArgsFunction: w.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.withLibrary(cmd.Context(), func(l *library) error {
				s, err := l.named(cmd.Context(), args)
				if err != nil {
					return err
				}
				return l.goOn(cmd.Context(), s, o)
			})
		},
	}
	w.againFlags(cmd, &o)
	cmd.Flags().BoolVar(&o.fork, "fork", false, "as a new session")
	cmd.Flags().BoolVarP(&o.force, "force", "f", false, "replace an existing transcript")
	return cmd
}

func (w *world) againFlags(cmd *cobra.Command, o *againOptions) {
	cmd.Flags().StringVar(&o.at, "at", "", "the new session ends with this message (the beginning of its UUID)")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("at", w.completeMessage)
}

func (w *world) sessionsForkCommand() *cobra.Command {
	o := againOptions{fork: true}
	cmd := &cobra.Command{
		Use:   "fork ID",
		Short: "Make a new session that continues from a message of another",
		Long: `Make a new session of another one's messages up to one of them, or to its end, and
print the command that continues it. The original does not change.`,
		Example: `  entire sessions fork 6e1f0d2
  entire sessions fork 6e1f0d2 --at 1a2252ee`,
		Args:              oneArgument,
		ValidArgsFunction: w.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.withLibrary(cmd.Context(), func(l *library) error {
				s, err := l.find(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return l.goOn(cmd.Context(), s, o)
			})
		},
	}
	w.againFlags(cmd, &o)
	return cmd
}

func (w *world) sessionsContinueCommand() *cobra.Command {
	var o againOptions
	cmd := &cobra.Command{
		Use:   "continue",
		Short: "Continue the latest session of this folder",
		Long: `Continue the session that was last updated in this folder; if there is none, in
this worktree; if there is none, in this project. It then does what
` + "`entire sessions resume`" + ` does.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return w.withLibrary(cmd.Context(), func(l *library) error {
				s, err := l.latest(cmd.Context())
				if err != nil {
					return err
				}
				return l.goOn(cmd.Context(), s, o)
			})
		},
	}
	cmd.Flags().BoolVar(&o.fork, "fork", false, "as a new session")
	cmd.Flags().BoolVarP(&o.force, "force", "f", false, "replace an existing transcript")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object")
	return cmd
}

func atMostOneArgument(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	return oneArgument(cmd, args)
}

// named returns the session that the arguments name, or that a person chooses.
func (l *library) named(ctx context.Context, args []string) (listedSession, error) {
	if len(args) > 0 {
		if s, err := l.findByID(ctx, args[0]); errors.Is(err, resume.ErrNoSession) && l.isBranch(ctx, args[0]) {
			return s, failf(fmt.Sprintf("did you mean `entire resume %s`?", args[0]), "%w", err)
		}
		return l.find(ctx, args[0])
	}
	t := l.w.terminal()
	if !t.Interactive {
		return listedSession{}, failf("name it (`entire sessions list` shows them), or use `entire sessions continue`", "which session? %w", term.ErrNotInteractive)
	}
	all, err := l.here(ctx)
	if err != nil {
		return listedSession{}, err
	}
	if len(all) == 0 {
		return listedSession{}, failf("`entire sessions list --all` shows those of other projects", "no session in this project yet")
	}
	all = all[:min(len(all), pickerCount)]
	i, err := t.Select(ctx, "Continue which session?", pickerLabels(all, l.w))
	if err != nil {
		return listedSession{}, fmt.Errorf("selection cancelled: %w", err)
	}
	return all[i], nil
}

// pickerLabels returns the rows of the table without colours: the picker adds its own.
func pickerLabels(all []listedSession, w *world) []string {
	width := max(term.Width(w.err)-4, 40) // the picker's own margin
	table := strings.TrimSuffix(sessionTable(all, term.Terminal{}, width, w.now(), false), "\n")
	return strings.Split(table, "\n")[1:]
}

func (l *library) isBranch(ctx context.Context, name string) bool {
	if l.wp == nil {
		return false
	}
	names, err := resume.Branches(ctx, l.wp.engine)
	if err != nil {
		return false
	}
	for _, branch := range names {
		if branch == name {
			return true
		}
	}
	return false
}

// latest returns the session to continue in this folder: the last updated in the folder, or else
// in the worktree, or else in the project.
func (l *library) latest(ctx context.Context) (listedSession, error) {
	all, err := l.here(ctx)
	if err != nil {
		return listedSession{}, err
	}
	if len(all) == 0 {
		return listedSession{}, failf("`entire sessions list --all` shows those of other projects", "no session in this folder yet")
	}
	dir, top := resolved(l.dir), resolved(l.ident.Top)
	best, rank := 0, 0
	for i, s := range all { // last updated first
		r := 1
		switch folder := resolved(s.Folder); {
		case s.Folder == "":
		case folder == dir:
			r = 3
		case within(top, folder):
			r = 2
		}
		if r > rank {
			best, rank = i, r
		}
	}
	return all[best], nil
}

// An againView is the result of continuing a session, and its JSON form.
type againView struct {
	SessionID string          `json:"session_id"`
	Agent     agent.AgentType `json:"agent"`
	Path      string          `json:"path"` // of its transcript
	Prompt    string          `json:"prompt,omitempty"`
	Command   string          `json:"resume_command"`
	Folder    string          `json:"folder"`   // where to run the command
	Restored  bool            `json:"restored"` // false: an existing transcript was kept
	Parent    string          `json:"parent_id,omitempty"`
	ForkedAt  string          `json:"fork_point,omitempty"`
}

// goOn carries out resume, continue and fork.
func (l *library) goOn(ctx context.Context, s listedSession, o againOptions) error {
	do := l.again
	if o.fork || o.at != "" {
		do = l.fork
	}
	v, err := do(ctx, s, o)
	if err != nil {
		return err
	}
	if o.json {
		return l.w.printJSON(v)
	}
	l.tellAround(ctx, s)
	if v.Restored {
		fmt.Fprintf(l.w.err, "Writing transcript to: %s\n", v.Path)
	}
	fmt.Fprintf(l.w.out, "Session: %s\n", v.SessionID)
	if v.Command == "" {
		fmt.Fprintf(l.w.err, "Entire does not know how its agent continues a session.\n")
		return nil
	}
	_, err = fmt.Fprintf(l.w.out, "To continue this session, run:\n  %s%s\n", l.commandFrom(v), comment(shortLine(v.Prompt, promptRunes)))
	return err
}

// commandFrom returns the command to type in the current directory.
func (l *library) commandFrom(v againView) string {
	if v.Folder == "" || resolved(v.Folder) == resolved(l.dir) {
		return v.Command
	}
	return "cd " + shellWord(v.Folder) + " && " + v.Command
}

// shellWord quotes a path for a shell if necessary.
func shellWord(path string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("/._-+@:,", r) || r > 127
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// again restores a session's transcript.
func (l *library) again(ctx context.Context, s listedSession, o againOptions) (againView, error) {
	sid, err := parsedID(s)
	if err != nil {
		return againView{}, err
	}
	homes := l.homes(ctx, s)
	transcript, err := l.transcript(ctx, s)
	if err != nil && !(errors.Is(err, errNoTranscript) && hasFile(homes.Live(agent.For(s.Agent), sid, nil))) {
		return againView{}, err
	}
	log, err := homes.PlanRestore(sid, s.Agent, transcript, o.force && len(transcript) > 0)
	if err != nil {
		return againView{}, l.notResumed(s, err)
	}
	if log.Stays() && !o.force {
		l.tellLonger(log.Path, transcript, s)
	}
	if err := log.Write(); err != nil {
		return againView{}, err
	}
	return againView{
		SessionID: s.ID, Agent: s.Agent, Path: log.Path, Prompt: cmp.Or(s.Title, s.Description), Command: log.ResumeCommand,
		Folder: l.folderFor(s, homes, log.Path), Restored: !log.Stays(), Parent: s.Parent, ForkedAt: s.ForkedAt,
	}, nil
}

func (l *library) notResumed(s listedSession, err error) error {
	return failf(fmt.Sprintf("`entire sessions show %s --messages` shows what was said", shownSession(s.ID)), "%w", err)
}

// folderFor returns where the agent must start to find the transcript at path, "" if unknown.
func (l *library) folderFor(s listedSession, homes homesOf, path string) string {
	a := agent.For(s.Agent)
	for _, dir := range []string{l.dir, resolved(l.dir), homes.Top, s.Folder} {
		if dir == "" {
			continue
		}
		for _, folder := range a.Folders(homes.Home, dir, readIfThere) {
			if folder == filepath.Dir(path) {
				return dir
			}
		}
	}
	return ""
}
