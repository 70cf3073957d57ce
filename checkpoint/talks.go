package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
)

// Talk is one session's conversation as one checkpoint has it.
type Talk struct {
	Checkpoint id.CheckpointID
	SessionID  string
	Agent      agent.AgentType
	Written    time.Time // when the checkpoint's part was written, or its last message if that is later
	Stored     bool      // messages are stored, not only the transcript
	Messages   int       // number of stored messages

	tree git.OID // the checkpoint's folder
}

// Later reports whether t has a later state of the session than o. If the times are equal, a
// conversation with stored messages counts as later, then the one with the greater checkpoint
// ID.
func (t Talk) Later(o Talk) bool {
	switch {
	case !t.Written.Equal(o.Written):
		return t.Written.After(o.Written)
	case t.Stored != o.Stored:
		return t.Stored
	}
	return t.Checkpoint.String() > o.Checkpoint.String()
}

// TalkRoots returns the trees of the metadata branches: the local ones, and those of every
// remote as they were last fetched. While they stay the same, so does the result of Talks.
func (r *Records) TalkRoots(ctx context.Context) ([]git.OID, error) {
	roots, _, err := r.roots(ctx)
	if err != nil {
		return nil, err
	}
	refs, err := r.repo.Refs(ctx, "refs/remotes/**/"+MetadataBranch)
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		if c, ok, err := r.repo.Reader(ctx).CommitOf(ref.Name); err != nil {
			return nil, err
		} else if ok && !slices.Contains(roots, c.Tree) {
			roots = append(roots, c.Tree)
		}
	}
	return roots, nil
}

// Talks lists the conversations of all checkpoints below the roots, in no order. It lists a
// checkpoint that is the same below several roots once, and leaves out what cannot be read.
func (r *Records) Talks(ctx context.Context, roots []git.OID) ([]Talk, error) {
	folders, err := r.checkpointTrees(ctx, roots)
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", err)
	}
	var talks []Talk
	for some := range slices.Chunk(folders, verifyBatch) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("list conversations: %w", err)
		}
		if err := r.fill(ctx, some); err != nil {
			return nil, fmt.Errorf("list conversations: %w", err)
		}
		for _, f := range some {
			talks = append(talks, f.talks()...)
			*f = folder{} // free the entries: a long conversation has many files
		}
	}
	return talks, nil
}

// fill reads folders that have only their trees set. A folder whose tree the repository does
// not have stays empty.
func (r *Records) fill(ctx context.Context, folders []*folder) error {
	var ask batch
	for _, f := range folders {
		ask.add(f.tree.String(), func(o git.Object) (err error) {
			if o.Type == "tree" {
				f.entries, err = git.ParseTree(o.Data, hashLen(r.repo))
			}
			return err
		})
	}
	if err := ask.run(r.repo.Reader(ctx)); err != nil {
		return err
	}
	return fillFolders(r.repo.Reader(ctx), folders, hashLen(r.repo))
}

// checkpointTrees finds the folders of all checkpoints below the roots, each version once.
func (r *Records) checkpointTrees(ctx context.Context, roots []git.OID) ([]*folder, error) {
	rd := r.repo.Reader(ctx)
	gone, err := readForgotten(rd, roots...)
	if err != nil {
		return nil, err
	}
	seen := map[git.OID]bool{}
	var folders []*folder
	for _, root := range roots {
		entries, err := rd.Tree(root)
		if err != nil {
			return nil, err
		}
		var shards []git.TreeEntry
		for _, e := range entries {
			if e.Mode == git.ModeTree && len(e.Name) == 2 && !seen[e.OID] {
				seen[e.OID] = true
				shards = append(shards, e)
			}
		}
		var ask batch
		for _, shard := range shards {
			ask.add(shard.OID.String(), func(o git.Object) error {
				rests, err := git.ParseTree(o.Data, hashLen(r.repo))
				for _, e := range rests {
					cp, bad := id.NewCheckpointID(shard.Name + e.Name)
					if bad == nil && e.Mode == git.ModeTree && !seen[e.OID] && !gone[cp] {
						seen[e.OID] = true
						folders = append(folders, &folder{id: cp, tree: e.OID})
					}
				}
				return err
			})
		}
		if err := ask.run(rd); err != nil {
			return nil, err
		}
	}
	return folders, nil
}

// talks returns the conversations of a checkpoint that was read: those of its slots, and those
// that have only messages left.
func (f *folder) talks() []Talk {
	var talks []Talk
	for _, s := range f.slots {
		if s.err != nil || s.meta.SessionID == "" {
			continue
		}
		t := Talk{Checkpoint: f.id, SessionID: s.meta.SessionID, Agent: s.meta.Agent, Written: s.meta.CreatedAt, tree: f.tree}
		if set := f.messages(s.meta.SessionID); set != nil {
			t.take(set)
		}
		talks = append(talks, t)
	}
	for _, set := range f.sets {
		if set.err != nil || set != f.messages(set.info.SessionID) {
			continue
		}
		if s, _ := f.session(set.info.SessionID); s == nil {
			t := Talk{Checkpoint: f.id, SessionID: set.info.SessionID, tree: f.tree}
			t.take(set)
			talks = append(talks, t)
		}
	}
	return talks
}

func (t *Talk) take(set *messageSet) {
	t.Stored, t.Messages = true, set.info.MessageCount
	if set.info.UpdatedAt.After(t.Written) {
		t.Written = set.info.UpdatedAt
	}
	if t.Agent == "" {
		t.Agent = set.info.Agent
	}
}

// OpenTalk is a conversation that can be read.
type OpenTalk struct {
	Talk
	Metadata CommittedMetadata // of the slot; empty if there is no slot
	Prompts  []string          // of the slot
	// Info is nil if no messages are stored, or if they were made from another transcript:
	// Messages then makes them from the transcript.
	Info *MessagesInfo

	r     *Records
	files []git.TreeEntry // of the slot
	set   *messageSet
}

// Open reads a conversation again. It can read a checkpoint that no branch has any more, as
// long as git keeps its objects.
func (r *Records) Open(ctx context.Context, t Talk) (*OpenTalk, error) {
	f := &folder{id: t.Checkpoint, tree: t.tree}
	if err := r.fill(ctx, []*folder{f}); err != nil {
		return nil, fmt.Errorf("read checkpoint %s: %w", t.Checkpoint, err)
	}
	o := &OpenTalk{Talk: t, r: r, set: f.messages(t.SessionID)}
	s, unreadable := f.session(t.SessionID)
	if s == nil && o.set == nil {
		return nil, errors.Join(fmt.Errorf("session %q of checkpoint %s: %w", t.SessionID, t.Checkpoint, ErrSessionNotFound), unreadable)
	}
	var hash string
	if s != nil {
		var err error
		o.Metadata, o.files = s.meta, s.files
		if hash, err = r.texts(ctx, o, s); err != nil {
			return nil, fmt.Errorf("read checkpoint %s: %w", t.Checkpoint, err)
		}
	}
	// If the slot has another transcript, that one is newer. If it has none, or no hash, there
	// is nothing better than the stored messages.
	if o.set != nil && (len(o.set.missing()) == 0 || !o.hasTranscript()) && (hash == "" || hash == o.set.info.Transcript) {
		o.Info = &o.set.info
	}
	return o, nil
}

func (o *OpenTalk) hasTranscript() bool { return slices.ContainsFunc(o.files, isChunk) }

// texts reads the slot's prompts and content hash.
func (r *Records) texts(ctx context.Context, o *OpenTalk, s *slot) (hash string, err error) {
	var ask batch
	for name, take := range map[string]func(text string){
		promptName:      func(text string) { o.Prompts = SplitPrompts(text) },
		contentHashName: func(text string) { hash = strings.TrimSpace(text) },
	} {
		if e, ok := s.file(name); ok {
			ask.add(e.OID.String(), func(obj git.Object) error {
				take(string(obj.Data))
				return nil
			})
		}
	}
	return hash, ask.run(r.repo.Reader(ctx))
}
