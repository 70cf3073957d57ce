package session

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/id"
	"entire/session/internal/layout"
)

// sampleState has every field set.
func sampleState() *State {
	at := func(minute int) *time.Time {
		t := time.Date(2026, 3, 4, 5, minute, 7, 123456789, time.UTC)
		return &t
	}
	return &State{
		SessionID:                   mustSession("258c7280-ae70-4798-800f-63464d01a85d"),
		CLIVersion:                  "dev",
		BaseCommit:                  "1111111111111111111111111111111111111111",
		AttributionBaseCommit:       "2222222222222222222222222222222222222222",
		WorktreePath:                "/home/user/<project> & co",
		WorktreeID:                  "side",
		StartedAt:                   *at(1),
		EndedAt:                     at(2),
		Phase:                       PhaseEnded,
		TurnID:                      "aaaaaaaaaaaa",
		TurnCheckpointIDs:           []id.CheckpointID{id.MustCheckpointID("a3b2c4d5e6f7"), id.MustCheckpointID("0123456789ab")},
		LastInteractionTime:         at(3),
		CheckpointCount:             2,
		CheckpointTranscriptStart:   40,
		UntrackedFilesAtStart:       []string{"notes.txt"},
		FilesTouched:                []string{"a.go", "dir/b.go"},
		LastCheckpointID:            id.MustCheckpointID("ffffffffffff"),
		AgentType:                   agent.AgentTypeClaudeCode,
		TokenUsage:                  &agent.TokenUsage{InputTokens: 1, CacheCreationTokens: 2, CacheReadTokens: 3, OutputTokens: 4, APICallCount: 5, SubagentTokens: &agent.TokenUsage{OutputTokens: 6}},
		TranscriptIdentifierAtStart: "9d2b",
		TranscriptPath:              "/home/user/.claude/projects/x/258c.jsonl",
		FirstPrompt:                 "make it <b>fast</b>",
		PromptAttributions: []PromptAttribution{
			{CheckpointNumber: 1, UserLinesAdded: 2, UserLinesRemoved: 3, AgentLinesAdded: 4, AgentLinesRemoved: 5, UserAddedPerFile: map[string]int{"a.go": 2}},
		},
		PendingPromptAttribution: &PromptAttribution{CheckpointNumber: 2},
	}
}

func TestStateGolden(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		state *State
	}{
		{"full", sampleState()},
		{"minimal", &State{SessionID: mustSession("s"), BaseCommit: "1111111111111111111111111111111111111111", StartedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			golden, err := os.ReadFile(filepath.Join("testdata", "state-"+tc.name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			s := NewStateStore(t.TempDir())
			if err := s.Save(t.Context(), tc.state); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(s.path(tc.state.SessionID, layout.StateExt))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, golden) {
				t.Errorf("got\n%s\nwant\n%s", got, golden)
			}
		})
	}
}

func TestStateRoundTrip(t *testing.T) {
	t.Parallel()
	want := sampleState()
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got := new(State)
	if err := json.Unmarshal(data, got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	v := reflect.ValueOf(*want)
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && v.Field(i).IsZero() {
			t.Errorf("the sample leaves %s out", f.Name)
		}
	}
}

func TestStateMigrations(t *testing.T) {
	t.Parallel()
	const c = "a3b2c4d5e6f7"
	for _, tc := range []struct {
		name, in string
		check    func(*State) bool
		out      string // what the state is written as, after session_id, base_commit, started_at, checkpoint_count
	}{
		{"attribution base", `"base_commit":"1"`, func(s *State) bool { return s.AttributionBaseCommit == "1" }, ""},
		{"attribution base is kept", `"base_commit":"1","attribution_base_commit":"2"`, func(s *State) bool { return s.AttributionBaseCommit == "2" }, ""},
		{"phase absent", ``, func(s *State) bool { return s.Phase == PhaseIdle }, `"phase":"idle"`},
		{"phase unknown", `"phase":"dreaming"`, func(s *State) bool { return s.Phase == PhaseIdle }, `"phase":"idle"`},
		{"phase legacy", `"phase":"active_committed"`, func(s *State) bool { return s.Phase == PhaseActive }, `"phase":"active"`},
		{"condensed lines", `"condensed_transcript_lines":7,"transcript_lines_at_start":3`, func(s *State) bool { return s.CheckpointTranscriptStart == 7 }, `"checkpoint_transcript_start":7`},
		{"lines at start", `"transcript_lines_at_start":3`, func(s *State) bool { return s.CheckpointTranscriptStart == 3 }, `"checkpoint_transcript_start":3`},
		{"the present name wins", `"checkpoint_transcript_start":9,"condensed_transcript_lines":7`, func(s *State) bool { return s.CheckpointTranscriptStart == 9 }, `"checkpoint_transcript_start":9`},
		{"checkpoint", `"last_checkpoint_id":"` + c + `"`, func(s *State) bool { return s.LastCheckpointID.String() == c }, `"last_checkpoint_id":"` + c + `"`},
		{"checkpoint empty", `"last_checkpoint_id":""`, func(s *State) bool { return s.LastCheckpointID.IsZero() }, ""},
		{"checkpoint invalid", `"last_checkpoint_id":"../x"`, func(s *State) bool { return s.LastCheckpointID.IsZero() }, `"last_checkpoint_id":"../x"`},
		{"checkpoint of another type", `"last_checkpoint_id":{"a":1}`, func(s *State) bool { return s.LastCheckpointID.IsZero() }, `"last_checkpoint_id":{"a":1}`},
		{"turn checkpoints, one invalid", `"turn_checkpoint_ids":["x","` + c + `",null]`,
			func(s *State) bool { return len(s.TurnCheckpointIDs) == 1 && s.TurnCheckpointIDs[0].String() == c }, `"turn_checkpoint_ids":["` + c + `"]`},
		{"another case is another key", `"PHASE":"active","phase":"ended"`, func(s *State) bool { return s.Phase == PhaseEnded }, `"PHASE":"active"`},
		{"the last of equal keys counts", `"phase":"active","phase":"ended"`, func(s *State) bool { return s.Phase == PhaseEnded }, `"phase":"ended"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := new(State)
			in := strings.TrimSuffix(`{"session_id":"s",`+tc.in, ",") + "}"
			if err := json.Unmarshal([]byte(in), s); err != nil {
				t.Fatal(err)
			}
			if !tc.check(s) {
				t.Errorf("decoded to %+v", s)
			}
			out, err := json.Marshal(s)
			if err != nil || !strings.Contains(string(out), tc.out) {
				t.Errorf("written as %s, %v, want %s", out, err, tc.out)
			}
			for _, gone := range []string{keyCondensedLines, keyLinesAtStart} {
				if strings.Contains(string(out), gone) {
					t.Errorf("%s is still written: %s", gone, out)
				}
			}
		})
	}
}

func TestInvalidCheckpointGivesWayToAValidOne(t *testing.T) {
	t.Parallel()
	s := new(State)
	if err := json.Unmarshal([]byte(`{"session_id":"s","last_checkpoint_id":"nope"}`), s); err != nil {
		t.Fatal(err)
	}
	s.LastCheckpointID = id.MustCheckpointID("a3b2c4d5e6f7")
	out, err := json.Marshal(s)
	if err != nil || strings.Contains(string(out), "nope") || !strings.Contains(string(out), "a3b2c4d5e6f7") {
		t.Errorf("written as %s, %v", out, err)
	}
}

func TestStateRefusesWrongTypes(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		``, `null`, `[]`, `"x"`, `{"session_id":"a/b"}`, `{"session_id":1}`, `{"started_at":"yesterday"}`, `{"ended_at":3}`,
		`{"files_touched":"a"}`, `{"checkpoint_count":1.5}`, `{"phase":1}`, `{"turn_checkpoint_ids":"x"}`, `{} {}`, `{"phase":"idle"`,
	} {
		s := &State{TurnID: "kept"}
		if err := s.UnmarshalJSON([]byte(in)); err == nil {
			t.Errorf("accepted %s as %+v", in, s)
		}
		if s.TurnID != "kept" {
			t.Errorf("%s: a failed decode changed the state", in)
		}
	}
}

func TestUnknownFieldsSurvive(t *testing.T) {
	t.Parallel()
	const sid = "s"
	s := NewStateStore(t.TempDir())
	in := `{"zeta":{"b":1,"a":[1.50,"<&>"]},"session_id":"s","base_commit":"1","big":12345678901234567890123,"started_at":"2026-01-02T03:04:05Z","alpha":null}`
	path := s.path(mustSession(sid), layout.StateExt)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(in), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		err := s.Update(t.Context(), mustSession(sid), func(st *State) error {
			st.CheckpointCount++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fields, err := layout.Split(data)
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, f := range fields {
			keys = append(keys, f.Key)
		}
		want := []string{"session_id", "base_commit", "attribution_base_commit", "started_at", "phase", "checkpoint_count", "zeta", "big", "alpha"}
		if !slices.Equal(keys, want) {
			t.Errorf("update %d: keys %q, want %q", i, keys, want)
		}
		var doc map[string]json.RawMessage
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		var zeta bytes.Buffer
		if err := json.Compact(&zeta, doc["zeta"]); err != nil {
			t.Fatal(err)
		}
		if got, want := zeta.String(), `{"b":1,"a":[1.50,"\u003c\u0026\u003e"]}`; got != want {
			t.Errorf("zeta is %s, want %s", got, want)
		}
		if string(doc["big"]) != "12345678901234567890123" || string(doc["alpha"]) != "null" {
			t.Errorf("big is %s, alpha %s", doc["big"], doc["alpha"])
		}
	}
}

func TestTouchFiles(t *testing.T) {
	t.Parallel()
	s := &State{FilesTouched: []string{"b", "d"}}
	s.TouchFiles("d", "a", "c", "a")
	if want := []string{"a", "b", "c", "d"}; !slices.Equal(s.FilesTouched, want) {
		t.Errorf("got %q, want %q", s.FilesTouched, want)
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	ended, now := time.Unix(1, 0), time.Unix(2, 0)
	s := &State{Phase: PhaseEnded, EndedAt: &ended}
	if rest := s.Apply(Transition(s.Phase, TurnStart, TransitionContext{}), now); rest != nil {
		t.Errorf("left to do: %q", rest)
	}
	if s.Phase != PhaseActive || s.EndedAt != nil || !s.LastInteractionTime.Equal(now) {
		t.Errorf("state %+v", s)
	}
	rest := s.Apply(Transition(s.Phase, GitCommit, TransitionContext{}), now)
	if !slices.Equal(rest, []Action{ActionCondense}) {
		t.Errorf("left to do: %q", rest)
	}
}
