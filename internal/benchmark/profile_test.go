package main

import (
	"maps"
	"slices"
	"testing"
)

func TestStartedByCountsPrograms(t *testing.T) {
	events := `perf  100 PERF_RECORD_COMM exec: entire:100/100
entire 100 PERF_RECORD_COMM: entire:100/101
entire 100 PERF_RECORD_FORK(101:101):(100:100)
git  102 PERF_RECORD_COMM exec: git:102/102
git  103 PERF_RECORD_COMM exec: git:103/103
`
	if got, want := startedBy(events), []string{"1 × entire", "2 × git"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestAddSharesAveragesReports(t *testing.T) {
	sums := map[string]float64{}
	addShares(sums, "    58.40%  entire   [k] exc_page_fault\n\n", 0.5)
	addShares(sums, "    40.00%  entire  [k] exc_page_fault\n     1.00%  git  [.] main\n", 0.5)
	if want := map[string]float64{"entire [k] exc_page_fault": 49.2, "git [.] main": 0.5}; !maps.Equal(sums, want) {
		t.Errorf("%v", sums)
	}
}
