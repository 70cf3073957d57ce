package redactcmd

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/redact"
	"entire/internal/seal"
)

// maxTested is the most bytes of a text that test reads.
const maxTested = 64 << 20

// statusFailed is the exit status if nothing could be looked at; 1 means that something was found.
const statusFailed = 2

func testCommand(env *cliui.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "test FILE|-",
		Short: "Show what redaction would take from a text, and why",
		Long: `Show what redaction would take from a file, or from the standard input (-): the
place, the rule and the line as it would be stored. A file with a JSON value on each
line is read as a transcript is; everything else is text. The rules are the built-in
ones and those of this project's settings. Nothing is stored.

The exit status is 0 if nothing would go, 1 if something would, and 2 if the file
could not be read.`,
		Example: `  entire redact test .env
  git diff --staged | entire redact test - && git commit`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cliui.ExitWith(statusFailed, cliui.Failf("give a file, or - for the standard input", "which text? redact test takes one file"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runTest(cmd.Context(), env, args[0], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	cliui.WrongFlagExits(cmd, statusFailed)
	return cmd
}

// A testView is what test found; its JSON form is what --json prints.
type testView struct {
	File     string    `json:"file"`
	Bytes    int       `json:"bytes"`
	Redacted int       `json:"redacted_bytes"`
	Findings []testHit `json:"findings"`
}

type testHit struct {
	Line   int    `json:"line"`
	Column int    `json:"column"` // in characters, from one
	Rule   string `json:"rule"`
	Key    string `json:"key,omitempty"`
	Length int    `json:"length"` // in bytes
	Stored string `json:"stored"` // the line as it would be stored, shortened
}

func runTest(ctx context.Context, env *cliui.Env, name string, asJSON bool) error {
	text, err := readTested(env, name)
	if err != nil {
		return cliui.ExitWith(statusFailed, err)
	}
	place, err := workplace.PlaceHere(env)
	if err == nil {
		_, err = workplace.LoadSettings(place)
	}
	if err != nil {
		return cliui.ExitWith(statusFailed, err)
	}
	v := examine(name, text)
	if err := ctx.Err(); err != nil {
		return err
	}
	if asJSON {
		err = env.PrintJSON(v)
	} else {
		_, err = io.WriteString(env.Out, v.text())
	}
	if err == nil && len(v.Findings) > 0 {
		return cliui.ErrTold
	}
	return err
}

func readTested(env *cliui.Env, name string) ([]byte, error) {
	hint := fmt.Sprintf("at most %d MiB are looked at; split it", maxTested>>20)
	if name == "-" {
		text, err := io.ReadAll(io.LimitReader(env.In, maxTested+1))
		if err == nil && len(text) > maxTested {
			err = cliui.Failf(hint, "the standard input is too large")
		}
		return text, err
	}
	text, err := durable.Read(name, maxTested)
	if err == nil {
		return text, nil
	}
	if !errors.Is(err, durable.ErrTooLong) {
		hint = "name a file, or - for standard input"
	}
	return nil, cliui.WithHint(fmt.Errorf("read %s: %w", cliui.ShownLine(name), plainCause(err)), hint)
}

// plainCause leaves out the path, which the message has already.
func plainCause(err error) error {
	var path interface{ Unwrap() error }
	if errors.As(err, &path) && path.Unwrap() != nil {
		return path.Unwrap()
	}
	return err
}

// examine finds the secrets of a text: of its lines if each is a JSON value, otherwise of the whole.
func examine(name string, text []byte) testView {
	v := testView{File: name, Bytes: len(text), Findings: []testHit{}}
	for _, f := range findingsIn(text, redact.NewExplainer()) {
		start := bytes.LastIndexByte(text[:f.Start], '\n') + 1
		end := len(text)
		if i := bytes.IndexByte(text[f.End:], '\n'); i >= 0 {
			end = f.End + i
		}
		v.Redacted += f.End - f.Start
		v.Findings = append(v.Findings, testHit{
			Line: 1 + bytes.Count(text[:f.Start], []byte("\n")), Column: 1 + utf8.RuneCount(text[start:f.Start]),
			Rule: f.Rule, Key: f.Key, Length: f.End - f.Start,
			Stored: around(string(text[start:f.Start]), string(text[f.End:end])),
		})
	}
	return v
}

// findingsIn returns the secrets of a stored text, at their places in it.
func findingsIn(text []byte, x *redact.Explainer) []redact.Finding {
	if !jsonLines(text) {
		return x.Line(text) // a JSON document, or text
	}
	var all []redact.Finding
	at := 0
	for line := range bytes.Lines(text) {
		for _, f := range x.Line(bytes.TrimSuffix(line, []byte("\n"))) {
			f.Start, f.End = f.Start+at, f.End+at
			all = append(all, f)
		}
		at += len(line)
	}
	return all
}

// storedFindings is findingsIn for a text of a place, without what only looks like keys: what is encrypted, and, in states
// of sessions, states of hashes and fingerprints.
func storedFindings(text []byte, in string, x *redact.Explainer) []redact.Finding {
	return slices.DeleteFunc(findingsIn(text, x), func(f redact.Finding) bool {
		found := text[f.Start:f.End]
		return isSealed(found) || in == inState && (isHashState(found) || (f.Key == "borrowed" || f.Key == "given") && areFingerprints(found))
	})
}

// areFingerprints reports whether a text is a list of hashes of four or eight bytes in base64.
func areFingerprints(text []byte) bool {
	list, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(string(text), "="))
	return err == nil && len(list)%4 == 0
}

// isHashState reports whether a text is what Go's SHA-256 gives of itself, in base64, as engine.json has it.
func isHashState(text []byte) bool {
	const size = 4 + 32 + 64 + 8
	state := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(state, text)
	return err == nil && n == size && bytes.HasPrefix(state, []byte("sha\x03"))
}

// isSealed reports whether a text is sealed data in base64.
func isSealed(text []byte) bool {
	head := make([]byte, 24)
	n, err := base64.StdEncoding.Decode(head, text[:min(len(text), 32)])
	return err == nil && seal.Is(head[:n])
}

// jsonLines reports whether the text is a transcript: its first line begins an object or an array and ends it.
func jsonLines(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	first = bytes.TrimSpace(first)
	return len(first) > 1 && (first[0] == '{' && first[len(first)-1] == '}' || first[0] == '[' && first[len(first)-1] == ']')
}

// contextRunes is how much of a line is shown on each side of a secret.
const contextRunes = 30

// around returns a secret's line as it would be stored, shortened.
func around(before, after string) string {
	before, after = redact.Text(before), redact.Text(after)
	if r := []rune(before); len(r) > contextRunes {
		before = "…" + string(r[len(r)-contextRunes:])
	}
	if r := []rune(after); len(r) > contextRunes {
		after = string(r[:contextRunes]) + "…"
	}
	return before + redact.Token + after
}

func (v testView) text() string {
	var b strings.Builder
	if len(v.Findings) == 0 {
		fmt.Fprintf(&b, "Nothing would be redacted (%d bytes).\n", v.Bytes)
		return b.String()
	}
	for _, f := range v.Findings {
		rule := f.Rule
		if f.Key != "" {
			rule += " in " + f.Key
		}
		fmt.Fprintf(&b, "%s:%d:%d  %s, %s\n    %s\n", cliui.ShownLine(v.File), f.Line, f.Column, cliui.ShownLine(rule), cliui.Count(f.Length, "byte"), cliui.ShownLine(f.Stored))
	}
	fmt.Fprintf(&b, "\n%s: %d of %d bytes would be redacted.\n", cliui.Count(len(v.Findings), "finding"), v.Redacted, v.Bytes)
	return b.String()
}
