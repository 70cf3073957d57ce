package sealing_test

import (
	"fmt"
	"testing"
	"time"

	"entire/checkpoint/epoch"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

// BenchmarkWriteBesideEpochs is what a commit pays for its checkpoint, in a clone with many sealed months.
func BenchmarkWriteBesideEpochs(b *testing.B) {
	for _, months := range []int{0, 24, 240, -24, -240} {
		name, index := fmt.Sprint(months, " months"), months > 0
		if months < 0 {
			name, months = fmt.Sprint(-months, " months, no index"), -months
		}
		b.Run(name, func(b *testing.B) {
			r := testrepo.New(b)
			r.Write("a.txt", "a\n")
			r.Commit("first")
			repo, err := git.Discover(b.Context(), r.Dir, r.Env)
			if err != nil {
				b.Fatal(err)
			}
			defer repo.Close()
			tree := git.ObjectOID(repo.NewHash(), "tree", []byte("x"))
			for i := range months {
				m := epoch.MonthOf(time.Date(2004, time.Month(i+1), 1, 0, 0, 0, 0, time.UTC))
				var rows []epoch.Row
				for k := range 20 {
					rows = append(rows, epoch.Row{ID: id.MustCheckpointID(fmt.Sprintf("%06x%06x", i*7919+k*104729&0xffffff, k)), Tree: tree, Author: "a <a@b>"})
				}
				manifest, _, err := epoch.Build(repo, m, rows, 0)
				if err != nil {
					b.Fatal(err)
				}
				if err := repo.UpdateRefs(b.Context(), []git.RefUpdate{{Name: m.Ref(), New: manifest}}); err != nil {
					b.Fatal(err)
				}
			}
			if index {
				if err := epoch.WriteIndex(b.Context(), repo); err != nil {
					b.Fatal(err)
				}
			}
			n := 0
			for b.Loop() {
				n++
				again, err := git.Discover(b.Context(), r.Dir, r.Env) // as each hook does
				if err != nil {
					b.Fatal(err)
				}
				rec := metadata.Record{ID: id.MustCheckpointID(fmt.Sprintf("ff%010x", n)), Strategy: shadow.StrategyManual, Author: git.Signature{Name: "x", Email: "x@y", When: time.Now()},
					Sessions: []metadata.SessionRecord{{Metadata: metadata.CommittedMetadata{SessionID: "s", CreatedAt: time.Now().UTC()}, Prompts: "do"}}}
				if err := metadata.WriteRecord(b.Context(), again, rec); err != nil {
					b.Fatal(err)
				}
				again.Close()
			}
		})
	}
}
