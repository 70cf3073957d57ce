package redact

import (
	"strings"
	"sync"
	"testing"

	"github.com/zricethezav/gitleaks/v8/detect"
	"pgregory.net/rapid"
)

// The oracle is gitleaks itself: whatever it finds, Text must have removed.

// oracle is built once, because gitleaks reads its configuration through a global.
var oracle = sync.OnceValues(detect.NewDetectorDefaultConfig)

func newOracle(t testing.TB) *detect.Detector {
	d, err := oracle()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// survivor is a secret that gitleaks finds in s and Text leaves there.
func survivor(d *detect.Detector, s string) (rule, secret string) {
	clean := Text(s)
	for _, f := range d.DetectString(s) {
		if f.Secret != Token && strings.Contains(clean, f.Secret) {
			return f.RuleID, f.Secret
		}
	}
	return "", ""
}

func TestEveryRuleOfOracle(t *testing.T) {
	t.Parallel()
	d := newOracle(t)
	rnd := newRand(1)
	frames := []string{"%", "x %\n", "a line\n%", "\t\"%\",\nmore", "see `%`; then"}
	for i := range ruleTable {
		r := &ruleTable[i]
		found := 0
		for n := range 10 {
			s, err := sample(rnd, r.expr)
			if err != nil {
				t.Fatal(err)
			}
			s = strings.Replace(frames[n%len(frames)], "%", s, 1)
			for _, f := range d.DetectString(s) {
				if f.RuleID == r.id {
					found++
				}
			}
			if rule, secret := survivor(d, s); rule != "" {
				t.Fatalf("%s: %q survives in %q as %q", rule, secret, s, Text(s))
			}
		}
		if found == 0 && !oracleNeedsPath(r.id) && len(r.words) == 0 {
			t.Errorf("%s: gitleaks finds none of the samples", r.id)
		}
	}
}

// TestTableIsCurrent fails when gitleaks has been updated and go generate has not been run.
func TestTableIsCurrent(t *testing.T) {
	t.Parallel()
	table := make(map[string]*rule, len(ruleTable))
	for i := range ruleTable {
		table[ruleTable[i].id] = &ruleTable[i]
	}
	for id, want := range newOracle(t).Config.Rules {
		got := table[id]
		if id == "hashicorp-tf-password" || id == "pkcs12-file" {
			continue // depend on a file's name and would match ordinary code
		}
		if got == nil {
			t.Errorf("rule %s is missing", id)
			continue
		}
		if got.expr != want.Regex.String() || got.entropy != want.Entropy || got.group != want.SecretGroup {
			t.Errorf("rule %s is %q, %g, %d in gitleaks", id, want.Regex, want.Entropy, want.SecretGroup)
		}
	}
}

// oracleNeedsPath names the rules that gitleaks applies to files of some name only.
func oracleNeedsPath(id string) bool {
	return id == "freemius-secret-key" || id == "nuget-config-password" || id == "kubernetes-secret-yaml"
}

// TestWordRulesOfOracle covers rules whose keyword need not be in the match.
func TestWordRulesOfOracle(t *testing.T) {
	t.Parallel()
	d := newOracle(t)
	rnd := newRand(2)
	for i := range ruleTable {
		r := &ruleTable[i]
		for _, w := range r.words {
			for range 5 {
				s, err := sample(rnd, r.expr)
				if err != nil {
					t.Fatal(err)
				}
				s = strings.ToUpper(w[:1]) + w[1:] + " says\n" + s + "\n"
				if rule, secret := survivor(d, s); rule != "" {
					t.Fatalf("%s: %q survives in %q", rule, secret, s)
				}
			}
		}
	}
}

// TestAssignmentsOfOracle mixes names, operators and values in ways the samples do not.
func TestAssignmentsOfOracle(t *testing.T) {
	t.Parallel()
	d := newOracle(t)
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"api", "API", "Api", "key", "KEY", "token", "secret", "passwd", "password", "auth", "access", "creds", "credential",
			"datadog", "discord", "linear", "twitter", "sonar_token", "snyk-key", "lob", "typeform", "okta", "sumo", "telegr",
		}),
		rapid.SampledFrom([]string{"=", ":", ":=", "::=", ":::=", "=>", ">", "||", "?=", ",", " = ", "==", "===", ": ", "=\n", "|", "::"}),
		rapid.SampledFrom([]string{" ", "\n", "\t", "'", "\"", "`", "_", "-", ".", ";", "\\n", "\r\n", "  ", "\" \"", "(", "/", "+", "="}),
		rapid.StringMatching(`[a-z0-9]{10,40}|[A-Za-z0-9+/]{10,50}={0,2}|[a-f0-9]{32}|[a-f0-9]{64}|[0-9]{8,18}|live_[a-f0-9]{35}`),
		rapid.StringMatching(`[a-zA-Z_.-]{1,25}`),
		rapid.SampledFrom([]string{"é", "ſ", "K", "İ", "\xff", "日本"}),
	)
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(piece, 1, 14).Draw(t, "pieces"), "")
		if rule, secret := survivor(d, s); rule != "" {
			t.Fatalf("%s: %q survives in %q as %q", rule, secret, s, Text(s))
		}
		if once := Text(s); Text(once) != once {
			t.Fatalf("%q is %q, then %q", s, once, Text(once))
		}
	})
}

// TestTranscriptOfOracle looks for secrets in the strings of whole transcripts.
func TestTranscriptOfOracle(t *testing.T) {
	t.Parallel()
	d := newOracle(t)
	data := benchTranscript(t)
	if len(data) > 200_000 {
		data = data[:200_000] // gitleaks needs a second for some megabytes
	}
	lines := strings.Split(string(data), "\n")
	found := 0
	for _, line := range lines {
		for _, s := range stringsOf(line) {
			found += len(d.DetectString(s))
			if rule, secret := survivor(d, s); rule != "" {
				t.Fatalf("%s: %q survives", rule, secret)
			}
		}
	}
	t.Logf("%d secrets in %d lines", found, len(lines))
}
