package cliui

import "testing"

func TestPager(t *testing.T) {
	t.Parallel()
	for _, try := range []struct {
		environ []string
		none    bool
		want    string
	}{
		{[]string{"TERM=xterm"}, false, "less -FRX"},
		{[]string{"TERM=xterm"}, true, ""},
		{[]string{"TERM=dumb"}, false, ""}, // less would wait for a key there
		{[]string{"TERM=dumb", "PAGER=more"}, false, "more"},
		{[]string{"PAGER=cat"}, false, ""},
		{[]string{"PAGER="}, false, ""},
	} {
		if got := (&Env{Environ: try.environ}).Pager(try.none); got != try.want {
			t.Errorf("%v, none %v: %q, want %q", try.environ, try.none, got, try.want)
		}
	}
}
