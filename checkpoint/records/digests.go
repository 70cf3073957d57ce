package records

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/internal/git"
)

// A Digest is what an index needs of one version of a checkpoint.
type Digest struct {
	Version
	Stored        StoredCheckpoint
	Prompts       [][]string // of each of the stored sessions
	Conversations []DigestConversation
	// Complete is false if something could not be read here, or not without a key: read it again next time.
	Complete bool
}

// A DigestConversation is a conversation with what [Reader.Open] would tell of it.
type DigestConversation struct {
	Conversation
	Metadata metadata.CommittedMetadata
	Prompts  []string
	Info     *metadata.MessagesInfo
}

// EveryVersion is Versions with all versions of a checkpoint that is in several places; the one that the other methods
// would read is the first.
func (r *Reader) EveryVersion(ctx context.Context, state State) ([]Version, error) {
	folders, err := r.checkpointTrees(ctx, state)
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", err)
	}
	all := make([]Version, len(folders))
	for i, f := range folders {
		all[i] = Version{f.ID, f.Tree}
	}
	return all, nil
}

// Digests reads versions, and passes them to do in the order of the argument.
func (r *Reader) Digests(ctx context.Context, versions []Version, do func(*Digest)) error {
	for some := range slices.Chunk(versions, verifyBatch) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read checkpoints: %w", err)
		}
		folders := make([]*metadata.Folder, len(some))
		for i, v := range some {
			folders[i] = &metadata.Folder{ID: v.ID, Tree: v.Tree}
		}
		if err := r.fill(ctx, folders); err != nil {
			return fmt.Errorf("read checkpoints: %w", err)
		}
		var ask chunk.Batch
		texts := make([]digestTexts, len(folders))
		for i, f := range folders {
			texts[i].request(&ask, f)
		}
		if err := ask.Run(r.Repo.Reader(ctx)); err != nil {
			return fmt.Errorf("read checkpoints: %w", err)
		}
		for i, f := range folders {
			do(texts[i].digest(some[i], f))
		}
	}
	return nil
}

// digestTexts are the short texts of the slots of a folder.
type digestTexts struct {
	prompts [][]string
	hashes  []string
	failed  bool
}

func (t *digestTexts) request(ask *chunk.Batch, f *metadata.Folder) {
	t.prompts, t.hashes = make([][]string, len(f.Slots)), make([]string, len(f.Slots))
	for n := range f.Slots {
		text := func(name string, take func(string)) {
			if e, ok := f.Slots[n].File(name); ok {
				ask.Add(e.OID.String(), func(o git.Object) error {
					t.failed = t.failed || o.Type == "" || o.Sealed != nil
					take(string(o.Data))
					return nil
				})
			}
		}
		text(metadata.PromptName, func(s string) { t.prompts[n] = metadata.SplitPrompts(s) })
		text(metadata.ContentHashName, func(s string) { t.hashes[n] = strings.TrimSpace(s) })
	}
}

func (t *digestTexts) digest(v Version, f *metadata.Folder) *Digest {
	d := &Digest{Version: v, Stored: stored(f), Prompts: t.prompts, Complete: !t.failed && f.Err == nil && len(f.Entries) > 0}
	for i := range f.Slots {
		d.Complete = d.Complete && f.Slots[i].Err == nil
	}
	for _, set := range f.Sets {
		d.Complete = d.Complete && set.Err == nil
	}
	for _, c := range Conversations(f) {
		one := DigestConversation{Conversation: c}
		hash, transcript := "", false
		if s, _ := f.Session(c.SessionID); s != nil {
			n := slices.IndexFunc(f.Slots, func(o metadata.Slot) bool { return o.Number == s.Number })
			one.Metadata, one.Prompts, hash = s.Meta, t.prompts[n], t.hashes[n]
			transcript = slices.ContainsFunc(s.Files, chunk.IsChunk)
		}
		one.Info = infoOf(f.Messages(c.SessionID), transcript, hash)
		d.Conversations = append(d.Conversations, one)
	}
	return d
}

// infoOf returns what stored messages say about themselves, nil if they are to be made from the transcript: if the
// slot has another one, that is newer. If it has none, or no hash, there is nothing better than the stored messages.
func infoOf(set *metadata.MessageSet, transcript bool, hash string) *metadata.MessagesInfo {
	if set != nil && (len(set.Missing()) == 0 || !transcript) && (hash == "" || hash == set.Info.Transcript) {
		return &set.Info
	}
	return nil
}
