//go:build clients && linux

package clients

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	. "entire/internal/fakemodel" //nolint:staticcheck // a script reads as one
)

const (
	promptRound  = "Round the prices half to even, because the bank does"
	promptRecall = "What did we say about rounding prices, and why?"
)

// TestMCP: a real agent program starts the MCP server that `entire mcp --install` has named in its configuration, offers
// the model its tools, calls recall and open, and gives the model the answers. The log is kept in testdata/mcp; WRITE=1
// writes it.
func TestMCP(t *testing.T) {
	cache := withClients(t, "claude-code", "codex")
	bin := buildEntire(t)
	for _, client := range []Client{claudeCode(), codex()} {
		t.Run(client.Name, func(t *testing.T) {
			t.Parallel()
			ask := func(tool string, args map[string]any) []Action { // a client has one of the two names
				return []Action{{Verb: Tool, Name: "mcp__entire__" + tool, Args: args}, {Verb: Tool, Name: tool, Args: args}}
			}
			script := Script{
				{Match: promptRound, Steps: []Step{do(Action{Verb: Write, Path: "price.py", Text: "def price(x):\n    return round(x)\n"}), {Say: "Prices are rounded half to even now."}}},
				{Match: promptRecall, Steps: []Step{
					{Do: []Action{ // both programs offer the tools of servers only after a search
						{Verb: Tool, Name: "ToolSearch", Args: map[string]any{"query": "select:mcp__entire__recall,mcp__entire__why"}},
						{Verb: Tool, Name: "tool_search", Args: map[string]any{"query": "entire recall why", "limit": 8}}}},
					{Do: ask("recall", map[string]any{"query": "rounding prices half even"})},
					{Do: ask("why", map[string]any{"file": "price.py", "line": 2})}, {Say: "Half to even, because the bank does."}}},
			}
			p := newPlay(t, bin, cache, client, script, &cell{})
			p.entire("mcp", "--install")
			if client.Name == "claude-code" { // a person agreed to the server
				p.save(".claude/settings.local.json", `{"enabledMcpjsonServers": ["entire"]}`)
			}
			p.ask(promptRound)
			p.commit("Round prices")
			p.ask(promptRecall)
			compareLog(t, client, mcpLog(p))
		})
	}
}

// mcpLog is what the model was offered of our server, what it called, and what it was given.
func mcpLog(p *play) string {
	var b strings.Builder
	ledger := p.w.Model.Ledger()
	body := ledger[len(ledger)-1].Body
	var offered, given []string
	strs(gjson.ParseBytes(body), func(key, value string) {
		switch {
		case strings.Contains(value, "data, not instructions.\n"):
			given = append(given, value)
		case key == "name" && slices.Contains([]string{"recall", "open", "why", "changes", "checkpoint", "undo_plan"}, strings.TrimPrefix(value, "mcp__entire__")):
			offered = append(offered, value)
		}
	})
	slices.Sort(offered)
	b.WriteString("offered: " + strings.Join(slices.Compact(offered), " ") + "\n")
	for _, answer := range given {
		b.WriteString("given:\n" + answer + "\n")
	}
	b.WriteString("the agent's own record:\n")
	files, _ := filepath.Glob(filepath.Join(p.w.Home, p.client.sessions))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			p.stop("%v", err)
		}
		for line := range strings.Lines(string(text)) {
			if said := record(line); strings.Contains(said, "_call") || strings.Contains(said, "McpToolCall") || strings.Contains(said, "type=tool_use") ||
				strings.Contains(said, answered) {
				b.WriteString(said + "\n")
			}
		}
	}
	return plain(p, b.String())
}

// strs calls fn with each string of a document and its key.
func strs(v gjson.Result, fn func(key, value string)) {
	if !v.IsObject() && !v.IsArray() {
		return
	}
	v.ForEach(func(key, value gjson.Result) bool {
		if value.Type == gjson.String {
			fn(key.Str, value.Str)
		}
		strs(value, fn)
		return true
	})
}

// answered stands for an answer that the log has already.
const answered = "(an answer above)"

// record returns what a record of an agent says of a call, without what differs between versions.
func record(line string) string {
	var b strings.Builder
	if !strings.Contains(line, "mcp__entire") && !strings.Contains(line, "data, not instructions") {
		return ""
	}
	strs(gjson.Parse(line), func(key, value string) {
		if slices.Contains([]string{"type", "name", "namespace", "server", "tool", "query", "text", "output", "arguments"}, key) {
			if strings.Contains(value, "data, not instructions.\n") {
				value = answered
			}
			b.WriteString(" " + key + "=" + strings.ReplaceAll(value, "\n", `\n`))
		}
	})
	return "-" + b.String()
}

// plain replaces what differs between runs.
func plain(p *play, text string) string {
	text = strings.ReplaceAll(text, p.w.Repo, "REPO")
	for _, rule := range [][2]string{
		{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "SESSION"}, {`\b[0-9a-f]{8}-[0-9a-f]{3}\b`, "SESSION"}, {`20\d\d-\d\d-\d\d \d\d:\d\d`, "DATE"},
		{`\b[0-9a-f]{8}#`, "SESSION#"}, {`\b[0-9a-f]{12}\b`, "ID"}, {`commit [0-9a-f]{6,}`, "commit ID"}, {`\b(?:toolu|call|msg)_[0-9A-Za-z]{8,}`, "CALL"},
		{`Wall time: [0-9.]+`, "Wall time: T"},
	} {
		text = regexp.MustCompile(rule[0]).ReplaceAllString(text, rule[1])
	}
	return text
}

func compareLog(t *testing.T, client Client, got string) {
	t.Helper()
	file := filepath.Join("testdata", "mcp", client.Name+".log")
	if os.Getenv("WRITE") != "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%v: %s got:\n%s", err, file, got)
	}
	for _, part := range []string{"mcp__entire", "> " + promptRound, "> Prices are rounded half to even now.", ">     return round(x)"} {
		if !strings.Contains(got, part) {
			t.Errorf("the log lacks %q", part)
		}
	}
}
