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
	rec := metadata.Record{ID: p.own, Strategy: shadow.StrategyManual, Author: git.Signature{Name: fmt.Sprint("Dev ", n), Email: "dev@example.com", When: time.Now()},
		Sessions: []metadata.SessionRecord{{Metadata: metadata.CommittedMetadata{SessionID: fmt.Sprint("session-", n), CreatedAt: time.Now().UTC()}, Prompts: fmt.Sprint("do ", n)}}}
	if err := metadata.WriteRecord(t.Context(), repo, rec); err != nil {
		t.Fatal(err)
	}
	if _, err := share.Agree(t.Context(), p.env, "origin"); err != nil {
		t.Fatal(err)
	}
	if p.url, err = repo.FetchURL(t.Context(), "origin"); err != nil {
		t.Fatal(err)
	}
	return p
}

// push is what `git push` waits for: the hook that sends sessions along. It returns whether the hook said that something
// was not sent.
func (p *pusher) push() (sent bool, took time.Duration) {
	p.t.Helper()
	sent = true
	p.env.Tell = func(line string) {
		if strings.Contains(line, "not sent") {
			sent = false
			p.t.Log(line)
		}
	}
	began := time.Now()
	if err := share.PrePush(p.t.Context(), p.env, "origin", p.url, nil); err != nil && sent {
		p.t.Errorf("push: %v", err)
	}
	return sent, time.Since(began)
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

// atOnce runs do for each of n at the same time, and returns the durations, sorted.
func atOnce(n int, do func(i int) time.Duration) []time.Duration {
	took := make([]time.Duration, n)
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() { <-start; took[i] = do(i) })
	}
	close(start)
	all.Wait()
	slices.Sort(took)
	return took
}

func tell(t *testing.T, what string, took []time.Duration) {
	t.Logf("%-40s median %6.2fs, 95%% %6.2fs, longest %6.2fs", what, took[len(took)/2].Seconds(), took[len(took)*95/100].Seconds(), took[len(took)-1].Seconds())
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
	plain := atOnce(len(clones), func(i int) time.Duration {
		began := time.Now()
		clones[i].r.Git("push", "-q", "origin", fmt.Sprint("HEAD:refs/heads/plain-", i))
		return time.Since(began)
	})
	sent := make([]bool, len(clones))
	ours := atOnce(len(clones), func(i int) (took time.Duration) {
		sent[i], took = clones[i].push()
		return took
	})
	tell(t, fmt.Sprintf("%d plain git pushes at once", len(clones)), plain)
	tell(t, fmt.Sprintf("%d pushes of sessions at once", len(clones)), ours)
	inbox := strings.Fields(shared.Git("for-each-ref", "--format=%(objectname)", "refs/entire/inbox"))
	t.Logf("%d left what they had in a ref of its own", len(inbox))

	// What a push did not report as unsent is at the destination already.
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
	t.Logf("%d said that they had not sent theirs in time; the next push did", unsent)

	if last := clones[0].share(); last.Inbox != "" {
		t.Errorf("a push alone left something in %s", last.Inbox)
	}
	if refs := shared.Git("for-each-ref", "refs/entire/inbox"); refs != "" {
		t.Errorf("the inbox still has\n%s", refs)
	}
	ids, err := records.NewReader(clones[0].repo).ListIDs(t.Context())
	if err != nil || len(ids) != len(clones) {
		t.Errorf("%d of %d checkpoints are on the branch, %v", len(ids), len(clones), err)
	}
	if tip := shared.Git("rev-parse", shadow.MetadataRef); tip != clones[0].r.Git("rev-parse", shadow.MetadataRef) {
		t.Error("the destination's branch is not the one of the last push")
	}
	shared.Git("fsck", "--no-dangling")
	if stays, _ := filepath.Glob(filepath.Join(shared.Dir, ".git", "refs", "heads", "entire", "checkpoints", "*.lock")); len(stays) > 0 {
		t.Errorf("locks stay: %v", stays)
	}
}
