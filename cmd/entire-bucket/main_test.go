package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"entire/internal/bodies"
	"entire/internal/bucket/buckettest"
	"entire/internal/testrepo"
)

// sendVar makes the test binary send the bodies of the folder that it names, and end.
const sendVar = "ENTIRE_BUCKET_TEST_SEND"

func TestMain(m *testing.M) {
	if top := os.Getenv(sendVar); top != "" {
		f := bodies.New(filepath.Join(top, ".git"), top)
		f.Program, f.Environ = func() (string, error) { return os.Getenv(sendVar + "_PROGRAM"), nil }, os.Environ()
		waiting, err := f.Waiting()
		if err == nil {
			_, err = f.Send(context.Background(), keys(waiting))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func keys(m map[string]int64) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	return names
}

// bucketOf starts a server with an empty bucket, and returns a clone that sends to it, with the clone's folder.
func bucketOf(t *testing.T) (s *buckettest.Server, program string, f *bodies.Folder, top string) {
	t.Helper()
	s, err := buckettest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	program = programPath(t)
	f, top = clone(t, s.URL, program)
	return s, program, f, top
}

// programPath builds the program.
func programPath(t *testing.T) string {
	t.Helper()
	return filepath.Join(testrepo.Build(t, "entire-bucket"), "entire-bucket")
}

var credentials = []string{"AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=examplesecret", "AWS_REGION=us-east-1"}

// clone makes a folder of bodies for a bucket, with its own top.
func clone(t *testing.T, url, program string) (*bodies.Folder, string) {
	t.Helper()
	top := t.TempDir()
	if err := os.MkdirAll(filepath.Join(top, ".entire"), 0o755); err != nil {
		t.Fatal(err)
	}
	settings := fmt.Sprintf(`{"strategy_options": {"bucket": {"url": %q, "limit": 16}}}`, url)
	if err := os.WriteFile(filepath.Join(top, ".entire", "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	f := bodies.New(filepath.Join(top, ".git"), top)
	f.Program, f.Environ, f.Fetch = func() (string, error) { return program, nil }, append(os.Environ(), credentials...), true
	if err := f.Agree(t.Context(), url, true, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	return f, top
}

// fill stores n texts of a seed, and adds what stands for them to all.
func fill(t *testing.T, f *bodies.Folder, all map[string]bodies.Pointer, seed, n, size int) {
	t.Helper()
	source := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	for range n {
		text := make([]byte, size)
		_, _ = source.Read(text)
		blob, moved, err := f.Move(text, func(b []byte) ([]byte, error) { return b, nil })
		if err != nil || !moved {
			t.Fatalf("moved %v, %v", moved, err)
		}
		p, err := bodies.Parse(blob)
		if err != nil {
			t.Fatal(err)
		}
		all[p.SHA256] = p
	}
}

// sendAll sends what waits.
func sendAll(ctx context.Context, f *bodies.Folder) error {
	waiting, err := f.Waiting()
	if err == nil {
		_, err = f.Send(ctx, keys(waiting))
	}
	return err
}

// intact fails unless the bucket has exactly the bodies, each with its hash, and a clone can read all of them.
func intact(t *testing.T, s *buckettest.Server, program string, all map[string]bodies.Pointer) {
	t.Helper()
	objects, err := s.Objects()
	if err != nil {
		t.Fatal(err)
	}
	if len(objects) != len(all) {
		t.Errorf("the bucket has %d objects, want %d", len(objects), len(all))
	}
	for key, data := range objects {
		name := strings.ReplaceAll(strings.TrimPrefix(key, "shop/"), "/", "")
		if _, ok := all[name]; !ok || bodies.NameOf(data) != name {
			t.Errorf("%s has other bytes, or belongs to nothing", key)
		}
	}
	f, _ := clone(t, s.URL, program)
	var ask []bodies.Pointer
	for _, p := range all {
		ask = append(ask, p)
	}
	texts, errs := f.Read(t.Context(), ask)
	for i := range ask {
		if errs[i] != nil || int64(len(texts[i])) != ask[i].Plain {
			t.Errorf("read %s: %d bytes, %v", ask[i].SHA256, len(texts[i]), errs[i])
		}
	}
}

// kills returns how often processes are killed: BUCKET_KILLS.
func kills() int {
	if n, err := strconv.Atoi(os.Getenv("BUCKET_KILLS")); err == nil {
		return n
	}
	return 30
}

// TestKilledSends: the program, or the process that started it, is killed at a random instant of an upload. Nothing is
// lost, nothing is there twice, and no body is taken for sent that is not.
func TestKilledSends(t *testing.T) {
	t.Parallel()
	s, program, f, top := bucketOf(t)
	all, killed := map[string]bodies.Pointer{}, 0
	for round := range kills() {
		fill(t, f, all, round, 6, 30<<10)
		limit := time.Duration(rand.IntN(60)) * time.Millisecond
		if round%2 == 0 { // the process that started it
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(append(os.Environ(), credentials...), sendVar+"="+top, sendVar+"_PROGRAM="+program)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(limit)
			_ = cmd.Process.Kill()
			if cmd.Wait() != nil {
				killed++
			}
		} else { // the program
			ctx, stop := context.WithTimeout(t.Context(), limit)
			err := sendAll(ctx, f)
			stop()
			if errors.Is(err, context.DeadlineExceeded) {
				killed++
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if err := sentAreThere(f, s); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	if err := sendAll(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d sends were killed before their end; %d bodies", killed, kills(), len(all))
	intact(t, s, program, all)
}

// TestKilledReads: the program is killed while it gets bodies. No file with other bytes stays.
func TestKilledReads(t *testing.T) {
	t.Parallel()
	s, program, f, _ := bucketOf(t)
	all := map[string]bodies.Pointer{}
	fill(t, f, all, 1, 40, 60<<10)
	if err := sendAll(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	var ask []bodies.Pointer
	for _, p := range all {
		ask = append(ask, p)
	}
	for range kills() {
		g, _ := clone(t, s.URL, program)
		ctx, stop := context.WithTimeout(t.Context(), time.Duration(rand.IntN(60))*time.Millisecond)
		texts, errs := g.Read(ctx, ask)
		stop()
		for i := range ask {
			if (errs[i] == nil) != (int64(len(texts[i])) == ask[i].Plain) {
				t.Fatalf("%d bytes with %v", len(texts[i]), errs[i])
			}
		}
		kept, err := g.Kept()
		if err != nil {
			t.Fatal(err)
		}
		for name := range kept {
			data, err := os.ReadFile(filepath.Join(g.Dir(), "kept", name))
			if err != nil || bodies.NameOf(data) != name {
				t.Fatalf("%s has other bytes: %v", name, err)
			}
		}
	}
	intact(t, s, program, all)
}

// TestCutNetwork: connections end at random instants. Each failure is one error, and in the end everything is there.
func TestCutNetwork(t *testing.T) {
	t.Parallel()
	s, program, f, _ := bucketOf(t)
	all := map[string]bodies.Pointer{}
	fill(t, f, all, 1, 60, 40<<10)
	s.Cut(true)
	err := sendAll(t.Context(), f)
	if err == nil || !strings.Contains(err.Error(), "cannot be reached") || strings.Count(err.Error(), "cannot be reached") != 1 || strings.Contains(err.Error(), "context") {
		t.Errorf("without a network: %v", err)
	}
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for cut := true; ; cut = !cut {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(rand.IntN(15)) * time.Millisecond):
				s.Cut(cut)
			}
		}
	}()
	for range 20 {
		_ = sendAll(t.Context(), f) // may fail; nothing may be lost
		if err := sentAreThere(f, s); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	<-stopped
	s.Cut(false)
	if err := sendAll(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	intact(t, s, program, all)
}

// TestOneRound: all bodies of a conversation come with one start of the program.
func TestOneRound(t *testing.T) {
	t.Parallel()
	s, program, f, _ := bucketOf(t)
	all := map[string]bodies.Pointer{}
	fill(t, f, all, 1, 200, 20<<10)
	if err := sendAll(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	g, _ := clone(t, s.URL, program)
	starts := 0
	g.Program = func() (string, error) { starts++; return program, nil }
	var ask []bodies.Pointer
	for _, p := range all {
		ask = append(ask, p, p)
	}
	before := s.Requests("GET")
	if _, errs := g.Read(t.Context(), ask); errors.Join(errs...) != nil {
		t.Fatal(errors.Join(errs...))
	}
	if n := s.Requests("GET") - before; starts != 1 || n != len(all) {
		t.Errorf("%d starts and %d requests for %d bodies", starts, n, len(all))
	}
}

// TestRealServer: the same against a server that stores objects in files, versitygw, if it is on PATH.
func TestRealServer(t *testing.T) {
	t.Parallel()
	server, err := exec.LookPath("versitygw")
	if err != nil {
		t.Skip("there is no versitygw here: go install github.com/versity/versitygw/cmd/versitygw@latest")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	dir, side := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "team"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), server, "--access", "AKIDEXAMPLE", "--secret", "examplesecret", "--port", address, "posix", "--sidecar", side, dir)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	for range 1200 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	program, url := programPath(t), "http://"+address+"/team/shop"
	f, _ := clone(t, url, program)
	all := map[string]bodies.Pointer{}
	fill(t, f, all, 1, 50, 100<<10)
	if err := sendAll(t.Context(), f); err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	g, _ := clone(t, url, program)
	var ask []bodies.Pointer
	for _, p := range all {
		ask = append(ask, p)
	}
	if _, errs := g.Read(t.Context(), ask); errors.Join(errs...) != nil {
		t.Fatal(errors.Join(errs...))
	}
	if n, err := g.Delete(t.Context(), []string{ask[0].SHA256, strings.Repeat("0", 64)}); len(n) != 2 || err != nil {
		t.Errorf("deleted %q, %v", n, err)
	}
	failed, err := f.Check(t.Context(), ask)
	if err != nil || len(failed) != 1 || !errors.Is(failed[ask[0].SHA256], bodies.ErrMissing) {
		t.Errorf("check: %v, %v", failed, err)
	}
	bad, _ := clone(t, "http://"+address+"/nowhere/shop", program)
	fill(t, bad, map[string]bodies.Pointer{}, 3, 2, 20<<10)
	if err := sendAll(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "there is no bucket") {
		t.Errorf("no such bucket: %v", err)
	}
	bad.Environ = append(os.Environ(), "AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=wrong", "AWS_REGION=us-east-1")
	if err := sendAll(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "refuses these credentials") {
		t.Errorf("wrong credentials: %v", err)
	}
}

// sentAreThere returns an error if the clone takes a body for sent that the bucket does not have.
func sentAreThere(f *bodies.Folder, s *buckettest.Server) error {
	kept, err := f.Kept()
	if err != nil {
		return err
	}
	objects, err := s.Objects()
	for name := range kept {
		if data := objects["shop/"+name[:2]+"/"+name[2:]]; bodies.NameOf(data) != name {
			return fmt.Errorf("%s counts as sent, and the bucket does not have it", name)
		}
	}
	return err
}
