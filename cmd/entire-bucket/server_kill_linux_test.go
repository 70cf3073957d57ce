package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"entire/internal/bodies"
	"entire/internal/bucket/buckettest"
	"entire/internal/testrepo"
)

// serverLab is a bucket's server that is killed, and the clones that use it.
type serverLab struct {
	*testing.T
	gateway *buckettest.Gateway
	bin     string
	shared  *testrepo.Repo
	workers []*worker

	mu                      sync.Mutex
	live                    map[string]string // checkpoint: the last text of its conversation
	gone                    map[string]bool   // bodies of checkpoints that were forgotten
	errors                  map[string]int    // lines about the bucket, without what differs
	commands, failed, again int
	random                  *rand.Rand
}

// environ is what a clone's programs see.
func (l *serverLab) environ(home string) []string {
	return append(testrepo.Environ(home), "AWS_ACCESS_KEY_ID="+buckettest.GatewayAccess, "AWS_SECRET_ACCESS_KEY="+buckettest.GatewaySecret, "AWS_REGION=us-east-1")
}

func newServerLab(t *testing.T, clones int) *serverLab {
	t.Helper()
	g, err := buckettest.NewGateway(t.TempDir())
	if err != nil {
		t.Skipf("there is no %s on PATH (`make bucket-kills` builds it): %v", buckettest.GatewayProgram, err)
	}
	l := &serverLab{T: t, gateway: g, bin: testrepo.Build(t, "entire", "entire-bucket"), live: map[string]string{}, gone: map[string]bool{},
		errors: map[string]int{}, random: rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))}
	t.Setenv("PATH", l.bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if err := g.Start(false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.gateway.Kill() })
	first := testrepo.New(t, testrepo.Files(map[string]string{".entire/settings.json": fmt.Sprintf(`{"strategy_options": {"bucket": {"url": %q, "limit": 16}}}`, g.URL)}))
	l.shared = first.Clone("--bare")
	for i := range clones {
		l.workers = append(l.workers, newWorker(l, fmt.Sprintf("clone%d", i)))
	}
	return l
}

func (l *serverLab) count(n *int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*n++
}

func (l *serverLab) add(id, end string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.live[id] = end
}

func (l *serverLab) forgotten(id string, names map[string]bodies.Pointer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.live, id)
	for name := range names {
		l.gone[name] = true
	}
}

func (l *serverLab) lives(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.live[id]
	return ok
}

func (l *serverLab) isGone(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gone[name]
}

// pick returns one of the checkpoints, and the end of its conversation.
func (l *serverLab) pick(random *rand.Rand) (id, end string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := slices.Sorted(maps.Keys(l.live))
	if len(ids) == 0 {
		return "", ""
	}
	id = ids[random.IntN(len(ids))]
	return id, l.live[id]
}

// aboutBucket matches a line that says that the bucket could not be used.
var aboutBucket = regexp.MustCompile(`the bucket \S+ (cannot be reached|does not answer): `)

var differs = regexp.MustCompile(`[0-9a-f]{7,64}|\d+|clone\d|mark-\S+`)

// heard counts a command, and fails if what it says of the bucket is more than one line, or an error says something else.
func (l *serverLab) heard(command, said string, err error) (about int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.commands++
	for line := range strings.Lines(said) {
		if aboutBucket.MatchString(line) {
			about++
			l.errors[differs.ReplaceAllString(strings.TrimSpace(line), "N")]++
		}
	}
	if err != nil || about > 0 {
		l.failed++
	}
	if about > 1 || err != nil && about == 0 || strings.Contains(said, "goroutine ") {
		l.Errorf("%s: %v, %d lines about the bucket:\n%s", command, err, about, said)
	}
	return about
}

// kill stops the server at a random instant, looks whether what counts as sent is there, and kills it.
func (l *serverLab) kill(atWork bool) buckettest.Frozen {
	time.Sleep(time.Duration(l.random.IntN(500)) * time.Millisecond)
	for atWork {
		n, err := l.gateway.Connections()
		if err != nil {
			l.Fatal(err)
		}
		if n > 0 {
			time.Sleep(time.Duration(l.random.IntN(4000)) * time.Microsecond)
			break
		}
		time.Sleep(time.Millisecond)
	}
	f, err := l.gateway.Freeze()
	if err != nil {
		l.Fatal(err)
	}
	stored := map[string]bool{}
	if err := l.gateway.Stored(func(key, _ string) error { stored[nameOf(key)] = true; return nil }); err != nil {
		l.Fatal(err)
	}
	for _, w := range l.workers {
		w.kept(func(name, _ string) {
			if !stored[name] && !l.isGone(name) {
				l.Errorf("%s: %s counts as sent, and the bucket does not have it", w.name, name)
			}
		})
	}
	l.gateway.Kill()
	time.Sleep(time.Duration(l.random.IntN(300)) * time.Millisecond)
	if err := l.gateway.Start(l.random.IntN(2) == 0); err != nil {
		l.Fatal(err)
	}
	return f
}

func nameOf(key string) string { return strings.ReplaceAll(strings.TrimPrefix(key, "shop/"), "/", "") }

// whole fails unless the bucket has exactly what the remote's checkpoints name and no clone waits for anything. all says
// that each clone reads everything.
func (l *serverLab) whole(turn int, all bool) (objects int) {
	l.together(func(w *worker) { w.must("", "entire", "share", "push") })
	for range 2 { // one after the other, so that nothing waits in the inbox; the second time, each knows what all have forgotten
		for _, w := range l.workers {
			w.must("", "entire", "share", "push")
		}
	}
	named := pointersIn(l, l.shared, "")
	there := map[string]bool{}
	err := l.gateway.Stored(func(key, file string) error {
		data, err := os.ReadFile(file)
		name := nameOf(key)
		there[name] = true
		if p, ok := named[name]; !ok || bodies.NameOf(data) != name || p.Size != int64(len(data)) {
			l.Errorf("the bucket's %s has other bytes, or belongs to nothing (forgotten: %v)", key, l.gone[name])
		}
		return err
	})
	listed, lerr := l.gateway.Listed(l.Context())
	if err != nil || lerr != nil {
		l.Fatal(err, lerr)
	}
	if len(listed) != len(named) || len(there) != len(named) {
		l.Errorf("the checkpoints name %d parts; the bucket has %d and lists %d", len(named), len(there), len(listed))
	}
	for name := range named {
		if !there[name] {
			l.Errorf("lost: %s", name)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(l.live)) {
		if len(pointersIn(l, l.shared, id)) == 0 {
			l.Errorf("lost: checkpoint %s", id)
		}
	}
	l.together(func(w *worker) { w.whole(named) })
	if left := l.running(); left != "" {
		l.Errorf("still running: %s", left)
	}
	for i, w := range l.workers {
		if !all && i != turn%len(l.workers) {
			continue
		}
		w.checked(len(named))
		_ = os.RemoveAll(filepath.Join(w.Dir, ".git", "entire", "bodies", "kept"))
		ends := l.live
		if id, end := l.pick(l.random); !all && id != "" {
			ends = map[string]string{id: end}
		}
		for id, end := range ends {
			if said := w.must("", "entire", "explain", id, "--full"); !strings.Contains(said, end) {
				l.Errorf("%s cannot read %s of %s: %s", w.name, end, id, said)
			}
		}
	}
	return len(named)
}

// running returns the programs of clones that run.
func (l *serverLab) running() (all string) {
	exes, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, exe := range exes {
		if to, err := os.Readlink(exe); err == nil && strings.HasPrefix(to, l.bin) {
			all += " " + to
		}
	}
	return all
}

func (l *serverLab) together(do func(*worker)) {
	var wg sync.WaitGroup
	for _, w := range l.workers {
		wg.Go(func() { do(w) })
	}
	wg.Wait()
}

// serverKills returns how often the server is killed: BUCKET_SERVER_KILLS.
func serverKills() int {
	if n, err := strconv.Atoi(os.Getenv("BUCKET_SERVER_KILLS")); err == nil {
		return n
	}
	return 3
}

// TestServerKilled: the bucket's server is killed at random instants, and starts again, while clones push, read and forget.
// After every tenth kill everything must be whole: nothing lost, nothing twice, nothing stuck.
func TestServerKilled(t *testing.T) {
	l := newServerLab(t, 4)
	var total buckettest.Frozen
	hit, half, objects, kills := 0, 0, 0, serverKills()
	for done := 0; done < kills && !t.Failed(); {
		stop := make(chan bool)
		var working sync.WaitGroup
		for _, w := range l.workers {
			working.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						w.step()
					}
				}
			})
		}
		for range min(10, kills-done) {
			f := l.kill(l.random.IntN(4) > 0)
			done++
			total.Requests += f.Requests
			total.Half += f.Half
			if f.Requests > 0 {
				hit++
			}
			if f.Half > 0 {
				half++
			}
		}
		close(stop)
		working.Wait()
		objects = l.whole(done/10, done == kills)
		left, err := l.gateway.Leftovers()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("killed %d times: %d with requests under way (%d requests), %d with objects half written (%d objects)", done, hit, total.Requests, half, total.Half)
		t.Logf("%d checkpoints with %d parts, %d forgotten parts, %d unfinished files in the server's folder", len(l.live), objects, len(l.gone), left)
		t.Logf("%d commands, %d said that the bucket was not there, %d pushed again", l.commands, l.failed, l.again)
	}
	l.shared.Fsck()
	for line, n := range l.errors {
		if strings.Contains(line, "context") {
			t.Errorf("not a reason: %s", line)
		}
		t.Logf("%5d times: %s", n, line)
	}
}
