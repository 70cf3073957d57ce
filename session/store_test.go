package session

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"entire/id"
)

func TestStore(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), NewStateStore(filepath.Join(t.TempDir(), "common"))
	want := sampleState()
	sid := want.SessionID

	if _, err := s.Load(ctx, sid); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), sid.String()) {
		t.Errorf("load before save: %v", err)
	}
	if err := s.Update(ctx, sid, func(*State) error { return nil }); !errors.Is(err, ErrNotFound) {
		t.Errorf("update before save: %v", err)
	}
	if states, problems, err := s.List(ctx); len(states)+len(problems) != 0 || err != nil {
		t.Errorf("list before save: %v, %v, %v", states, problems, err)
	}
	if list, err := s.Summaries(ctx); len(list) != 0 || err != nil {
		t.Errorf("summaries before save: %v, %v", list, err)
	}
	if err := s.Save(ctx, want); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Load(ctx, sid); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("loaded %+v, %v", got, err)
	}
	path := filepath.Join(s.dir, sid.String()+".json")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(s.dir); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("directory mode %v, %v", info.Mode(), err)
	}
	if err := s.SaveSide(sid, "engine.json", 1); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Remove(ctx, sid); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Load(ctx, sid); !errors.Is(err, ErrNotFound) {
		t.Errorf("load after remove: %v", err)
	}
	if _, err := os.Lstat(s.Dir(sid)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("side directory after remove: %v", err)
	}
}

func TestStoreRefuses(t *testing.T) {
	t.Parallel()
	s := NewStateStore(t.TempDir())
	sid := mustSession("s")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Save(t.Context(), &State{SessionID: sid}); err != nil {
		t.Fatal(err)
	}
	own := errors.New("own")
	for _, tc := range []struct {
		name string
		err  error
		want string
	}{
		{"save without an id", s.Save(t.Context(), &State{}), "no session id"},
		{"remove without an id", s.Remove(t.Context(), id.SessionID{}), "no session id"},
		{"save when cancelled", s.Save(cancelled, &State{SessionID: sid}), "context canceled"},
		{"update refused by its caller", s.Update(t.Context(), sid, func(*State) error { return own }), "own"},
		{"update to another id", s.Update(t.Context(), sid, func(st *State) error {
			st.SessionID = mustSession("other")
			return nil
		}), "its id was changed to other"},
		{"side file outside", s.SaveSide(sid, "../x.json", 1), "not a file name"},
		{"side file without a name", s.LoadSide(sid, "", new(int)), "not a file name"},
		{"side file of nobody", s.SaveSide(id.SessionID{}, "x.json", 1), "no session id"},
	} {
		if tc.err == nil || !strings.Contains(tc.err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q", tc.name, tc.err, tc.want)
		}
	}
	if entries, err := os.ReadDir(s.dir); err != nil || len(entries) != 1 { // s.json
		t.Errorf("directory holds %v, %v", entries, err)
	}
}

func TestSideFiles(t *testing.T) {
	t.Parallel()
	s, sid := NewStateStore(t.TempDir()), mustSession("s")
	type side struct {
		A []string `json:"a"`
	}
	var got side
	if err := s.LoadSide(sid, "engine.json", &got); !errors.Is(err, ErrNotFound) {
		t.Errorf("absent: %v", err)
	}
	if err := s.SaveSide(sid, "engine.json", side{[]string{"<x>"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.LoadSide(sid, "engine.json", &got); err != nil || !reflect.DeepEqual(got, side{[]string{"<x>"}}) {
		t.Errorf("got %v, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir(sid), "engine.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.LoadSide(sid, "engine.json", &got); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("damaged: %v", err)
	}
}

func TestHostileDirectory(t *testing.T) {
	t.Parallel()
	s := NewStateStore(t.TempDir())
	if err := s.Save(t.Context(), &State{SessionID: mustSession("b")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(t.Context(), &State{SessionID: mustSession("b-a")}); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(outside, `{"session_id":"linked"}`)
	for name, text := range map[string]string{
		".json":            `{"session_id":"x"}`,
		"-rf.json":         `{"session_id":"-rf"}`,
		"a..b.json":        `{"session_id":"a..b"}`,
		"a\nb.json":        `{"session_id":"a\nb"}`,
		"sp ace.json":      `{"session_id":"sp ace"}`,
		"x.lock.json":      `{"session_id":"x.lock"}`,
		"torn.json":        `{"session_id":"torn","base_`,
		"empty.json":       ``,
		"list.json":        `[]`,
		"somebody.json":    `{"session_id":"else"}`,
		"time.json":        `{"session_id":"time","started_at":"soon"}`,
		"b.json.tmp":       `torn`,
		"b.json.tmp-12":    `torn`,
		"notes.txt":        `mine`,
		"b.lock":           ``,
		"UPPER.JSON":       `{}`,
		"deep.json.backup": `{}`,
	} {
		write(filepath.Join(s.dir, name), text)
	}
	if err := os.Symlink(outside, filepath.Join(s.dir, "linked.json")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"dir.json", "b.d"} {
		if err := os.Mkdir(filepath.Join(s.dir, dir), 0o750); err != nil {
			t.Fatal(err)
		}
	}
	before := tree(t, s.dir)

	states, problems, err := s.List(t.Context())
	if err != nil || len(states) != 2 || states[0].SessionID.String() != "b" || states[1].SessionID.String() != "b-a" {
		t.Errorf("states %v, %v", states, err)
	}
	got := map[string]bool{}
	for _, p := range problems {
		got[p.Name] = true
		if p.Err == nil || errors.Is(p.Err, ErrNotFound) || strings.Contains(p.Err.Error(), "\n") {
			t.Errorf("%q: problem %v", p.Name, p.Err)
		}
	}
	want := map[string]bool{}
	for _, name := range []string{".json", "-rf.json", "a..b.json", "a\nb.json", "sp ace.json", "x.lock.json", "torn.json",
		"empty.json", "list.json", "somebody.json", "time.json", "linked.json", "dir.json"} {
		want[name] = true
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("problems %v\nwant     %v", got, want)
	}
	for range 2 { // without and with an index
		list, err := s.Summaries(t.Context())
		if err != nil || len(list) != 2 || list[0].ID.String() != "b" || list[1].ID.String() != "b-a" {
			t.Errorf("summaries %v, %v", list, err)
		}
	}
	if after := tree(t, s.dir); !reflect.DeepEqual(after, before) {
		t.Errorf("listing changed the directory:\n%v\n%v", before, after)
	}
}

func TestUpdatesOfManyProcesses(t *testing.T) {
	t.Parallel()
	common, sid := t.TempDir(), mustSession("s")
	s := NewStateStore(common)
	if err := s.Save(t.Context(), &State{SessionID: sid, StartedAt: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var running []*exec.Cmd
	for range 8 {
		cmd := exec.Command(binary, "increment", common, sid.String(), "20")
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	got, err := s.Load(t.Context(), sid)
	if err != nil || got.CheckpointCount != 160 || len(got.FilesTouched) != 160 {
		t.Errorf("160 updates left a count of %d and %d files, %v", got.CheckpointCount, len(got.FilesTouched), err)
	}
	list, err := s.Summaries(t.Context())
	if err != nil || len(list) != 1 || list[0].CheckpointCount != 160 {
		t.Errorf("summaries %+v, %v", list, err)
	}
}

// tree returns names, kinds and contents of a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			out[path] = e.Type().String()
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
