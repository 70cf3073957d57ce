package risk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// payload is what an agent gives a hook before a command, without the escapes that Go alone writes.
func payload(t testing.TB, command string) string {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(map[string]any{
		"session_id": "5e55104f-0000-4000-8000-000000000001", "transcript_path": "/home/me/.claude/projects/-home-me-rm-rf/5e55104f.jsonl",
		"cwd": "/home/me/git/docker/rake-shop", "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
		"tool_input": map[string]string{"command": command, "description": "Do it"}, "tool_use_id": "toolu_01",
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// passes is what the filter in the shell decides.
func passes(payload string) bool {
	return slices.ContainsFunc(Signs(), func(s Sign) bool { return s.in(payload) }) || hasAny(payload, overwriting())
}

// shells returns those of the shells that agents start which are installed.
func installedShells(t *testing.T) (out [][]string) {
	for _, sh := range [][]string{{"sh"}, {"dash"}, {"bash"}, {"busybox", "sh"}, {"ksh"}, {"mksh"}, {"zsh", "-f"}} {
		if _, err := exec.LookPath(sh[0]); err == nil {
			out = append(out, sh)
		}
	}
	if len(out) == 0 {
		t.Skip("no shell")
	}
	return out
}

// TestFilterInShells runs the filter in every shell that is installed: it passes every risky example, and each
// payload whole, and decides as the table of signs says.
func TestFilterInShells(t *testing.T) {
	t.Parallel()
	for _, sh := range installedShells(t) {
		for line, what := range examples() {
			if strings.ContainsAny(line, "\x00") {
				continue
			}
			in := payload(t, line)
			cmd := exec.Command(sh[0], append(sh[1:len(sh):len(sh)], "-c", Filter("cat", ""))...)
			cmd.Env = append(os.Environ(), "LC_ALL=C") // bash warns of a language that it lacks
			cmd.Stdin = strings.NewReader(in)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %v: %s", sh, err, out)
			}
			switch {
			case len(out) > 0 && string(out) != in:
				t.Errorf("%v: %q: the payload is not whole: %s", sh, line, out)
			case (len(out) > 0) != passes(in):
				t.Errorf("%v: %q: passes %v, but the signs say %v", sh, line, len(out) > 0, passes(in))
			case what != "" && len(out) == 0 && !hidden(line):
				t.Errorf("%v: %q is %q, and is not passed", sh, line, what)
			}
		}
	}
}

// TestFilterKeepsThePayload: a payload in several lines arrives as the same JSON, and another text as it is.
func TestFilterKeepsThePayload(t *testing.T) {
	t.Parallel()
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(payload(t, "git reset --hard\\n$HOME  `x` # é 文")), "", "\t"); err != nil {
		t.Fatal(err)
	}
	for _, sh := range installedShells(t) {
		for _, tt := range []struct{ filter, in string }{{Filter("cat", ""), indented.String() + "\n"}, {FilterText("cat"), ":\"# no\nrm -rf x\n  y\""}} {
			cmd := exec.Command(sh[0], append(sh[1:len(sh):len(sh)], "-c", tt.filter)...)
			cmd.Env = append(os.Environ(), "LC_ALL=C")
			cmd.Stdin = strings.NewReader(tt.in)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %v: %s", sh, err, out)
			}
			var got, want bytes.Buffer
			if json.Compact(&want, []byte(tt.in)) != nil {
				got.Write(out)
				want.Reset()
				want.WriteString(tt.in)
			} else if err := json.Compact(&got, out); err != nil {
				t.Errorf("%v: not JSON any more: %s", sh, out)
			}
			if got.String() != want.String() {
				t.Errorf("%v: %q became %q", sh, tt.in, out)
			}
		}
	}
}

// hidden reports whether quotation marks or a backslash divide the words by which the filter goes.
func hidden(line string) bool {
	return strings.Contains(line, `r""m`) || strings.Contains(line, `-r"f"`)
}

// TestSignsOfEveryRule wants an example of every sign, so that no rule goes by a word that is not in the table,
// and that each of the table's words is known to a rule.
func TestSignsOfEveryRule(t *testing.T) {
	t.Parallel()
	for i, s := range Signs() {
		found := false
		for line, what := range examples() {
			found = found || what != "" && s.in(payload(t, line))
		}
		if !found {
			t.Errorf("sign %d (%v) has no risky example", i, s.Programs)
		}
	}
	for what, list := range migrations {
		for _, begins := range list {
			if words := []string{what, begins}; risky(words) != "" && !signed(words) {
				t.Errorf("%v has no sign", words)
			}
		}
	}
	for what, list := range rewriting {
		for _, verb := range list {
			if words := append([]string{what}, strings.Fields(verb)...); risky(words) == "" || !signed(words) {
				t.Errorf("%v: %q, sign %v", words, risky(words), signed(words))
			}
		}
	}
}

// commandsLike returns made-up commands as agents run them: one in twenty is risky.
func commandsLike(n int) (out []string) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for len(out) < n {
		file := pick("cart.go", "src/app.ts", "lib/orders/total.py", "README.md", "docs/form-rm.md", "internal/git/clean.go", "web/reset.css")
		line := pick("go test ./...", "go build ./cmd/shop", "npm test", "npm run lint", "git status --short", "git diff --stat", "git log --oneline -5",
			"git add -A && git commit -m 'Reset the total'", "ls -la", "cat "+file, "grep -rn total "+file, "sed -n 1,40p "+file, "head -50 "+file,
			"find . -name '*.go' -newer "+file, "wc -l "+file, "python -m pytest -q "+file, "make", "docker ps -a", "cargo build", "git push -u origin topic",
			"git stash list", "git branch -a", "node -e 'console.log([1].map(x => x+1))'", "awk '$1 > 5' "+file, "mkdir -p build", "cp "+file+" /tmp/x",
			"curl -fsS http://localhost:8080/health", "echo done >> notes.txt", "git show HEAD:"+file, "rg -n 'rm -r' "+file, "jq .name package.json")
		if r.IntN(20) == 0 {
			line = pick("rm -rf build", "git reset --hard HEAD~1", "git checkout -- "+file, "git clean -fdx", "git restore "+file, "git stash drop",
				"git branch -D old", "echo x > "+file, "rails db:migrate", "docker compose down -v", "find . -name '*.o' -delete", "git worktree remove ../w",
				"npm ci", "truncate -s 0 "+file, "rsync -a --delete a/ b/")
		}
		switch r.IntN(10) {
		case 0:
			line = "cd /home/me/shop && " + line + " 2>&1 | tail -20"
		case 1:
			line = "bash -lc " + quoted(line)
		case 2:
			line = "set -e\n" + line + "\necho ok"
		case 3:
			line = "timeout 60 " + line
		case 4:
			line = fmt.Sprintf("for i in 1 2; do\n\t%s\ndone", line)
		}
		out = append(out, line)
	}
	return out
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// TestFilterOverCommands counts over made-up commands, and over those of the file that ENTIRE_TEST_COMMANDS names, a
// list in JSON.
func TestFilterOverCommands(t *testing.T) {
	t.Parallel()
	all := commandsLike(2000)
	if file := os.Getenv("ENTIRE_TEST_COMMANDS"); file != "" {
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &all)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	risky, vain := 0, 0
	for _, line := range all {
		passed, what := passes(payload(t, line)), CommandIn(line, nil)
		switch {
		case what != "" && !passed:
			t.Errorf("%q is %q, and is not passed", line, what)
		case what != "":
			risky++
		case passed:
			vain++
		}
	}
	t.Logf("%d commands, %d risky, %d passed in vain", len(all), risky, vain)
	if risky == 0 || vain*20 > len(all)-risky {
		t.Errorf("%d of %d harmless commands are passed", vain, len(all)-risky)
	}
}

func FuzzFilter(f *testing.F) {
	for line := range examples() {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if what := CommandIn(line, nil); what != "" && !strings.ContainsAny(line, "'\"\\\x00\r") && !strings.Contains(line, "-S") && !passes(payload(t, line)) {
			t.Errorf("%q is %q, and is not passed", line, what)
		}
	})
}

// TestPattern runs the filter of the plug-in files in node.
func TestPattern(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node")
	}
	lines, err := json.Marshal(examples())
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("node", "-e", "const re = new RegExp("+PatternText()+"); for (const [c, what] of Object.entries("+string(lines)+
		")) if (what && !re.test(c)) console.log(c)").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if line != "" && !hidden(line) {
			t.Errorf("%q is not passed", line)
		}
	}
}

// TestFilterIsQuotable: an agent whose shell is the user's own gets the filter within sh -c '…'.
func TestFilterIsQuotable(t *testing.T) {
	t.Parallel()
	if line := Filter("entire", ""); strings.ContainsAny(line, "'\\\n`") {
		t.Errorf("%s", line)
	}
}
