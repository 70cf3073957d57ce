package checkpointcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/tombstone"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/term"
	"entire/strategy/maintain"
)

// A forgetView is what is, or would be, forgotten, and its JSON form.
type forgetView struct {
	DryRun      bool                 `json:"dry_run"`
	Checkpoints []forgetItem         `json:"checkpoints"`
	Already     []metadata.Tombstone `json:"already_forgotten,omitempty"`
	Files       int                  `json:"stored_files"`
	Bytes       int64                `json:"bytes"`
	Old         string               `json:"old_tip,omitempty"`
	Tip         string               `json:"tip,omitempty"`
	Held        []heldRef            `json:"still_held_by"` // afterwards
}

type forgetItem struct {
	ID       string          `json:"checkpoint_id"`
	Files    []string        `json:"files_touched"`
	Sessions []forgetSession `json:"sessions"`
	Commits  []namingCommit  `json:"commits"`
}

type forgetSession struct {
	ID     string   `json:"session_id"`
	Agent  string   `json:"agent,omitempty"`
	Prompt string   `json:"prompt,omitempty"`
	Open   bool     `json:"open,omitempty"`    // its next checkpoint will hold the conversation again
	AlsoIn []string `json:"also_in,omitempty"` // other checkpoints with its conversation
}

type namingCommit struct {
	Commit  string `json:"commit"`
	Subject string `json:"subject"`
}

type heldRef struct {
	Ref  string `json:"ref"`
	Hint string `json:"hint"`
}

func (v *forgetView) hold(refs []string) {
	for _, ref := range refs {
		v.Held = append(v.Held, heldRef{ref, maintain.ForgottenHint(ref)})
	}
}

// viewForgetting adds the checkpoints to v, and measures them.
func viewForgetting(ctx context.Context, wp *workplace.Workplace, ids []id.CheckpointID, v forgetView) (forgetView, tombstone.Extent, error) {
	reader := records.NewReader(wp.Repo)
	extent, err := tombstone.ExtentOf(ctx, reader, ids)
	if err != nil {
		return v, extent, err
	}
	v.Files, v.Bytes = extent.Files, extent.Bytes
	stored, err := reader.ReadMany(ctx, ids)
	if err != nil {
		return v, extent, err
	}
	if len(stored) != len(ids) {
		for _, cp := range ids {
			if _, err := reader.Read(ctx, cp); errors.As(err, new(*metadata.ElsewhereError)) {
				return v, extent, err
			}
		}
		return v, extent, fmt.Errorf("%s disappeared while being read", cliui.Count(len(ids)-len(stored), "checkpoint"))
	}
	all, err := reader.ListIDs(ctx)
	if err != nil {
		return v, extent, err
	}
	listed, err := reader.List(ctx, all)
	if err != nil {
		return v, extent, err
	}
	for i, cp := range ids {
		commits, err := workplace.CommitsOf(ctx, wp.Repo, cp, true)
		if err != nil {
			return v, extent, err
		}
		item := forgetItem{ID: cp.String(), Files: cliui.NotNil(stored[i].Summary.FilesTouched), Commits: []namingCommit{}, Sessions: []forgetSession{}}
		for _, c := range commits {
			item.Commits = append(item.Commits, namingCommit{c.ID, c.Message})
		}
		for _, s := range stored[i].Sessions {
			fs := forgetSession{ID: s.Metadata.SessionID, Agent: string(s.Metadata.Agent), Open: isOpen(ctx, wp, s.Metadata.SessionID)}
			fs.find(listed, cp, ids)
			item.Sessions = append(item.Sessions, fs)
		}
		v.Checkpoints = append(v.Checkpoints, item)
	}
	return v, extent, nil
}

// find adds the session's last prompt in the checkpoint cp, and the checkpoints beside ids that have the session too.
func (f *forgetSession) find(listed []records.Listed, cp id.CheckpointID, ids []id.CheckpointID) {
	for _, l := range listed {
		switch {
		case l.ID == cp:
			if prompts := l.PromptsOf(f.ID); len(prompts) > 0 {
				f.Prompt = cliui.FirstLine(prompts[len(prompts)-1])
			}
		case !slices.Contains(ids, l.ID) && slices.Contains(l.SessionIDs, f.ID):
			f.AlsoIn = append(f.AlsoIn, l.ID.String())
		}
	}
}

// isOpen reports whether a session is known here and has not ended.
func isOpen(ctx context.Context, wp *workplace.Workplace, name string) bool {
	sid, err := id.ParseSessionID(name)
	if err != nil {
		return false
	}
	state, err := wp.Store.Load(ctx, sid)
	return err == nil && state.EndedAt == nil
}

func tellForgotten(env *cliui.Env, v forgetView, o forgetOptions) error {
	if o.json {
		return env.PrintJSON(v)
	}
	text := v.text(v.DryRun)
	if v.Tip != "" {
		text += v.afterwards()
	}
	_, err := fmt.Fprint(env.Out, text)
	return err
}

// text describes what was forgotten or, if coming, what will be.
func (v forgetView) text(coming bool) string {
	var b strings.Builder
	for _, t := range v.Already {
		fmt.Fprintf(&b, "Checkpoint %s was %s already.\n", t.ID, cliui.ShownLine(t.String()))
	}
	if len(v.Checkpoints) == 0 {
		return b.String()
	}
	verb := "Forgotten"
	if coming {
		verb = "To be forgotten"
	}
	fmt.Fprintf(&b, "%s: %s (%s, %s, in all versions)\n", verb, cliui.Count(len(v.Checkpoints), "checkpoint"), cliui.Count(v.Files, "stored file"), cliui.ByteCount(v.Bytes))
	for _, c := range v.Checkpoints {
		fmt.Fprintf(&b, "\n  %s\n", c.ID)
		for _, s := range c.Sessions {
			fmt.Fprintf(&b, "    Session %s (%s): %s\n", cliui.ShownSession(s.ID), cliui.ShownLine(string(cliui.AgentOr(agent.AgentType(s.Agent)))), cliui.ShortLine(s.Prompt, cliui.PromptRunes))
		}
		if len(c.Files) > 0 {
			fmt.Fprintf(&b, "    Files of the work: %s\n", cliui.SomeNames(c.Files))
		}
		for _, commit := range c.Commits {
			fmt.Fprintf(&b, "    Named by %s %s\n", cliui.ShortID(commit.Commit), cliui.ShownLine(commit.Subject))
		}
		if len(c.Commits) == 0 {
			b.WriteString("    Named by no commit here\n")
		}
	}
	v.writeElsewhere(&b)
	return b.String()
}

// writeElsewhere names the conversations that other checkpoints still hold.
func (v forgetView) writeElsewhere(b *strings.Builder) {
	seen := map[string]bool{}
	for _, c := range v.Checkpoints {
		for _, s := range c.Sessions {
			if seen[s.ID] {
				continue
			}
			seen[s.ID] = true
			if len(s.AlsoIn) > 0 {
				fmt.Fprintf(b, "\nSession %s is also in %s: %s.\nA checkpoint holds the conversation from its beginning, so the earlier part stays there.\n",
					cliui.ShownLine(s.ID), cliui.Count(len(s.AlsoIn), "other checkpoint"), cliui.SomeNames(s.AlsoIn))
			}
			if s.Open {
				fmt.Fprintf(b, "\nSession %s is still open: its next checkpoint will hold the whole conversation again.\n", cliui.ShownSession(s.ID))
			}
		}
	}
}

// afterwards says where the content remains.
func (v forgetView) afterwards() string {
	var b strings.Builder
	b.WriteString("\nNot removed: the conversations in the session store on this machine (`entire sessions delete`) and in the agent's own files.\n")
	for _, h := range v.Held {
		fmt.Fprintf(&b, "Still held by: %s; %s.\n", cliui.ShownName(h.Ref), h.Hint)
	}
	b.WriteString("git keeps unreachable objects for some time. `git gc --prune=now` removes them here, with all other unreachable objects;\nremotes, forks and other clones keep them until they have synced and pruned.\n")
	return b.String()
}

// dropCaches removes the caches that may hold text of forgotten checkpoints: the search index and
// the list of recorded files.
func dropCaches(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) {
	_, err := workplace.DropSearchIndexes(ctx, env, wp.Repo.Top)
	if rerr := os.RemoveAll(filepath.Join(wp.Repo.GitDir, "entire", "cache")); rerr != nil {
		err = rerr
	}
	if err != nil {
		fmt.Fprintf(env.Err, "warning: a cache may still contain their text: %s\n", cliui.OneLine(err.Error()))
	}
}

// A commitBar shows a person how many commits of the branch are done, once that takes longer than
// a second.
type commitBar struct {
	tell func(done, total int)
	done func()
}

func commitProgress(env *cliui.Env) commitBar {
	if !term.IsTerminal(env.Err) {
		return commitBar{func(int, int) {}, func() {}}
	}
	var bar *mpb.Bar
	late := make(chan struct{})
	timer := time.AfterFunc(time.Second, func() { close(late) })
	all := mpb.New(mpb.WithOutput(term.Raw(env.Err)), mpb.WithWidth(40), mpb.WithRenderDelay(late), mpb.WithAutoRefresh())
	return commitBar{
		tell: func(done, total int) {
			if bar == nil {
				bar = all.AddBar(int64(total), mpb.BarRemoveOnComplete(), mpb.PrependDecorators(decor.Name("rewriting the history ")),
					mpb.AppendDecorators(decor.CountersNoUnit("%d of %d commits")))
			}
			bar.SetCurrent(min(int64(done), int64(total)-1))
		},
		done: func() {
			timer.Stop()
			if bar != nil {
				bar.Abort(true)
			}
			all.Wait()
		},
	}
}
