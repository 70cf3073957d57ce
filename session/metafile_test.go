package session

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"entire/agent"
	"entire/session/internal/conversation"
	"entire/session/internal/layout"
)

// stored makes a session's folder of what others, or a crash, may have left.
func stored(t *testing.T, s *Store, sid string, files map[string]string) string {
	t.Helper()
	dir := s.Dir(sid)
	must(t, os.MkdirAll(dir, 0o750))
	for name, content := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir
}

func lines(from, to int) string {
	var out []byte
	for n := from; n <= to; n++ {
		out, _ = conversation.AppendLine(out, new(say(n)))
	}
	return string(out)
}

// TestMetadataOfOthers reads what the two documents describe, written by
// programs that count nothing.
func TestMetadataOfOthers(t *testing.T) {
	t.Parallel()
	const first = `{"id":"a","project_hash":"h","cwd":"/w","model":"m","created_at":"2026-01-02T03:04:05Z","updated_at":"2026-01-02T03:04:06Z",` +
		`"message_count":99,"turn_count":5,"total_tokens":7,"parent_id":"p"}`
	const second = `{"session_id":"a","created_at":"2026-01-02T03:04:05Z","model":"m","cwd":"/w","turn_count":5,"total_cost_usd":0.0234,"exit_reason":"end_turn","agent_name":"","new":{"x":1}}`
	for name, text := range map[string]string{"first": first, "second": second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testStore(t)
			dir := stored(t, s, "a", map[string]string{layout.MetadataName: text, layout.MessagesName: lines(1, 4)})
			meta, err := s.Metadata(t.Context(), "a")
			if err != nil || meta.ID != "a" || meta.CWD != "/w" || meta.MessageCount != 4 || meta.TurnCount != 5 || meta.TotalTokens != 22 {
				t.Errorf("read %+v, %v", meta, err)
			}
			sayAll(t, s, "a", 5, 5)
			must(t, s.Flush(t.Context()))
			data, err := os.ReadFile(filepath.Join(dir, layout.MetadataName))
			must(t, err)
			for _, want := range []string{`"id": "a"`, `"session_id": "a"`, `"message_count": 5`} {
				if !strings.Contains(string(data), want) {
					t.Errorf("%s is not in %s", want, data)
				}
			}
			if name == "second" && !strings.Contains(string(data), `"new": {`) {
				t.Errorf("an unknown field is gone: %s", data)
			}
		})
	}
}

func TestMetadataLost(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"lost":      {},
		"empty":     {layout.MetadataName: ""},
		"torn":      {layout.MetadataName: `{"id":"a","cwd":"/w"`},
		"zeros":     {layout.MetadataName: "\x00\x00\x00"},
		"too far":   {layout.MetadataName: `{"id":"a","counted_bytes":99999,"message_count":77}`},
		"negative":  {layout.MetadataName: `{"id":"a","counted_bytes":-5,"message_count":77}`},
		"not first": {layout.MetadataName: `{"id":"a","counted_bytes":0,"message_count":0,"created_at":"` + say(1).Timestamp.Format("2006-01-02T15:04:05Z") + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testStore(t)
			files[layout.MessagesName] = lines(1, 4)
			dir := stored(t, s, "a", files)
			loaded, err := s.Load("a")
			if err != nil || uuids(loaded.Messages) != "m1 m2 m3 m4" || loaded.Metadata.ID != "a" || loaded.Metadata.MessageCount != 4 ||
				!loaded.Metadata.CreatedAt.Equal(say(1).Timestamp) || loaded.Metadata.LastMessage != "m4" {
				t.Errorf("loaded %+v, %v", loaded, err)
			}
			if err := s.Create(SessionMetadata{ID: "a"}); err == nil {
				t.Error("created anew")
			}
			sayAll(t, s, "a", 5, 5)
			must(t, s.Flush(t.Context()))
			if meta, damaged, err := conversation.ReadMetadata(dir, mustSession("a")); err != nil || damaged != nil || meta.MessageCount != 5 {
				t.Errorf("written %+v, %v", meta, err)
			}
			kept, _ := os.ReadFile(filepath.Join(dir, conversation.DamagedName))
			if text := files[layout.MetadataName]; strings.HasPrefix(name, "t") && name != "too far" && string(kept) != text {
				t.Errorf("what was damaged is gone: %q", kept)
			}
		})
	}
}

func TestMetadataOfAnotherSession(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	stored(t, s, "a", map[string]string{layout.MetadataName: `{"id":"b"}`})
	if _, err := s.Metadata(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "session") {
		t.Errorf("%v", err)
	}
}

func TestTally(t *testing.T) {
	t.Parallel()
	use := func(n int) *agent.TokenUsage { return &agent.TokenUsage{InputTokens: n, APICallCount: 1} }
	list := []Message{
		{UUID: "1", Role: "user", Content: "<system-reminder>x</system-reminder>", Injected: true, Timestamp: aDay},
		{UUID: "2", Role: "user", Content: "  do\nit  ", Timestamp: aDay.Add(9)},
		{UUID: "3", Role: "assistant", Model: "big", Usage: use(5), Timestamp: aDay.Add(3)},
		{UUID: "4", Role: "assistant", Model: "small", Usage: use(7), Sidechain: true},
		{UUID: "5", Role: "user", Content: "to the subagent", AgentID: "x"},
		{UUID: "6", Role: "user", Content: "more"},
	}
	want := conversation.Tally{
		Messages: 6, Prompts: 2, Usage: agent.TokenUsage{InputTokens: 12, APICallCount: 2}, HasUsage: true,
		Title: "do it", Model: "big", Last: "6", Begun: aDay, Updated: aDay.Add(9),
	}
	for cut := range list {
		var first, rest conversation.Tally
		for i := range list {
			if i < cut {
				first.Add(&list[i])
			} else {
				rest.Add(&list[i])
			}
		}
		if first.Merge(&rest); !reflect.DeepEqual(first, want) {
			t.Errorf("cut at %d: %+v", cut, first)
		}
	}
	meta := SessionMetadata{TotalTokens: 1, UpdatedAt: aDay.AddDate(1, 0, 0)}
	if want.AddTo(&meta); meta.TotalTokens != 13 || meta.MessageCount != 6 || !meta.UpdatedAt.Equal(aDay.Add(9)) || meta.Title != "do it" {
		t.Errorf("%+v", meta)
	}
}
