package share_test

import (
	"flag"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
	"entire/strategy/sessionstate"
	"entire/strategy/share"
)

// pushers is how many clones push at once; `make pushers` has 200.
var pushers = flag.Int("pushers", 12, "how many clones push at once")

// A pusher is a clone with one checkpoint of its own.
type pusher struct {
	t    *testing.T
	r    *testrepo.Repo
	repo *git.Repo
	env  *sessionstate.Env
	own  id.CheckpointID
	url  string
}

func newPusher(t *testing.T, shared *testrepo.Repo, n int) *pusher {
	t.Helper()
	r := shared.Clone()
	repo, err := git.Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	p := &pusher{t: t, r: r, repo: repo, own: id.MustCheckpointID(fmt.Sprintf("%02x%010x", n%256, n+1))}
	p.env = sessionstate.New(sessionstate.Options{Repo: repo, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	p.record(p.own)
	if _, err := share.Agree(t.Context(), p.env, "origin"); err != nil {
		t.Fatal(err)
	}
	if p.url, err = repo.FetchURL(t.Context(), "origin"); err != nil {
		t.Fatal(err)
	}
	return p
}

// record writes a checkpoint.
func (p *pusher) record(cp id.CheckpointID) {
	p.t.Helper()
	rec := metadata.Record{ID: cp, Strategy: shadow.StrategyManual, Author: git.Signature{Name: "Dev " + cp.String(), Email: "dev@example.com", When: time.Now()},
		Sessions: []metadata.SessionRecord{{Metadata: metadata.CommittedMetadata{SessionID: "session-" + cp.String(), CreatedAt: time.Now().UTC()}, Prompts: "do " + cp.String()}}}
	if err := metadata.WriteRecord(p.t.Context(), p.repo, rec); err != nil {
		p.t.Fatal(err)
	}
}

// push is what `git push` waits for: the hook that sends sessions along. It returns whether the hook said that something
// was not sent.
func (p *pusher) push() (sent bool) {
	p.t.Helper()
	sent = true
	p.env.Tell = func(line string) {
		if strings.Contains(line, "not sent") {
			sent = false
			p.t.Log(line)
		}
	}
	if err := share.PrePush(p.t.Context(), p.env, "origin", p.url, nil); err != nil && sent {
		p.t.Errorf("push: %v", err)
	}
	return sent
}

// share sends and receives everything.
func (p *pusher) share() share.Pushed {
	p.t.Helper()
	done, err := share.Push(p.t.Context(), p.env, share.PushRequest{Target: "origin"})
	if err != nil || len(done) != 1 || done[0].Err != nil {
		p.t.Fatalf("share: %v, %+v", err, done)
	}
	return done[0]
}

// atOnce runs do for each of n at the same time, and logs how long they took and how much processor time, with that of
// the programs that they started, servers included.
func atOnce(t *testing.T, what string, n int, do func(i int)) {
	t.Helper()
	took := make([]time.Duration, n)
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			began := time.Now()
			do(i)
			took[i] = time.Since(began)
		})
	}
	before := processorTime(t)
	close(start)
	all.Wait()
	used := processorTime(t) - before
	slices.Sort(took)
	t.Logf("%-38s median %5.2fs, 95%% %5.2fs, longest %5.2fs; %5.1f ms of processor time each", fmt.Sprint(n, " ", what),
		took[n/2].Seconds(), took[n*95/100].Seconds(), took[n-1].Seconds(), used.Seconds()*1000/float64(n))
}

// Clones that push at the same moment lose nothing: what loses the race too often waits in refs of its own, and the next
// push that meets it merges and deletes it.
func TestPushersAtOnce(t *testing.T) {
	shared := testrepo.New(t)
	shared.Write("a.txt", "a\n")
	shared.Commit("first")
	shared.Git("config", "receive.denyCurrentBranch", "ignore")
	clones := make([]*pusher, *pushers)
	for i := range clones {
		clones[i] = newPusher(t, shared, i)
	}

	// The same number of plain pushes, each to a branch of its own, which no other push disturbs.
	atOnce(t, "plain git pushes", len(clones), func(i int) {
		clones[i].r.Git("push", "-q", "origin", fmt.Sprint("HEAD:refs/heads/plain-", i))
	})
	for i := range clones {
		shared.Git("update-ref", "-d", fmt.Sprint("refs/heads/plain-", i)) // the next pushes find what these found
	}
	pushAll(t, shared, clones, "pushes of sessions")
	for i, c := range clones {
		c.own = id.MustCheckpointID(fmt.Sprintf("%02x%010x", i%256, i+1+len(clones)))
		c.record(c.own)
	}
	pushAll(t, shared, clones, "second pushes of sessions")

	if last := clones[0].share(); last.Inbox != "" {
		t.Errorf("a push alone left something in %s", last.Inbox)
	}
	if refs := shared.Git("for-each-ref", "refs/entire/inbox"); refs != "" {
		t.Errorf("the inbox still has %d refs", strings.Count(refs, "\n")+1)
	}
	ids, err := records.NewReader(clones[0].repo).ListIDs(t.Context())
	if err != nil || len(ids) != 2*len(clones) {
		t.Errorf("%d of %d checkpoints are on the branch, %v", len(ids), 2*len(clones), err)
	}
	if tip := shared.Git("rev-parse", shadow.MetadataRef); tip != clones[0].r.Git("rev-parse", shadow.MetadataRef) {
		t.Error("the destination's branch is not the one of the last push")
	}
	shared.Git("fsck", "--no-dangling")
	if stays, _ := filepath.Glob(filepath.Join(shared.Dir, ".git", "refs", "heads", "entire", "checkpoints", "*.lock")); len(stays) > 0 {
		t.Errorf("locks stay: %v", stays)
	}
}

// pushAll lets all clones push at once. What a push does not report as unsent must be at the destination afterwards.
func pushAll(t *testing.T, shared *testrepo.Repo, clones []*pusher, what string) {
	t.Helper()
	sent := make([]bool, len(clones))
	atOnce(t, what, len(clones), func(i int) { sent[i] = clones[i].push() })
	inbox := strings.Fields(shared.Git("for-each-ref", "--format=%(objectname)", "refs/entire/inbox"))
	var names strings.Builder
	for _, tip := range append(inbox, shadow.MetadataRef) {
		names.WriteString(shared.Git("ls-tree", "-r", "--name-only", tip) + "\n")
	}
	unsent := 0
	for i, c := range clones {
		there := strings.Contains(names.String(), c.own.Path()+"/metadata.json")
		if sent[i] && !there {
			t.Errorf("checkpoint %s was sent and is not there", c.own)
		}
		if !there {
			unsent++
			c.share()
		}
	}
	t.Logf("%d refs hold what is not on the branch; %d pushes said that they had not sent theirs in time, and the next push did", len(inbox), unsent)
}
