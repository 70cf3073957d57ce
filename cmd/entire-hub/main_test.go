//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"entire/internal/hub/hubtest"
	"entire/internal/hub/index"
	"entire/internal/testrepo"
)

func TestMain(m *testing.M) { os.Exit(hubtest.Run(m)) }

// lab is a hub's processes with a database and a git server of their own; a test can kill each of them.
type lab struct {
	*testing.T
	bin, conf string
	confs     []string // of the replicas
	env       []string
	database  string
	cluster   *hubtest.Cluster
	shop      *hubtest.Repository
	git       *hubtest.GitServer
	hubs      []replica
	log       *os.File // of all hubs
	ended     int      // hubs that nobody had killed
	random    *rand.Rand
}

func newLab(t *testing.T) *lab {
	t.Helper()
	cluster, why := hubtest.NewCluster()
	if why != "" {
		t.Skip(why)
	}
	t.Cleanup(cluster.Remove)
	l := &lab{T: t, bin: testrepo.Build(t, "entire", "entire-hub"), cluster: cluster, shop: hubtest.NewRepository(t, "shop"), random: rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))}
	var err error
	if l.log, err = os.Create(filepath.Join(t.TempDir(), "log")); err != nil {
		t.Fatal(err)
	}
	l.shop.Add(200)
	l.git = hubtest.ServeGit(t, filepath.Dir(l.shop.Dir), l.shop.Env)
	l.database = cluster.Database(t)
	l.env = append(l.shop.Env, "HUB_DATABASE="+l.database, "HUB_PASSWORD="+l.git.Password)
	conf := map[string]any{"listen": "127.0.0.1:0", "data": "", "database_env": "HUB_DATABASE", "poll": "30ms",
		"repositories": []map[string]string{{"name": "shop", "url": l.git.URL + "/shop.git", "user": l.git.User, "password_env": "HUB_PASSWORD"}},
		"tokens":       []map[string]any{{"name": "all", "sha256": strings.Repeat("0", 64), "repositories": []string{"*"}}}}
	for _, replica := range []string{"a", "b"} { // each has mirrors of its own
		// Git that was killed with a hub may write for a moment: hubtest.Run removes this, not the test.
		if conf["data"], err = os.MkdirTemp("", "replica-"+replica); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(conf)
		if err != nil {
			t.Fatal(err)
		}
		l.confs = append(l.confs, filepath.Join(t.TempDir(), replica+".json"))
		if err := os.WriteFile(l.confs[len(l.confs)-1], data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l.conf = l.confs[0]
	t.Cleanup(l.killHubs)
	return l
}

// A replica is a hub's process.
type replica struct {
	cmd   *exec.Cmd
	conf  string
	ended chan struct{}
}

// start starts the replicas that do not run, as whoever deploys them makes sure of.
func (l *lab) start() {
	l.hubs = slices.DeleteFunc(l.hubs, func(r replica) bool {
		select {
		case <-r.ended:
			l.ended++
			said, _ := os.ReadFile(l.log.Name())
			l.Logf("a hub has ended; last said was: %s", said[max(0, len(said)-500):])
			return true
		default:
			return false
		}
	})
	for _, conf := range l.confs {
		if slices.ContainsFunc(l.hubs, func(r replica) bool { return r.conf == conf }) {
			continue
		}
		cmd := hubtest.Bind(l, filepath.Join(l.bin, "entire-hub"), "serve", "--config", conf)
		cmd.Env, cmd.Stderr = l.env, l.log
		if err := cmd.Start(); err != nil {
			l.Fatal(err)
		}
		r := replica{cmd, conf, make(chan struct{})}
		go func() {
			_ = cmd.Wait()
			close(r.ended)
		}()
		l.hubs = append(l.hubs, r)
	}
}

// killHubs kills all replicas as a crash does, with the git that they have started.
func (l *lab) killHubs() {
	for _, r := range l.hubs {
		_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
		<-r.ended
	}
	l.hubs = nil
}

// whole fails unless the index becomes equal to the repository: it opens the index itself, since a hub may be down.
func (l *lab) whole() {
	l.Helper()
	x, err := index.Open(l.Context(), index.Options{Postgres: l.database})
	if err != nil {
		l.Fatal(err)
	}
	defer x.Close()
	var kept map[string]index.Kept
	for end := time.Now().Add(2 * time.Minute); len(kept) != l.shop.Count(); time.Sleep(30 * time.Millisecond) {
		l.start()
		if kept, err = x.Kept(l.Context(), index.Number("shop")); err != nil {
			l.Fatal(err)
		}
		if time.Now().After(end) {
			r, err := x.Repository(l.Context(), index.Number("shop"))
			said, _ := os.ReadFile(l.log.Name())
			l.Logf("the hubs said last: %s", said[max(0, len(said)-4000):])
			l.Fatalf("stuck: the index has %d checkpoints, the repository %d: %+v, %v", len(kept), l.shop.Count(), r, err)
		}
	}
	for i := range l.shop.Count() {
		if _, ok := kept[l.shop.ID(i)]; !ok {
			l.Errorf("lost: %s", l.shop.ID(i))
		}
	}
	problems, err := x.Check(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	for _, p := range problems {
		l.Error(p)
	}
}

// TestKilled kills hubs, the database and the network at random instants while checkpoints arrive: HUB_KILLS (9) times. After
// every tenth the index must become whole by itself: nothing lost, nothing twice, nothing stuck.
func TestKilled(t *testing.T) {
	kills := 9
	if n, err := strconv.Atoi(os.Getenv("HUB_KILLS")); err == nil {
		kills = n
	}
	l := newLab(t)
	counts := map[string]int{}
	for i := range kills {
		l.start()
		l.shop.Add(20 + l.random.IntN(60))
		time.Sleep(time.Duration(l.random.IntN(400)) * time.Millisecond)
		switch what := []string{"hub", "database", "network"}[i%3]; what {
		case "hub":
			counts[what]++
			l.killHubs()
		case "database":
			counts[what]++
			l.cluster.Kill()
			time.Sleep(time.Duration(l.random.IntN(200)) * time.Millisecond)
			if err := l.cluster.Start(); err != nil {
				t.Fatal(err)
			}
		case "network":
			counts[what]++
			l.git.Cut.Store(1 + l.random.Int64N(40_000))
			l.git.CloseClientConnections()
			time.Sleep(time.Duration(l.random.IntN(300)) * time.Millisecond)
			l.git.Cut.Store(0)
		}
		if i%10 == 9 || i == kills-1 {
			l.whole()
			t.Logf("killed %d times so far: whole", i+1)
		}
	}
	t.Logf("killed %d times (%v) with %d checkpoints at the end; %d hubs ended by themselves and were started again", kills, counts, l.shop.Count(), l.ended)
}

// TestWaitsForDatabase: hubs that start before their database answers wait for it.
func TestWaitsForDatabase(t *testing.T) {
	l := newLab(t)
	l.cluster.Kill()
	l.start()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if said, _ := os.ReadFile(l.log.Name()); bytes.Count(said, []byte("does not answer yet")) >= 2 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no hub says that it waits")
		}
	}
	if err := l.cluster.Start(); err != nil {
		t.Fatal(err)
	}
	l.whole()
	if l.ended > 0 {
		t.Errorf("%d hubs have ended", l.ended)
	}
}

// TestProgram: `entire hub` becomes the program beside it, with the same options; a whole day of a hub works with it.
func TestProgram(t *testing.T) {
	l := newLab(t)
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(l.bin, "entire"), append([]string{"hub"}, args...)...)
		cmd.Env = append(l.env, "PATH="+os.Getenv("PATH"))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		return out.String(), err
	}
	hooked := filepath.Join(t.TempDir(), "hooked.json")
	data, err := os.ReadFile(l.conf)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Replace(data, []byte(`"name":"shop"`), []byte(`"name":"shop","forge":"gitea","webhook_secret_env":"NO_SECRET"`), 1)
	if err := os.WriteFile(hooked, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, try := range []struct {
		args []string
		says string
		ok   bool
	}{
		{[]string{"check", "--config", l.conf}, "was not read yet", false},
		{[]string{"rebuild", "--config", l.conf}, "200 checkpoints read", true},
		{[]string{"check", "--config", l.conf, "--json"}, `"problems": []`, true},
		{[]string{"export", "--config", l.conf, t.TempDir()}, "checkpoint            200 rows", true},
		{[]string{"export", "--config", l.conf, "--format", "csv", t.TempDir()}, "hint: ", false},
		{[]string{"serve", "--config", filepath.Join(t.TempDir(), "none.json")}, "hint: ", false},
		{[]string{"serve"}, "hint: ", false},
		{[]string{"serve", "--try", t.TempDir()}, "hint: ", false},
		{[]string{"serve", "--try", ".", "--config", l.conf}, "hint: ", false},
		{[]string{"serve", "--config", l.conf, "--listen", "256.0.0.1:1"}, "hint: ", false},
		{[]string{"serve", "--config", hooked}, "the variable NO_SECRET, which should have the secret of the webhook of shop, is not set", false},
		{[]string{"token"}, "sha256: ", true},
		{[]string{"serve", "--help"}, "--try", true},
	} {
		if said, err := run(try.args...); !strings.Contains(said, try.says) || (err == nil) != try.ok {
			t.Errorf("entire hub %v: %v: %s", try.args, err, said)
		}
	}
	l.gracefully()
}

// gracefully: a signal to end ends a replica with status 0.
func (l *lab) gracefully() {
	port := freePort(l.T)
	cmd := exec.Command(filepath.Join(l.bin, "entire"), "hub", "serve", "--config", l.conf, "--listen", fmt.Sprint("127.0.0.1:", port))
	cmd.Env = l.env
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		l.Fatal(err)
	}
	defer hubtest.Own(cmd.Process)()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", port)); err == nil {
			c.Close()
			break
		}
		if time.Now().After(end) {
			l.Fatalf("it does not listen: %s", log.String())
		}
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		l.Errorf("%v: %s", err, log.String())
	}
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
