package records

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/agent"
	"entire/checkpoint/chunk"
	"entire/checkpoint/epoch"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

// Conversation is one session's conversation as one checkpoint has it.
type Conversation struct {
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
func (t Conversation) Later(o Conversation) bool {
	switch {
	case !t.Written.Equal(o.Written):
		return t.Written.After(o.Written)
	case t.Stored != o.Stored:
		return t.Stored
	}
	return t.Checkpoint.String() > o.Checkpoint.String()
}

// State is everything that checkpoints were read from at one time: the trees of the metadata
// branches, those of the checkpoints in refs of their own, and the epochs. While it stays the same, so does
// the result of Conversations and of Versions.
type State struct {
	roots  []git.OID
	gone   metadata.Forgotten // by the tombstones that count
	refs   []Version          // sorted by ID
	sealed epoch.Set
}

// Equal reports whether both are of the same content.
func (s State) Equal(o State) bool {
	sameEpochs := slices.EqualFunc(s.sealed, o.sealed, func(a, b *epoch.Manifest) bool { return a.Month == b.Month && a.Commit == b.Commit })
	return slices.Equal(s.roots, o.roots) && slices.Equal(s.refs, o.refs) && sameEpochs
}

// String returns a short text that is the same for the same content.
func (s State) String() string {
	if len(s.refs)+len(s.sealed) == 0 {
		return fmt.Sprint(s.roots)
	}
	sum := sha256.New()
	for _, m := range s.sealed {
		fmt.Fprintf(sum, "%s %s\n", m.Month, m.Commit)
	}
	for _, v := range s.refs {
		fmt.Fprintf(sum, "%s %s\n", v.ID, v.Tree)
	}
	return fmt.Sprintf("%v %x", s.roots, sum.Sum(nil)[:16])
}

// State returns what checkpoints can be read from now: refs of single checkpoints, the local
// branches, and those of every remote as they were last fetched.
func (r *Reader) State(ctx context.Context) (State, error) {
	roots, gone, err := r.roots(ctx)
	if err != nil {
		return State{}, err
	}
	refs, err := r.Repo.Refs(ctx, "refs/remotes/**/"+shadow.MetadataBranch)
	if err != nil {
		return State{}, err
	}
	for _, ref := range refs {
		if c, ok, err := r.Repo.Reader(ctx).CommitOf(ref.Name); err != nil {
			return State{}, err
		} else if ok && !slices.Contains(roots, c.Tree) {
			roots = append(roots, c.Tree)
		}
	}
	s := State{roots: roots, gone: gone}
	folders, err := r.refFolders(ctx, nil, gone, metadata.Whole)
	for cp, f := range folders {
		if f.Err == nil {
			s.refs = append(s.refs, Version{cp, f.Tree})
		}
	}
	slices.SortFunc(s.refs, func(a, b Version) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	if err != nil {
		return s, err
	}
	s.sealed, err = epoch.Load(ctx, r.Repo)
	return s, err
}

// Conversations lists the conversations of all checkpoints of a state, in no order. It lists a
// checkpoint that several branches have in one version once, and leaves out what cannot be read.
func (r *Reader) Conversations(ctx context.Context, state State) ([]Conversation, error) {
	folders, err := r.checkpointTrees(ctx, state)
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", err)
	}
	var list []Conversation
	for some := range slices.Chunk(folders, verifyBatch) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("list conversations: %w", err)
		}
		if err := r.fill(ctx, some); err != nil {
			return nil, fmt.Errorf("list conversations: %w", err)
		}
		for _, f := range some {
			list = append(list, Conversations(f)...)
			*f = metadata.Folder{} // free the entries: a long conversation has many files
		}
	}
	return list, nil
}

// fill reads folders that have only their trees set. A folder whose tree the repository does
// not have stays empty.
func (r *Reader) fill(ctx context.Context, folders []*metadata.Folder) error {
	var ask chunk.Batch
	for _, f := range folders {
		if f.Tree.IsZero() {
			continue
		}
		ask.Add(f.Tree.String(), func(o git.Object) (err error) {
			if o.Type == "tree" {
				f.Entries, err = git.ParseTree(o.Data, r.Repo.HashLen())
			}
			return err
		})
	}
	if err := ask.Run(r.Repo.Reader(ctx)); err != nil {
		return err
	}
	return metadata.FillFolders(r.Repo.Reader(ctx), folders, r.Repo.HashLen())
}

// checkpointTrees finds the folders of all checkpoints of a state, each version once.
func (r *Reader) checkpointTrees(ctx context.Context, state State) ([]*metadata.Folder, error) {
	rd, gone := r.Repo.Reader(ctx), state.gone
	seen := map[git.OID]bool{}
	var folders []*metadata.Folder
	for _, v := range state.refs {
		if !gone[v.ID] && !seen[v.Tree] {
			seen[v.Tree] = true
			folders = append(folders, metadata.RefFolder(v.ID, v.Tree, metadata.Whole))
		}
	}
	for _, root := range state.roots {
		below, err := r.unseenFolders(rd, root, gone, seen)
		if err != nil {
			return nil, err
		}
		folders = append(folders, below...)
	}
	sealed, err := r.sealedFolders(ctx, state.sealed)
	for _, f := range sealed {
		if !seen[f.Tree] && !gone[f.ID] {
			seen[f.Tree] = true
			folders = append(folders, f)
		}
	}
	return folders, err
}

// unseenFolders finds the folders of checkpoints below a root that are neither forgotten nor in seen, and adds them to
// seen. It does not read a shard in seen again.
func (r *Reader) unseenFolders(rd *git.Reader, root git.OID, gone metadata.Forgotten, seen map[git.OID]bool) (folders []*metadata.Folder, err error) {
	entries, err := rd.Tree(root)
	if err != nil {
		return nil, err
	}
	var ask chunk.Batch
	for _, shard := range entries {
		if shard.Mode != git.ModeTree || len(shard.Name) != 2 || seen[shard.OID] {
			continue
		}
		seen[shard.OID] = true
		ask.Add(shard.OID.String(), func(o git.Object) error {
			rests, err := git.ParseTree(o.Data, r.Repo.HashLen())
			for _, e := range rests {
				cp, bad := id.NewCheckpointID(shard.Name + e.Name)
				if bad == nil && e.Mode == git.ModeTree && !seen[e.OID] && !gone[cp] {
					seen[e.OID] = true
					folders = append(folders, &metadata.Folder{ID: cp, Tree: e.OID})
				}
			}
			return err
		})
	}
	return folders, ask.Run(rd)
}

// Conversations returns the conversations of a checkpoint that was read: those of its slots, and those
// that have only messages left.
func Conversations(f *metadata.Folder) []Conversation {
	var list []Conversation
	for _, s := range f.Slots {
		if s.Err != nil || s.Meta.SessionID == "" {
			continue
		}
		t := Conversation{Checkpoint: f.ID, SessionID: s.Meta.SessionID, Agent: s.Meta.Agent, Written: s.Meta.CreatedAt, tree: f.Tree}
		if set := f.Messages(s.Meta.SessionID); set != nil {
			t.addMessages(set)
		}
		list = append(list, t)
	}
	for _, set := range f.Sets {
		if set.Err != nil || set != f.Messages(set.Info.SessionID) {
			continue
		}
		if s, _ := f.Session(set.Info.SessionID); s == nil {
			t := Conversation{Checkpoint: f.ID, SessionID: set.Info.SessionID, tree: f.Tree}
			t.addMessages(set)
			list = append(list, t)
		}
	}
	return list
}

func (t *Conversation) addMessages(set *metadata.MessageSet) {
	t.Stored, t.Messages = true, set.Info.MessageCount
	if set.Info.UpdatedAt.After(t.Written) {
		t.Written = set.Info.UpdatedAt
	}
	if t.Agent == "" {
		t.Agent = set.Info.Agent
	}
}

// OpenConversation is a conversation that can be read.
type OpenConversation struct {
	Conversation
	Metadata metadata.CommittedMetadata // of the slot; empty if there is no slot
	Prompts  []string                   // of the slot
	// Info is nil if no messages are stored, or if they were made from another transcript:
	// Messages then makes them from the transcript.
	Info *metadata.MessagesInfo

	r     *Reader
	files []git.TreeEntry // of the slot
	set   *metadata.MessageSet
}

// Open reads a conversation again. It can read a checkpoint that no branch has any more, as
// long as git keeps its objects.
func (r *Reader) Open(ctx context.Context, t Conversation) (*OpenConversation, error) {
	f := &metadata.Folder{ID: t.Checkpoint, Tree: t.tree}
	if err := r.fill(ctx, []*metadata.Folder{f}); err != nil {
		return nil, fmt.Errorf("read checkpoint %s: %w", t.Checkpoint, err)
	}
	o := &OpenConversation{Conversation: t, r: r, set: f.Messages(t.SessionID)}
	s, unreadable := f.Session(t.SessionID)
	if s == nil && o.set == nil {
		return nil, errors.Join(fmt.Errorf("session %q of checkpoint %s: %w", t.SessionID, t.Checkpoint, metadata.ErrSessionNotFound), unreadable)
	}
	var hash string
	if s != nil {
		var err error
		o.Metadata, o.files = s.Meta, s.Files
		if hash, err = r.texts(ctx, o, s); err != nil {
			return nil, fmt.Errorf("read checkpoint %s: %w", t.Checkpoint, err)
		}
	}
	o.Info = infoOf(o.set, slices.ContainsFunc(o.files, chunk.IsChunk), hash)
	return o, nil
}

// texts reads the slot's prompts and content hash.
func (r *Reader) texts(ctx context.Context, o *OpenConversation, s *metadata.Slot) (hash string, err error) {
	var ask chunk.Batch
	for name, take := range map[string]func(text string){
		metadata.PromptName:      func(text string) { o.Prompts = metadata.SplitPrompts(text) },
		metadata.ContentHashName: func(text string) { hash = strings.TrimSpace(text) },
	} {
		if e, ok := s.File(name); ok {
			ask.Add(e.OID.String(), func(obj git.Object) error {
				take(string(obj.Data))
				return obj.Sealed
			})
		}
	}
	return hash, ask.Run(r.Repo.Reader(ctx))
}
