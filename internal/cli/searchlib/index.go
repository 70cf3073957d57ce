package searchlib

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/git"
	"entire/internal/project"
	"entire/internal/search"
	"entire/internal/vault"
	"entire/session"
)

// rootsFact is the index's name for the metadata branches that it contains.
const rootsFact = "roots"

// A searchFeed feeds the index with the content of a project.
type searchFeed struct {
	store *session.Store
	git   *gitFeed // nil unless the project is that of the current directory
}

// updateIndex brings an index up to date. If another process is updating it, updateIndex says so
// and does not wait.
func (o Options) updateIndex(ctx context.Context, l *sessionlib.Library, x *search.Index, key string) error {
	feed := &searchFeed{store: l.StoreOf(key)}
	if l.Wp != nil && key == l.Ident.Key {
		feed.git = newGitFeed(l)
	}
	entries, facts, err := feed.entries(ctx, x)
	if err != nil {
		return err
	}
	pending, _, removed, err := x.Pending(ctx, entries)
	if err != nil {
		return err
	}
	roots, err := x.Fact(ctx, rootsFact)
	if err != nil || len(pending) == 0 && removed == 0 && facts[rootsFact] == roots {
		return err
	}
	feed.complete(ctx, entries, pending)
	_, size, _, err := x.Pending(ctx, entries)
	if err != nil {
		return err
	}
	tell, ended := func(search.Progress) {}, func() {}
	if o.Progress != nil {
		tell, ended = o.Progress(conversations(pending), size)
	}
	done, err := x.Update(ctx, entries, feed, facts, tell)
	ended()
	if errors.Is(err, search.ErrBusy) {
		fmt.Fprintln(l.Env.Err, "Another process is still indexing, so newer messages may not be found yet.")
		return nil
	}
	// The metadata branch of another project is not read here, so an entry only from there is
	// removed now and comes back later; it needs no scrubbing.
	if err == nil && slices.ContainsFunc(done.Removed, func(c search.Card) bool { return feed.git != nil || c.Source == sessionlib.InStore }) {
		if err = x.Scrub(ctx); errors.Is(err, search.ErrBusy) {
			err = nil // do not wait for another writer
		}
	}
	locked := 0
	for name, why := range done.Failed {
		if errors.Is(why, vault.ErrNoKey) {
			locked++
			continue
		}
		fmt.Fprintf(l.Env.Err, "warning: %s: %s\n", cliui.ShownLine(name), cliui.ShownLine(why.Error()))
	}
	if locked > 0 {
		fmt.Fprintf(l.Env.Err, "%s encrypted and not searched: %v.\n", cliui.Count(locked, "conversation")+isAre(locked), vault.ErrNoKey)
	}
	return err
}

func isAre(n int) string {
	if n == 1 {
		return " is"
	}
	return " are"
}

// conversations returns how many of the entries are sessions.
func conversations(list []search.Entry) (n int) {
	for _, e := range list {
		if e.Kind == search.Conversation {
			n++
		}
	}
	return n
}

// entries returns the sessions of the store, and those that only the metadata branch has.
func (f *searchFeed) entries(ctx context.Context, x *search.Index) (entries []search.Entry, facts map[string]string, err error) {
	stored, err := f.store.ListContext(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("list the stored sessions: %w", err)
	}
	messages, at := map[string]int{}, map[string]int{}
	for _, m := range stored {
		messages[m.ID], at[m.ID] = m.MessageCount, len(entries)
		entries = append(entries, f.storedEntry(m))
	}
	facts = map[string]string{rootsFact: ""}
	if f.git != nil {
		found, roots, err := f.git.entries(ctx, x)
		if err != nil {
			return nil, nil, err
		}
		facts[rootsFact] = roots
		for _, e := range found {
			if e.Kind == search.Checkpoint {
				entries = append(entries, e)
				continue
			}
			// For a session in both, the store's conversation counts, unless the branch has
			// more messages.
			i, known := at[e.Name]
			switch {
			case !known:
				entries = append(entries, e)
			case f.git.conversations[e.Name].Messages > messages[e.Name]:
				e.Card.Title, e.Card.Tags, e.Card.Folder = entries[i].Card.Title, entries[i].Card.Tags, entries[i].Card.Folder
				entries[i] = e
			}
		}
	}
	return entries, facts, nil
}

// storedEntry returns the entry of a session in the store. complete adds its branches and size
// before it is read.
func (f *searchFeed) storedEntry(m session.SessionMetadata) search.Entry {
	e := search.Entry{Kind: search.Conversation, Name: m.ID, Log: fmt.Sprintf("store %d %d %s", m.CreatedAt.UnixNano(), m.Rewinds, m.ForkPoint)}
	e.Card = search.Card{Title: m.Title, Tags: append(slices.Clone(m.Tags), m.AutomaticTags()...), Branches: m.Branches, Agent: string(m.AgentType), Model: m.Model, Folder: m.CWD, Started: m.CreatedAt, Updated: m.UpdatedAt, Source: sessionlib.InStore}
	if e.Card.Agent == "" {
		e.Card.Agent = m.AgentName
	}
	e.Mark = markOf(m.MessageCount, m.LastMessage, e.Card)
	e.Size = 1 << 50 // until complete measures it
	return e
}

// markOf returns a text that changes whenever the entry's data changes.
func markOf(count int, last string, card search.Card) string {
	data, _ := json.Marshal(card)
	return fmt.Sprintf("%d %s %s", count, last, data)
}

// complete adds the data that only entries to be read need.
func (f *searchFeed) complete(ctx context.Context, entries, pending []search.Entry) {
	wanted := map[string]bool{}
	for _, p := range pending {
		wanted[p.Name] = p.Kind == search.Conversation && p.Card.Source == sessionlib.InStore
	}
	for i := range entries {
		if e := &entries[i]; wanted[e.Name] && e.Card.Source == sessionlib.InStore {
			if size, err := f.store.LogSize(ctx, e.Name); err == nil {
				e.Size = size
			}
			if len(e.Card.Branches) == 0 { // stored before branches were recorded
				e.Card.Branches = branchesOf(f.store.SDKMessages(ctx, e.Name))
			}
		}
	}
}

// branchesOf returns the branches that an agent's own records name.
func branchesOf(records iter.Seq2[session.SDKMessage, error]) []string {
	var out []string
	last := ""
	for record, err := range records {
		if err != nil {
			break
		}
		i := bytes.Index(record, []byte(`"gitBranch":"`))
		if i < 0 {
			continue
		}
		name := gjson.ParseBytes(record[i+len(`"gitBranch":`):]).Str
		if name != last && name != "" && name != "HEAD" && !slices.Contains(out, name) && len(out) < 100 {
			out = append(out, name)
		}
		last = name
	}
	return out
}

// Lines implements search.Source.
func (f *searchFeed) Lines(ctx context.Context, e search.Entry, from int64) iter.Seq2[search.Line, error] {
	if e.Card.Source == sessionlib.InGit {
		return f.git.lines(ctx, e)
	}
	return func(yield func(search.Line, error) bool) {
		for line, err := range f.store.LogFrom(ctx, e.Name, from) {
			if !yield(search.Line{Data: line.Data, End: line.End, Rewound: line.Rewound}, err) {
				return
			}
		}
	}
}

// searchedProjects returns the keys of the requested projects.
func searchedProjects(ctx context.Context, l *sessionlib.Library, wanted []string) ([]string, error) {
	if len(wanted) == 0 {
		return []string{l.Ident.Key}, nil
	}
	entries, err := os.ReadDir(filepath.Join(l.Data, "projects"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var keys []string
	for _, name := range wanted {
		found, err := projectsNamed(ctx, l, name, entries)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, cliui.Failf("its folder, the folder's name, or its key in `entire sessions list --all --json`", "no such project: %s", cliui.ShownLine(name))
		}
		for _, key := range found {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys, nil
}

// projectsNamed returns the projects whose key or folder has that name; all of them for "all".
func projectsNamed(ctx context.Context, l *sessionlib.Library, name string, entries []os.DirEntry) ([]string, error) {
	var keys []string
	if name == "all" {
		keys = []string{l.Ident.Key}
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.Dir, path)
	}
	if cliui.IsDir(path) && name != "all" {
		ident, err := project.Find(ctx, path, l.Env.Environ)
		if err == nil && (ident.Key == l.Ident.Key || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == ident.Key })) {
			return []string{ident.Key}, nil
		}
		if err != nil && !errors.Is(err, git.ErrNotRepository) {
			return nil, err
		}
	}
	for _, e := range entries {
		if !e.IsDir() || slices.Contains(keys, e.Name()) {
			continue
		}
		if name == "all" || e.Name() == name {
			keys = append(keys, e.Name())
			continue
		}
		stored, err := l.StoreOf(e.Name()).ListContext(ctx)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(stored, func(m session.SessionMetadata) bool {
			return strings.EqualFold(filepath.Base(filepath.ToSlash(m.CWD)), name)
		}) {
			keys = append(keys, e.Name())
		}
	}
	return keys, nil
}
