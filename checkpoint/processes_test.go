package checkpoint

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"entire/checkpoint/chunk"
	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

// writerVar makes the test binary a process that writes one record:
// "<checkpoint> <session>"; lookupVar one that prints the session log of a
// checkpoint.
const (
	writerVar = "CHECKPOINT_TEST_WRITE"
	lookupVar = "CHECKPOINT_TEST_LOOKUP"
)

func TestMain(m *testing.M) {
	if job := os.Getenv(writerVar); job != "" {
		if err := writeOne(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if cp := os.Getenv(lookupVar); cp != "" {
		transcript, session, err := LookupSessionLog(id.MustCheckpointID(cp))
		fmt.Printf("%s%s %v", transcript, session, err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func writeOne(job string) error {
	ctx := context.Background()
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	repo, err := git.Discover(ctx, dir, os.Environ())
	if err != nil {
		return err
	}
	defer repo.Close()
	cp, sessionID, _ := strings.Cut(job, " ")
	var log chunk.Log
	if err := log.Append(repo.Writer(), nil, []byte(sessionID+"\n")); err != nil {
		return err
	}
	return metadata.WriteRecord(ctx, repo, metadata.Record{ID: id.MustCheckpointID(cp), Strategy: shadow.StrategyManual, Author: checkpointtest.Maker, Sessions: []metadata.SessionRecord{{
		Metadata:   CommittedMetadata{SessionID: sessionID, CreatedAt: checkpointtest.Noon, CheckpointsCount: 1},
		Transcript: log.Entries(), ContentHash: log.ContentHash(),
	}}})
}

// writeTogether has eight processes write at once, again and again: half of
// them a checkpoint of their own, half of them sessions of one checkpoint.
func writeTogether(t *testing.T, rounds int) {
	r := testrepo.New(t)
	const processes = 8
	for round := range rounds {
		shared := id.MustCheckpointID(fmt.Sprintf("%012x", round))
		var running []*exec.Cmd
		for p := range processes {
			cp := shared
			if p%2 == 0 {
				cp = id.MustCheckpointID(fmt.Sprintf("%06x%06x", p+1, round))
			}
			cmd := r.Command(os.Args[0])
			cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%s session-%d", writerVar, cp, p))
			var stderr strings.Builder
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			running = append(running, cmd)
		}
		for p, cmd := range running {
			if err := cmd.Wait(); err != nil {
				t.Errorf("round %d, process %d: %v: %s", round, p, err, cmd.Stderr)
			}
		}
	}
	repo := checkpointtest.Open(t, r)
	reader := records.NewReader(repo)
	ids, err := reader.ListIDs(t.Context())
	if err != nil || len(ids) != rounds*(processes/2+1) {
		t.Fatalf("%d checkpoints, want %d; %v", len(ids), rounds*(processes/2+1), err)
	}
	kept := 0
	for _, cp := range ids {
		c, err := reader.Read(t.Context(), cp)
		if err != nil || c.Err != nil || c.Summary.CheckpointsCount != len(c.Sessions) {
			t.Fatalf("%+v, %v", c, err)
		}
		for _, s := range c.Sessions {
			got, err := reader.SessionByID(t.Context(), cp, s.Metadata.SessionID)
			if err != nil || string(got.Transcript) != s.Metadata.SessionID+"\n" || got.HashMismatch != nil {
				t.Fatalf("%s %s: %+v, %v", cp, s.Metadata.SessionID, got, err)
			}
			kept++
		}
	}
	if kept != rounds*processes {
		t.Errorf("%d sessions kept of %d", kept, rounds*processes)
	}
	r.Fsck()
}

func TestProcessesWriteTogether(t *testing.T) {
	t.Parallel()
	writeTogether(t, 5)
}

func TestLookupSessionLog(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s1", "one\n")))
	for cp, want := range map[id.CheckpointID]string{
		checkpointtest.CpA: "one\ns1 <nil>",
		checkpointtest.CpB: " checkpoint " + checkpointtest.CpB.String() + ": checkpoint not found",
	} {
		cmd := r.Command(os.Args[0])
		cmd.Env = append(cmd.Env, lookupVar+"="+cp.String())
		if out, err := cmd.Output(); err != nil || string(out) != want {
			t.Errorf("%s: %q, %v", cp, out, err)
		}
	}
}
