package blameserve

import (
	"context"
	"net/url"
	"strconv"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
)

// whyResult says how a line came to be, as text that is safe to show.
type whyResult struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Owner   owner  `json:"owner"`
	Prompt  string `json:"prompt,omitempty"`
	How     string `json:"how,omitempty"` // how the prompt is known
	Task    string `json:"task,omitempty"`
	Said    string `json:"said,omitempty"` // by the agent before the call
	Call    string `json:"call,omitempty"` // the tool and what it was given
	Diff    string `json:"diff,omitempty"` // of the call
	Page    string `json:"page,omitempty"` // of `entire web`, without its address
	OnDisk  int    `json:"line_on_disk,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// maxDiff bounds the diff of a call, in bytes.
const maxDiff = 20_000

func (s *Server) why(q request) (any, *failure) {
	p, bad := params[struct {
		Path string `json:"path"`
		Line int    `json:"line"`
	}](q)
	if bad != nil {
		return nil, bad
	}
	d, bad := s.document(p.Path)
	switch {
	case bad != nil:
		return nil, bad
	case d.base == nil:
		return nil, failed(codeNotOpen, "the lines of "+cliui.ShownName(d.path)+" are not known yet", "wait for the answer to open")
	case p.Line < 1 || p.Line > len(d.places):
		return nil, failed(codeParams, "the buffer has no such line", "")
	}
	known := s.owners.list[d.owners[p.Line-1]]
	at := int(d.places[p.Line-1])
	if at < 0 {
		return whyResult{Path: d.path, Line: p.Line, Owner: known}, nil
	}
	text := d.base.lines[at]
	s.jobs.add(&job{id: string(q.ID), do: func(ctx context.Context) func() error {
		v, err := ownerlib.WhyOf(ctx, s.place, d.path, "", at+1)
		return func() error {
			switch {
			case err != nil:
				return s.refuse(q.ID, failureOf(codeNoBlame, err))
			case v.Text != text:
				return s.refuse(q.ID, failed(codeStale, "the file on disk has changed", "refresh it"))
			}
			return s.reply(q.ID, tell(v, known, p.Line))
		}
	}, fail: func(why *failure) error { return s.refuse(q.ID, why) }})
	return nil, nil
}

func tell(v *ownerlib.Why, known owner, line int) whyResult {
	out := whyResult{Path: v.File, Line: line, OnDisk: v.Line, Owner: known, Prompt: cliui.Printable(v.Prompt), Task: cliui.Printable(v.Task), Page: page(v)}
	if v.Prompt != "" {
		out.How = ownerlib.HowText(v.How)
	}
	for _, p := range v.Before {
		out.Said = cliui.Printable(p.Text) // the last one is next to the call
	}
	if v.Call != nil {
		out.Call = cliui.ShownLine(v.Call.Tool + " " + v.Call.About)
		out.Diff = cliui.Printable(v.Call.Diff[:min(len(v.Call.Diff), maxDiff)])
	}
	for _, p := range v.Problems {
		out.Problem = cliui.ShownLine(p)
	}
	return out
}

// page returns the page of `entire web` that shows the line.
func page(v *ownerlib.Why) string {
	return "/why?" + url.Values{"path": {v.File}, "line": {strconv.Itoa(v.Line)}}.Encode()
}
