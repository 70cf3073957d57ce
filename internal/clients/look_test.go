//go:build clients && linux

package clients

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"entire/internal/fakemodel"
)

const person = ""

// owner checks who wrote a line of a committed file: the person, or the agent in the turn of the prompt.
func (p *play) owner(file string, line int, prompt string) {
	p.t.Helper()
	p.ownedBy(file, line, p.agent, prompt)
}

func (p *play) ownedBy(file string, line int, agent, prompt string) {
	p.t.Helper()
	blame := gjson.Get(p.look("blame", "--json", file), fmt.Sprintf("lines.%d", line-1))
	why := gjson.Parse(p.look("why", "--json", fmt.Sprintf("%s:%d", file, line)))
	if prompt == person {
		for name, is := range map[string]gjson.Result{"blame": blame, "why": why} {
			if is.Get("class").String() != "human" {
				p.misread("%s gives %s:%d, a person's line, to %s %s", name, file, line, is.Get("class"), is.Get("agent"))
			}
		}
		return
	}
	for name, is := range map[string]gjson.Result{"blame": blame, "why": why} {
		if is.Get("class").String() != "agent" || is.Get("agent").String() != agent {
			p.misread("%s gives %s:%d, a line of %s in %q, to %s %s", name, file, line, agent, prompt, is.Get("class"), is.Get("agent"))
		}
	}
	if is := why.Get("prompt").String(); is != prompt {
		p.misread("why %s:%d shows the prompt %q, not %q", file, line, is, prompt)
	}
}

// unknown checks that a line whose author nothing tells is given to the agent, if to anybody.
func (p *play) unknown(file string, line int) {
	p.t.Helper()
	blame := gjson.Get(p.look("blame", "--json", file), fmt.Sprintf("lines.%d.class", line-1)).String()
	if blame != "unknown" && blame != "agent" {
		p.misread("blame gives %s:%d, of which nothing tells who wrote it, to %s", file, line, blame)
	}
}

// look runs a command that looks at the record; an error is noted and gives "".
func (p *play) look(args ...string) string {
	p.t.Helper()
	out, said, err := p.try("entire", args...)
	if err != nil {
		p.misread("entire %s: %s", strings.Join(args, " "), lastLines(out+said, 2))
		return ""
	}
	return out
}

// said checks that the session's conversation has exactly these prompts, in order, and that search finds the last one.
func (p *play) said(session string, prompts ...string) {
	p.t.Helper()
	var asked []string
	for line := range strings.Lines(p.look("sessions", "show", session, "--messages", "--json")) {
		if message := gjson.Parse(line); message.Get("role").String() == "user" && !message.Get("sidechain").Bool() && !message.Get("injected").Bool() {
			asked = append(asked, message.Get("content").String())
		}
	}
	if !slices.Equal(asked, prompts) {
		p.misread("sessions show has the prompts %q, not %q", shortened(asked), prompts)
	}
	last := prompts[len(prompts)-1]
	found := gjson.Get(p.look("search", "--json", last), "hits")
	if !slices.ContainsFunc(found.Array(), func(hit gjson.Result) bool {
		return hit.Get("session_id").String() == session && strings.Contains(hit.Get("snippet").String(), last)
	}) {
		p.misread("search %q does not find session %s", last, session)
	}
}

// credit checks whose lines `entire attribution` says that the commits added.
func (p *play) credit(commits string, agent, person int) {
	p.t.Helper()
	added := gjson.Get(p.look("attribution", "--json", commits), "totals.added")
	if int(added.Get("agent").Int()) != agent || int(added.Get("human").Int()) != person || added.Get("unknown").Int() != 0 {
		p.misread("attribution of %s says agent %d, person %d, unknown %d lines, not %d, %d, 0", commits,
			added.Get("agent").Int(), added.Get("human").Int(), added.Get("unknown").Int(), agent, person)
	}
}

// tokens compares what the session is said to have used with what the model reported for these exchanges; all without any.
func (p *play) tokens(session string, exchanges ...int) {
	p.t.Helper()
	is, want, calls := p.used(session, exchanges...)
	if is != want {
		p.misread("the session's tokens are %+v; the model reported %+v in %d answers", is, want, calls)
		return
	}
	if len(exchanges) == 0 {
		p.usage(want)
	}
}

// usage compares what `entire usage` counts for all sessions with what the model reported, and each way to group it with that.
func (p *play) usage(want fakemodel.Usage) {
	p.t.Helper()
	of := func(t gjson.Result) fakemodel.Usage {
		n := func(name string) int { return int(t.Get(name).Int()) }
		return fakemodel.Usage{Input: n("input"), CacheRead: n("cache_read"), CacheWrite: n("cache_write"), Output: n("output")}
	}
	for _, by := range []string{"day", "session", "commit", "file"} {
		r := gjson.Parse(p.look("usage", "--json", "--by", by))
		var rows fakemodel.Usage
		for _, row := range r.Get("rows").Array() {
			rows = sum(rows, of(row.Get("tokens")))
		}
		if total := of(r.Get("total.tokens")); total != want || rows != want {
			p.misread("usage --by %s counts %+v, in its rows %+v; the model reported %+v", by, total, rows, want)
			return
		}
	}
}

// used returns what the session is said to have used, and what the model reported for these exchanges, in how many answers.
func (p *play) used(session string, exchanges ...int) (is, want fakemodel.Usage, calls int) {
	p.t.Helper()
	for _, answer := range p.w.Model.Ledger() {
		if answer.Exchange >= 0 && (len(exchanges) == 0 || slices.Contains(exchanges, answer.Exchange)) {
			want = sum(want, answer.Usage)
			calls++
		}
	}
	for _, one := range p.sessions() {
		if one.Get("session_id").String() == session {
			is = sum(usageOf(one.Get("usage")), usageOf(one.Get("usage.subagent_tokens")))
		}
	}
	return is, want, calls
}

func sum(a, b fakemodel.Usage) fakemodel.Usage {
	return fakemodel.Usage{Input: a.Input + b.Input, CacheRead: a.CacheRead + b.CacheRead, CacheWrite: a.CacheWrite + b.CacheWrite,
		Output: a.Output + b.Output}
}

func usageOf(tokens gjson.Result) fakemodel.Usage {
	of := func(name string) int { return int(tokens.Get(name).Int()) }
	return fakemodel.Usage{Input: of("input_tokens"), CacheRead: of("cache_read_tokens"), CacheWrite: of("cache_creation_tokens"), Output: of("output_tokens")}
}

func shortened(texts []string) []string {
	var short []string
	for _, text := range texts {
		short = append(short, oneLine(text[:min(len(text), 80)]))
	}
	return short
}
