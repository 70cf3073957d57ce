package resume

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/durable"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
	"entire/strategy/turn"
)

// A Part is what lists show of one session in a checkpoint.
type Part struct {
	Checkpoint id.CheckpointID
	SessionID  string
	Strategy   string
	CreatedAt  time.Time
	IsTask     bool
	ToolUseID  string
	Branch     string
	Files      []string
	Summary    *metadata.Summary // nil if none was made

	first, last string // prompts, shortened
	named       string // the checkpoint that its document names
}

// A listedConversation is what a checkpoint says of a conversation.
type listedConversation struct {
	session        string
	agent          agent.AgentType
	written, began time.Time
	stored         bool
	messages       int
	title          string
	info           []byte // a metadata.MessagesInfo; nil if none counts
}

// An entry is what the index has of one version of a checkpoint.
type entry struct {
	records.Version
	complete bool // otherwise it is read again next time
	parts    []Part
	listed   []listedConversation
}

func entryOf(d *records.Digest) *entry {
	e := &entry{Version: d.Version, complete: d.Complete}
	for i, one := range d.Stored.Sessions {
		m := one.Metadata
		if one.Err != nil || m.SessionID == "" {
			continue
		}
		p := Part{Checkpoint: d.ID, SessionID: m.SessionID, Strategy: m.Strategy, CreatedAt: m.CreatedAt, IsTask: m.IsTask, ToolUseID: m.ToolUseID,
			Branch: m.Branch, Files: m.FilesTouched, Summary: m.Summary, named: m.CheckpointID.String()}
		if p.Branch == "" {
			p.Branch = d.Stored.Summary.Branch
		}
		if prompts := d.Prompts[i]; len(prompts) > 0 {
			p.first = agent.ShortPrompt(prompts[0], turn.FirstPromptRunes)
			p.last = agent.ShortPrompt(prompts[len(prompts)-1], turn.FirstPromptRunes)
		}
		e.parts = append(e.parts, p)
	}
	for _, c := range d.Conversations {
		t := listedConversation{session: c.SessionID, agent: c.Agent, written: c.Written, began: c.Metadata.CreatedAt, stored: c.Stored, messages: c.Messages}
		if len(c.Prompts) > 0 {
			t.title = transcript.TitleOf(c.Prompts)
		}
		if c.Info != nil {
			info := *c.Info
			info.Hash, info.Transcript = "", "" // lists need neither
			t.info, _ = json.Marshal(info)
		}
		e.listed = append(e.listed, t)
	}
	return e
}

func (t *listedConversation) messagesInfo() *metadata.MessagesInfo {
	var info metadata.MessagesInfo
	if t.info == nil || json.Unmarshal(t.info, &info) != nil {
		return nil
	}
	return &info
}

const (
	// indexMin is the number of checkpoints from which the index is kept; fewer are read as quickly.
	indexMin = 64

	// indexLate is how many new checkpoints are read each time before the index is written again.
	indexLate = 16

	indexMax = 512 << 20
)

// indexPath returns the file that keeps the index. It may be deleted at any time.
func indexPath(s *sessionstate.Env) string {
	return filepath.Join(s.Repo.CommonDir, "entire", "cache", "checkpoints")
}

// DropIndex deletes what is kept of checkpoints for lists, which has beginnings of prompts; the next list makes it
// again.
func DropIndex(s *sessionstate.Env) error { return durable.Remove(indexPath(s)) }

// readIndex returns an entry for every version of every checkpoint of a state: the version that counts, if there are
// several, is the first. Only versions that the kept index lacks are read from git: a version never changes.
func readIndex(ctx context.Context, s *sessionstate.Env, r *records.Reader, state records.State) ([]*entry, error) {
	versions, err := r.EveryVersion(ctx, state)
	if err != nil {
		return nil, err
	}
	var known map[records.Version]*entry
	if len(versions) >= indexMin {
		known = loadIndex(s)
	}
	all := make([]*entry, len(versions))
	var fresh []records.Version
	var places []int
	for i, v := range versions {
		if all[i] = known[v]; all[i] == nil {
			fresh, places = append(fresh, v), append(places, i)
		}
	}
	read := 0
	err = r.Digests(ctx, fresh, func(d *records.Digest) {
		all[places[0]] = entryOf(d)
		places = places[1:]
		if d.Complete {
			read++
		}
	})
	if err != nil {
		return nil, err
	}
	gone := len(known) > len(versions)-len(fresh)
	if len(versions) >= indexMin && (read > indexLate || read > 0 && len(known) == 0 || gone) && !s.Repo.HasKeys(ctx) {
		saveIndex(s, all)
	}
	return all, nil
}

func loadIndex(s *sessionstate.Env) map[records.Version]*entry {
	data, err := durable.Read(indexPath(s), indexMax)
	if err != nil {
		return nil
	}
	list, err := decodeIndex(data)
	if err != nil {
		return nil
	}
	known := make(map[records.Version]*entry, len(list))
	for _, e := range list {
		known[e.Version] = e
	}
	return known
}

// saveIndex keeps what was read completely. Without it, the next list takes longer.
func saveIndex(s *sessionstate.Env, all []*entry) {
	complete := slices.DeleteFunc(slices.Clone(all), func(e *entry) bool { return !e.complete })
	if os.MkdirAll(filepath.Dir(indexPath(s)), 0o700) != nil {
		return
	}
	_ = durable.WriteCache(indexPath(s), encodeIndex(complete), 0o600)
}

// partsOf returns the parts of the versions that count, sorted by checkpoint.
func partsOf(all []*entry) (parts []Part) {
	seen := make(map[id.CheckpointID]bool, len(all))
	first := make([]*entry, 0, len(all))
	for _, e := range all {
		if !seen[e.ID] {
			seen[e.ID] = true
			first = append(first, e)
		}
	}
	slices.SortFunc(first, func(a, b *entry) int { return a.ID.Compare(b.ID) })
	for _, e := range first {
		parts = append(parts, e.parts...)
	}
	return parts
}
