package config_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"entire/internal/config"
)

// notKeys are the string constants of this package that are no key of a setting.
var notKeys = map[string]string{
	"dirName": "a folder", "globalName": "a file", "userRetention": "a file", "bom": "a byte order mark", "unit": "an indentation",
	"DefaultStrategy": "a value", "LinkAlways": "a value", "LinkPrompt": "a value", "storageRefs": "a value", "ReadableLists": "a value", "ReadableNothing": "a value",
	"wantBool": "a text", "wantText": "a text", "wantObject": "a text", "want": "a text", "userHint": "a text",
	"keyOptions": "the object of the options", "optionPrefix": "the beginning of keys", "globalPrefix": "the beginning of keys",
	"FromDefault": "a place", "FromProject": "a place", "FromLocal": "a place", "FromUser": "a place",
	"Bool": "a kind", "String": "a kind", "Number": "a kind", "Whole": "a kind", "Texts": "a kind", "Rules": "a kind", "Remotes": "a kind", "Switch": "a kind",
	"whyRuns": "a text", "whyFiles": "a text", "whyImport": "a text", "whyRecord": "a text", "whySealed": "a text", "whyIdentity": "a text",
	"whyConsent": "a text", "whyUser": "a text",
	"trailersPaths": "of a rule in a list", "trailersAgents": "of a rule in a list",
}

// segments are the members that the table's keys lead through.
func segments() map[string]bool {
	all := map[string]bool{}
	for _, s := range config.Table {
		for part := range strings.SplitSeq(s.Key, ".") {
			all[part] = true
		}
	}
	return all
}

// Every constant with a name of a setting, and every text by which this package looks into JSON, is in the table.
func TestWhatIsReadIsInTheTable(t *testing.T) {
	known := segments()
	known["provider"], known["repo"] = true, true // of an object that names a remote
	check := func(where, name, value string) {
		for part := range strings.SplitSeq(value, ".") {
			if part != "" && !known[part] {
				t.Errorf("%s: %s %q is not in the table of settings", where, name, part)
			}
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%v: %v", files, err)
	}
	seen := 0
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				if n.Tok == token.CONST {
					for _, spec := range n.Specs {
						for i, value := range spec.(*ast.ValueSpec).Values {
							name := spec.(*ast.ValueSpec).Names[i].Name
							if lit, ok := value.(*ast.BasicLit); ok && lit.Kind == token.STRING && notKeys[name] == "" {
								text, _ := strconv.Unquote(lit.Value)
								check(path, name, text)
								seen++
							}
						}
					}
				}
			case *ast.CallExpr:
				if fun, ok := n.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(fun.Sel.Name, "Get") {
					for _, arg := range n.Args {
						if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
							text, _ := strconv.Unquote(lit.Value)
							check(path, "the text", text)
						}
					}
				}
			}
			return true
		})
	}
	if seen < 50 {
		t.Errorf("only %d constants were looked at", seen)
	}
}

// No other package reads settings past this one.
func TestNobodyReadsOptionsElsewhere(t *testing.T) {
	looked := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "config" && strings.HasSuffix(filepath.Dir(path), "internal") || d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		looked++
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), ".StrategyOptions[") || strings.Contains(string(text), "range "+"s.StrategyOptions") {
			t.Errorf("%s reads an option itself; give package config a method and the table a row", path)
		}
		return err
	})
	if err != nil || looked < 500 {
		t.Errorf("%d files: %v", looked, err)
	}
}

// effects is everything that this package tells of the settings of a repository and a user.
func effects(t *testing.T, top, data string) string {
	t.Helper()
	s, err := config.Load(top)
	if err != nil {
		t.Fatal(err)
	}
	e, err := config.ReadEncryption(top)
	if err != nil {
		t.Fatal(err)
	}
	g, err := config.LoadGlobal(config.GlobalPath(data))
	if err != nil {
		t.Fatal(err)
	}
	r, err := config.UserRetention(data)
	if err != nil {
		t.Fatal(err)
	}
	statements, signed := s.Audit()
	keep, limit := s.Turns()
	telemetry := "not said"
	if s.Telemetry != nil {
		telemetry = fmt.Sprint(*s.Telemetry)
	}
	bucket, err := config.ReadBucket(top)
	if err != nil {
		t.Fatal(err)
	}
	sealed := e
	sealed.Said = false
	return fmt.Sprintln(s.Strategy, s.Enabled, s.LocalDev, s.LogLevel, telemetry, s.Linking, s.CheckpointRefs, s.Redaction, s.Environment, s.Plugins, s.Deny,
		s.Watch, s.RescueDaily, s.AgentsRewind, s.Summarizer, s.Capture(), s.CheckpointRemotes(), s.Checkpoints(), sealed, config.Identity(top), config.Keyring(top), g, r,
		s.Retention(), s.KeepRewinds(), s.PushSessions(), s.SessionStore(), s.CommitLinking(), s.Summarize(), s.SummarizeModel(), s.SummarizeTimeout(),
		s.Trailers(), keep, limit, statements, signed, s.Guard(), bucket, s.SealOver())
}

// needs are what has to be set besides, for a setting to show.
var needs = map[string]string{
	"redaction.pii.enabled":                `{"redaction": {"pii": {"email": true}}}`,
	"redaction.pii.email":                  `{"redaction": {"pii": {"enabled": true}}}`,
	"redaction.pii.phone":                  `{"redaction": {"pii": {"enabled": true}}}`,
	"redaction.pii.card":                   `{"redaction": {"pii": {"enabled": true}}}`,
	"redaction.pii.iban":                   `{"redaction": {"pii": {"enabled": true}}}`,
	"strategy_options.encryption.enabled":  `{"strategy_options": {"encryption": {"generation": 1}}}`,
	"strategy_options.encryption.identity": `{"strategy_options": {"encryption": {"generation": 1}}}`,
	"strategy_options.encryption.keyring":  `{"strategy_options": {"encryption": {"generation": 1}}}`,
	"strategy_options.audit.sign":          `{"strategy_options": {"audit": {"enabled": true}}}`,
}

func TestEverySettingCountsWhereTheTableSays(t *testing.T) {
	for _, s := range config.Table {
		key := strings.Replace(s.Key, "*", "staff", 1)
		t.Run(key, func(t *testing.T) {
			for place, target := range map[config.Place]config.Target{config.InProject: config.Project, config.InLocal: config.Local} {
				top, data := t.TempDir(), t.TempDir()
				if text := needs[key]; text != "" {
					write(t, config.Path(top, target), text)
				}
				before := effects(t, top, data)
				if err := config.SetKey(top, target, s, key, json.RawMessage(s.Example)); err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(s.Key, "global.") {
					continue
				}
				changed := effects(t, top, data) != before
				if s.Key == "telemetry" { // what other versions let a project say is read, and not written
					changed = place == config.InLocal
				}
				if changed != (s.In&place != 0) {
					t.Errorf("in the %s file the value %s has an effect: %v; the table says %v. What reads the option, or effects in this test, does not know the key.\n%s",
						config.Path(".", target), s.Example, changed, !changed, before)
				}
			}
			top, data := t.TempDir(), t.TempDir()
			if s.In&config.InUser == 0 {
				return
			}
			before := effects(t, top, data)
			if err := config.SetUserKey(data, s, key, json.RawMessage(s.Example)); err != nil {
				t.Fatal(err)
			}
			if effects(t, top, data) == before {
				t.Errorf("the user's value %s has no effect", s.Example)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTheTableIsSound(t *testing.T) {
	for _, s := range config.Table {
		key := strings.Replace(s.Key, "*", "staff", 1)
		if s.About == "" || s.Kind == "" || s.In == 0 {
			t.Errorf("%s lacks something", s.Key)
		}
		if (s.In != config.Both && s.In != config.Both|config.InUser) != (s.Why != "") {
			t.Errorf("%s: a reason is due exactly where a file is refused", s.Key)
		}
		if found, k, ok := config.Find(key); !s.Foreign() && (!ok || k != key || found.Key != s.Key) {
			t.Errorf("Find(%s) gives %s", key, found.Key)
		}
		for _, value := range []string{s.Example, s.Default} {
			if want := s.WrongFor(key, json.RawMessage(value)); value != "" && want != "" {
				t.Errorf("%s: %s must be %s", key, value, want)
			}
		}
		for _, wrong := range []string{`{"a": 1}`, `[[]]`} {
			if s.Kind != config.Switch && s.WrongFor(key, json.RawMessage(wrong)) == "" {
				t.Errorf("%s takes %s", key, wrong)
			}
		}
	}
}

func TestUnsetTakesBackWhatSetDid(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		top := t.TempDir()
		path := config.Path(top, config.Local)
		text := rapid.SampledFrom([]string{
			"{\n  \"enabled\": true\n}\n", `{"other": {"a":  [1, 2]},"enabled" :false}`, "\uFEFF{\r\n\t\"strategy_options\": {\r\n\t\t\"theirs\": 1\r\n\t},\r\n\t\"z\": 0\r\n}",
			`{"strategy_options":{"guard":{"theirs":true}},"$schema":"x"}`,
		}).Draw(rt, "file")
		write(t, path, text)
		type change struct {
			s   config.Setting
			key string
		}
		var done []change
		for range rapid.IntRange(1, 4).Draw(rt, "changes") {
			s := rapid.SampledFrom(config.Table).Draw(rt, "setting")
			key := strings.Replace(s.Key, "*", "staff", 1)
			if s.Kind == config.Switch || slices.ContainsFunc(done, func(c change) bool { return c.key == key }) || strings.HasPrefix(text, "{\n") && key == "enabled" ||
				strings.HasPrefix(text, `{"other`) && key == "enabled" {
				continue
			}
			if err := config.SetKey(top, config.Local, s, key, json.RawMessage(s.Example)); err != nil {
				if strings.Contains(err.Error(), "is not an object") {
					continue
				}
				rt.Fatal(err)
			}
			done = append(done, change{s, key})
		}
		for _, c := range slices.Backward(done) {
			if err := config.UnsetKey(top, config.Local, c.s, c.key); err != nil {
				rt.Fatalf("%s: %v", c.key, err)
			}
		}
		got, err := os.ReadFile(path)
		if diff := cmp.Diff(text, string(got)); err != nil || diff != "" {
			rt.Fatalf("%v %v\n%s", done, err, diff)
		}
	})
}

func TestValuesSayWhereTheyComeFrom(t *testing.T) {
	top, data := t.TempDir(), t.TempDir()
	write(t, config.Path(top, config.Project), `{"strategy":"auto-commit","log_level":"debug","strategy_options":{"guard":{"enabled":false,"deny":["a"]},"turns":{"keep_days":"x"}},"redaction":{"pii":true}}`)
	write(t, config.Path(top, config.Local), `{"log_level":"warn","strategy_options":{"guard":{"watch":true}},"redaction":{"custom_redactions":{"a.b":"x+"}}}`)
	write(t, filepath.Join(data, "retention.json"), `{"keep": 3}`)
	all, err := config.Values(top, data)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range all {
		if v.From != config.FromDefault || v.Name == "guard.enabled" || v.Name == "turns.keep_days" {
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s=%s %s %s", v.Name, v.Raw, v.From, v.Ignored)))
		}
	}
	want := []string{
		`strategy="auto-commit" project`, `log_level="warn" local`, `log_level="debug" project local settings come first`,
		`redaction.pii=true project`, `redaction.custom_redactions.a.b="x+" local`,
		`turns.keep_days="x" project it must be a number`, `turns.keep_days=30 default`, `retention.keep=3 user`,
		`guard.enabled=false project local settings have guard, which counts as a whole`, `guard.enabled=true default`,
		`guard.deny=["a"] project a committed file must not change what other people's agents may do`, `guard.watch=true local`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	s, _, _ := config.Find("capture.max_file_mb")
	if names, err := config.Shadowed(top, s); err != nil || len(names) != 0 {
		t.Error(names, err)
	}
}
