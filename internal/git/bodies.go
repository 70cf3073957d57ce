package git

import (
	"context"

	"entire/internal/bodies"
	"entire/internal/git/store"
)

// bodyReader puts texts in the place of the blobs that stand for them.
type bodyReader struct{ folder *bodies.Folder }

var _ store.BodyReader = bodyReader{}

func (b bodyReader) Is(blob []byte) bool { return bodies.Is(blob) }

func (b bodyReader) Fill(ctx context.Context, blobs []*Object, limit int64) {
	var ask []bodies.Pointer
	var at []*Object
	for _, o := range blobs {
		p, err := bodies.Parse(o.Data)
		o.Data = nil
		switch {
		case err != nil:
			o.Sealed = err
		case limit > 0 && p.Plain > limit:
			o.Large = true
		default:
			ask, at = append(ask, p), append(at, o)
		}
	}
	texts, errs := b.folder.Read(ctx, ask)
	for i, o := range at {
		o.Data, o.Sealed = texts[i], errs[i]
	}
}

// UpdateRefs is that of the store, and then stores again the bodies that another process removed because nothing named
// them yet.
func (r *Repo) UpdateRefs(ctx context.Context, updates []RefUpdate) error {
	if err := r.Repo.UpdateRefs(ctx, updates); err != nil || r.Bodies == nil {
		return err
	}
	return r.Bodies.Settle()
}

// ConversationWriter stores the blobs of a conversation, sealed where the repository seals. A large one becomes a
// body, and the blob that stands for it is stored.
type ConversationWriter struct {
	sealed *SealedWriter
	folder *bodies.Folder
}

// Conversation is Sealed for what only a person's commands read in other clones: hooks do not reach a bucket.
func (r *Repo) Conversation(stream string) *ConversationWriter {
	return &ConversationWriter{r.Sealed(stream), r.Bodies}
}

// Blob stores text as a blob.
func (c *ConversationWriter) Blob(text []byte) (OID, error) {
	blob, moved, err := c.folder.Move(text, func(body []byte) ([]byte, error) {
		return c.sealed.vault.Seal(c.sealed.stream, body)
	})
	if err != nil {
		return OID{}, err
	}
	if moved {
		return c.sealed.w.Blob(blob)
	}
	return c.sealed.Blob(text)
}
