package checkpoint

import (
	"context"
	"slices"

	"github.com/tidwall/gjson"

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
		list = append(list, f.listed(&ask))
	}
	return list, ask.run(r.repo.Reader(ctx))
}

// listed requests the prompts with ask, which fills them in.
func (f *folder) listed(ask *batch) Listed {
	l := Listed{ID: f.id, Prompts: make([][]string, len(f.slots))}
	for i := range f.slots {
		s := &f.slots[i]
		if s.err != nil {
			continue
		}
		at := len(l.SessionIDs)
		l.SessionIDs = append(l.SessionIDs, s.meta.SessionID)
		l.IsTask, l.Start = s.meta.IsTask, s.meta.GetTranscriptStart()
		if e, ok := s.file(promptName); ok {
			ask.add(e.OID.String(), func(o git.Object) error {
				l.Prompts[at] = SplitPrompts(string(o.Data))
				return nil
			})
		}
	}
	return l
}

// decodeBriefly decodes only the members of a document that Listed needs. It decodes the whole
// of a document that does not have the expected form.
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
			doc.CheckpointTranscriptStart = int(gjson.GetBytes(data, "checkpoint_transcript_start").Int())
			doc.TranscriptLinesAtStart = int(gjson.GetBytes(data, "transcript_lines_at_start").Int())
			return nil
		}
	}
	return decodeDocument(data, v)
}
