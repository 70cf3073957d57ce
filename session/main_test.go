package session

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets this binary be one of several processes at one store: os.Args
// is then {binary, "increment", common directory, session, times}.
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "increment" {
		if err := increment(os.Args[2], os.Args[3], os.Args[4]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == "converse" {
		if err := converse(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 4 && os.Args[1] == "clean" {
		if err := cleaner(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == "churn" {
		if err := churn(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == "full disk" {
		work := fullDisk
		if len(os.Args) == 4 {
			work = fullCompress
		}
		if err := work(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 4 && os.Args[1] == "compress" {
		if err := compressor(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		os.Exit(2) // a child of a test that is to do something else must never run the tests again
	}
	goleak.VerifyTestMain(m)
}

func increment(commonDir, sid, times string) error {
	n, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	s := NewStateStore(commonDir)
	for range n {
		err := s.Update(context.Background(), mustSession(sid), func(st *State) error {
			st.CheckpointCount++
			st.TouchFiles(fmt.Sprintf("%d-%d", os.Getpid(), st.CheckpointCount))
			return nil
		})
		if err != nil {
			return err
		}
		if _, err := s.Summaries(context.Background()); err != nil {
			return err
		}
	}
	return nil
}
