package records

import (
	"context"
	"slices"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// Listed is what a list shows of a checkpoint.
type Listed struct {
	ID         id.CheckpointID
	SessionIDs []string   // in the order of Summary.Sessions, without sessions that cannot be read
	IsTask     bool       // of the latest session
	Start      int        // of the latest session: the transcript line or message at which its part begins
	Prompts    [][]string // the prompts of each of SessionIDs
}

// Latest returns the session that was added last, "" if none can be read.
func (l Listed) Latest() string {
	if len(l.SessionIDs) == 0 {
		return ""
	}
	return l.SessionIDs[len(l.SessionIDs)-1]
}

// PromptsOf returns the prompts of the session with the ID sid, nil if it has none here.
func (l Listed) PromptsOf(sid string) []string {
	if i := slices.Index(l.SessionIDs, sid); i >= 0 {
		return l.Prompts[i]
	}
	return nil
}

// List reads what a list shows, in the order of ids, without checkpoints that do not exist. It
// costs less than ReadMany, because it decodes only the needed members of the documents.
func (r *Reader) List(ctx context.Context, ids []id.CheckpointID) ([]Listed, error) {
	folders, err := r.findWith(ctx, ids, metadata.Brief)
	if err != nil {
		return nil, err
	}
	var list []Listed
	var ask chunk.Batch
	for _, f := range folders {
		if f == nil {
			continue
		}
		list = append(list, listed(f, &ask))
	}
	return list, ask.Run(r.Repo.Reader(ctx))
}

// listed requests the prompts with ask, which fills them in.
func listed(f *metadata.Folder, ask *chunk.Batch) Listed {
	l := Listed{ID: f.ID, Prompts: make([][]string, len(f.Slots))}
	for i := range f.Slots {
		s := &f.Slots[i]
		if s.Err != nil {
			continue
		}
		at := len(l.SessionIDs)
		l.SessionIDs = append(l.SessionIDs, s.Meta.SessionID)
		l.IsTask, l.Start = s.Meta.IsTask, s.Meta.GetTranscriptStart()
		if e, ok := s.File(metadata.PromptName); ok {
			ask.Add(e.OID.String(), func(o git.Object) error {
				l.Prompts[at] = metadata.SplitPrompts(string(o.Data))
				return nil
			})
		}
	}
	return l
}
