package checkpoint

import (
	"context"

	"github.com/tidwall/gjson"

	"entire/id"
	"entire/internal/git"
)

// Listed is what a list shows of a checkpoint.
type Listed struct {
	ID         id.CheckpointID
	SessionIDs []string // in the order of Summary.Sessions, those that cannot be read left out
	IsTask     bool     // of the latest session
	Prompts    []string // of the latest session
}

// Latest is the session that was added last, "" if none can be read.
func (l Listed) Latest() string {
	if len(l.SessionIDs) == 0 {
		return ""
	}
	return l.SessionIDs[len(l.SessionIDs)-1]
}

// List reads what a list shows, in the order asked for, checkpoints that do not
// exist left out. It costs less than ReadMany: of the documents only the members
// it needs are looked at.
func (r *Records) List(ctx context.Context, ids []id.CheckpointID) ([]Listed, error) {
	folders, err := r.findWith(ctx, ids, true)
	if err != nil {
		return nil, err
	}
	var list []Listed
	var ask batch
	for _, f := range folders {
		if f == nil {
			continue
		}
		l := Listed{ID: f.id}
		for _, s := range f.slots {
			if s.err == nil {
				l.SessionIDs, l.IsTask = append(l.SessionIDs, s.meta.SessionID), s.meta.IsTask
			}
		}
		list = append(list, l)
		at := len(list) - 1
		if e, ok := f.latestPrompt(); ok {
			ask.add(e.OID.String(), func(o git.Object) error {
				list[at].Prompts = SplitPrompts(string(o.Data))
				return nil
			})
		}
	}
	return list, ask.run(r.repo.Reader(ctx))
}

func (f *folder) latestPrompt() (git.TreeEntry, bool) {
	if len(f.slots) == 0 {
		return git.TreeEntry{}, false
	}
	return f.slots[len(f.slots)-1].file(promptName)
}

// decodeBriefly is a decoding of documents that takes only what Listed needs, and that
// takes a document it has doubts about as a whole.
func decodeBriefly(data []byte, v any) error {
	if len(data) > maxDocument || !gjson.ValidBytes(data) || !gjson.ParseBytes(data).IsObject() {
		return decodeDocument(data, v)
	}
	switch doc := v.(type) {
	case *CheckpointSummary:
		if sessions := gjson.GetBytes(data, "sessions"); sessions.IsArray() {
			for _, s := range sessions.Array() {
				paths := SessionFilePaths{Metadata: s.Get("metadata").Str, Transcript: s.Get("transcript").Str, Prompt: s.Get("prompt").Str}
				doc.Sessions = append(doc.Sessions, paths)
			}
			return nil
		}
	case *CommittedMetadata:
		if sid := gjson.GetBytes(data, "session_id"); sid.Type == gjson.String {
			doc.SessionID, doc.IsTask = sid.Str, gjson.GetBytes(data, "is_task").Bool()
			return nil
		}
	}
	return decodeDocument(data, v)
}
