package rescuecmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/rescue"
	"entire/internal/rescue/gather"
)

// histories are the conversations on the machine that may speak of a worktree.
type histories struct {
	sessions    map[string]bool // whose conversations were found
	transcripts []gather.Transcript
	former      []string // folders in which the worktree was, as conversations tell
	notes       []string
}

// historiesOf finds the conversations of all agents that speak of the worktree, or of a folder in which it was.
func historiesOf(ctx context.Context, env *cliui.Env, repo *git.Repo, home string, former []string, tell func(string)) (*histories, error) {
	m := rescue.Machine{Home: home, Getenv: env.Getenv}
	if home != env.Home() {
		m.Getenv = func(string) string { return "" } // the variables are about this machine
	}
	found, err := rescue.Find(ctx, m, func(looked, found int) {
		tell(fmt.Sprintf("agents' histories: %d of %d", looked, found))
	})
	if err != nil {
		return nil, fmt.Errorf("find agents' histories: %w", err)
	}
	h := &histories{former: former, sessions: map[string]bool{}}
	for _, p := range found.Problems {
		h.notes = append(h.notes, fmt.Sprintf("%s could not be read: %v", cliui.ShownName(p.Path), p.Err))
	}
	h.addFormer(ctx, env, repo, found.Conversations)
	tops := append([]string{repo.Top}, h.former...)
	if real, err := filepath.EvalSymlinks(repo.Top); err == nil && real != repo.Top {
		tops = append(tops, real)
	}
	for i := range found.Conversations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h.sessions[found.Conversations[i].Session] = true
		h.add(ctx, &found.Conversations[i], tops)
	}
	h.addElsewhere(ctx, env, tops)
	return h, nil
}

// add adds the files of a conversation that speak of one of the folders.
func (h *histories) add(ctx context.Context, c *rescue.Conversation, tops []string) {
	name := string(c.Agent)
	if ag, ok := agents.ByType(c.Agent); ok {
		if keeper, ok := ag.(agent.DocumentKeeper); ok {
			h.transcripts = append(h.transcripts, documentsOf(ag, keeper, c, tops)...)
			return
		}
	}
	here := c.Folder != "" && slices.ContainsFunc(tops, func(top string) bool { return cliui.IsWithin(top, c.Folder) || c.Folder == top })
	if c.InDatabase() {
		if c.Unread == "" && here {
			h.transcripts = append(h.transcripts, gather.Transcript{Path: c.Session, Agent: c.Agent, Name: name, Lines: func() ([]byte, error) { return c.Lines(ctx) }})
		}
		return
	}
	for _, f := range c.Files {
		ext := filepath.Ext(f.Path)
		if f.Kind != agent.HistoryNote && (ext == ".jsonl" || ext == ".json" || ext == ".zst") && (here || mentions(f.Path, tops)) {
			h.transcripts = append(h.transcripts, gather.Transcript{Path: f.Path, Agent: c.Agent, Name: name})
		}
	}
}

// documentsOf returns a conversation that an agent keeps as documents, if one of them speaks of the folders.
func documentsOf(ag agent.Agent, keeper agent.DocumentKeeper, c *rescue.Conversation, tops []string) []gather.Transcript {
	sid, err := id.ParseSessionID(c.Session)
	if err != nil || !slices.ContainsFunc(c.Files, func(f rescue.File) bool { return mentions(f.Path, tops) }) {
		return nil
	}
	return []gather.Transcript{{Path: c.Path, Agent: ag.Type(), Name: string(ag.Type()), Lines: func() ([]byte, error) {
		documents := map[string][]byte{}
		for _, f := range c.Files {
			if text, err := durable.ReadPlain(f.Path, agent.MaxTranscript); err == nil {
				documents[f.Path] = text
			}
		}
		lines, _ := keeper.Lines(sid, documents)
		return lines, nil
	}}}
}

// addStored adds the conversations that are kept in the store of the project and that no agent has any more. Their texts
// are without secrets.
func (h *histories) addStored(ctx context.Context, l *sessionlib.Library) error {
	list, err := l.Here(ctx)
	if err != nil {
		return err
	}
	for _, s := range list {
		if h.sessions[s.ID] {
			continue
		}
		if s.Folder != "" && !cliui.IsDir(s.Folder) && !slices.Contains(h.former, s.Folder) {
			h.former = append(h.former, s.Folder)
		}
		h.transcripts = append(h.transcripts, gather.Transcript{Path: s.ID, Agent: s.Agent, Name: "stored " + string(s.Agent), Loose: true,
			Lines: func() ([]byte, error) {
				text, err := l.Transcript(ctx, s)
				if err != nil {
					return nil, nil // none is stored
				}
				return text, nil
			}})
	}
	return nil
}

// addElsewhere adds transcripts in the folders that the environment names for tests.
func (h *histories) addElsewhere(ctx context.Context, env *cliui.Env, tops []string) {
	for name, dir := range workplace.TranscriptDirs(env) {
		ag, ok := agents.Lookup(name)
		if !ok || ctx.Err() != nil {
			continue
		}
		files, _ := os.ReadDir(dir)
		for _, f := range files {
			path := filepath.Join(dir, f.Name())
			if strings.HasPrefix(filepath.Ext(path), ".json") && mentions(path, tops) {
				h.transcripts = append(h.transcripts, gather.Transcript{Path: path, Agent: ag.Type(), Name: string(ag.Type())})
			}
		}
	}
}

// mentions reports whether a file has the name of one of the folders in it.
func mentions(file string, tops []string) bool {
	f, err := durable.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	var names [][]byte
	longest := 0
	for _, top := range tops {
		quoted := strings.ReplaceAll(top, `\`, `\\`)
		names, longest = append(names, []byte(quoted)), max(longest, len(quoted))
	}
	buf := make([]byte, 1<<20)
	kept := 0
	for {
		n, err := io.ReadFull(f, buf[kept:])
		part := buf[:kept+n]
		for _, name := range names {
			if bytes.Contains(part, name) {
				return true
			}
		}
		if err != nil {
			return false
		}
		kept = min(longest, len(part))
		copy(buf, part[len(part)-kept:])
	}
}
