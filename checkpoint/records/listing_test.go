package records_test

import (
	"slices"
	"testing"

	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/testrepo"
)

// TestListAgreesWithReadMany reads every shape of a checkpoint both ways.
func TestListAgreesWithReadMany(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	ids := []id.CheckpointID{}
	next := func() id.CheckpointID {
		cp := id.MustCheckpointID("a0000000000" + string("0123456789abcdef"[len(ids)]))
		ids = append(ids, cp)
		return cp
	}
	checkpointtest.Write(t, repo, checkpointtest.Record(next(), checkpointtest.SessionRecord(t, repo, "s1", "one\n")))
	checkpointtest.Write(t, repo, checkpointtest.Record(next(), checkpointtest.SessionRecord(t, repo, "s1", "one\n"), checkpointtest.SessionRecord(t, repo, "s2", "two\n")))
	task := checkpointtest.SessionRecord(t, repo, "s3", "three\n")
	task.Metadata.IsTask = true
	checkpointtest.Write(t, repo, checkpointtest.Record(next(), task))
	checkpointtest.Put(t, repo, next().Path()+"/metadata.json", `{"checkpoint_id":"a00000000003","session_id":"old","is_task":true}`) // before sessions were numbered
	broken := next().Path()
	checkpointtest.Put(t, repo, broken+"/metadata.json", `{"sessions":[{"metadata":"/`+broken+`/1/metadata.json"},{"metadata":"/`+broken+`/0/metadata.json"}]}`)
	checkpointtest.Put(t, repo, broken+"/0/metadata.json", `{"SESSION_ID":"folded"}`)
	checkpointtest.Put(t, repo, broken+"/0/prompt.txt", "Why?")
	checkpointtest.Put(t, repo, broken+"/1/metadata.json", `{"session_id":`)
	noSummary := next().Path()
	checkpointtest.Put(t, repo, noSummary+"/0/metadata.json", `{"session_id":"s4"}`)

	reader := records.NewReader(repo)
	want, err := reader.ReadMany(t.Context(), ids)
	if err != nil || len(want) != len(ids) {
		t.Fatalf("%d of %d, %v", len(want), len(ids), err)
	}
	prompts, err := reader.Prompts(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	got, err := reader.List(t.Context(), append(ids, checkpointtest.CpA))
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d of %d, %v", len(got), len(want), err)
	}
	for i, l := range got {
		info := want[i].Info()
		texts := prompts[l.ID]
		if l.ID != info.CheckpointID || !slices.Equal(l.SessionIDs, info.SessionIDs) || l.Latest() != info.SessionID || l.IsTask != info.IsTask {
			t.Errorf("%s: %+v, want %+v", l.ID, l, info)
		}
		if m := want[i].Sessions[len(want[i].Sessions)-1]; m.Err == nil && l.Start != m.Metadata.GetTranscriptStart() {
			t.Errorf("%s: start %d, want %d", l.ID, l.Start, m.Metadata.GetTranscriptStart())
		}
		if !slices.Equal(l.PromptsOf(l.Latest()), metadata.SplitPrompts(texts[len(texts)-1])) {
			t.Errorf("%s: prompts %q, want those of %q", l.ID, l.Prompts, texts)
		}
	}
	if got[4].PromptsOf("folded") == nil || !slices.Equal(got[4].SessionIDs, []string{"folded"}) {
		t.Errorf("a slot beside a broken one: %+v", got[4])
	}
}
