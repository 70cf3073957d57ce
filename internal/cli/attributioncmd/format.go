package attributioncmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/workplace"
	"entire/internal/formats"
	"entire/internal/formats/agenttrace"
	notesformat "entire/internal/formats/authorship"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/internal/review"
)

// Open formats of --format.
const (
	agentTrace = "agent-trace"
	authorship = "authorship"
	findings   = "sarif"
)

// openFormats are the values of --format.
func openFormats() []string { return []string{agentTrace, authorship, findings} }

// checkFormat returns an error for a format that there is not, or with flags that it cannot have.
func (o attributionOptions) checkFormat() error {
	switch {
	case !slices.Contains(openFormats(), o.format):
		return cliui.Failf("they are "+strings.Join(openFormats(), ", "), "there is no format %s", cliui.ShownName(o.format))
	case o.format != findings && (o.check != "" || o.by != ""):
		return cliui.Failf("`--format sarif` has broken limits, too", "--check and --by cannot go with --format %s", o.format)
	}
	return nil
}

// writeFormat writes the commit or the commits of a range in an open format: a document on each line
// for a range.
func writeFormat(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, name string, o attributionOptions) error {
	show, done := slowProgress(env)
	var out bytes.Buffer
	var left []string
	err := ownerlib.Commits(ctx, wp, name, show, func(c git.Commit, files []lineage.ChangedFile) error {
		data, without, err := o.document(env, c, files, ownerlib.IsRange(name))
		left = append(left, without...)
		out.Write(data)
		return err
	})
	done()
	if err != nil {
		return err
	}
	for _, path := range left {
		fmt.Fprintf(env.Err, "warning: left out %s: the format cannot hold its path\n", cliui.ShownName(path))
	}
	if out.Len() == 0 && o.format == authorship {
		fmt.Fprintln(env.Err, "No agent's lines: a note would say nothing.")
	}
	return writeOut(env, out.Bytes(), o.output)
}

// document returns one commit in the format; nothing for a commit that a note says nothing about.
func (o attributionOptions) document(env *cliui.Env, c git.Commit, files []lineage.ChangedFile, many bool) (data []byte, left []string, err error) {
	if o.format == agentTrace {
		record, left := formats.Trace(c, files, env.Version)
		data, err := record.Encode(formats.Lengths(files))
		return data, left, invalid(c, err)
	}
	note, left := formats.Note(c, files)
	if note == nil {
		return nil, left, nil
	}
	data, err = note.Encode(formats.Lengths(files))
	if err == nil && many {
		data, err = json.Marshal(struct {
			Commit string `json:"commit"`
			Note   string `json:"note"`
		}{c.OID.String(), string(data)})
		data = append(data, '\n')
	}
	return data, left, invalid(c, err)
}

// invalid says that a document was not written because it would be wrong.
func invalid(c git.Commit, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("this is a bug: the document of %s would be invalid: %w", c.OID.Short(), err)
}

// findingsOf returns the document as SARIF.
func findingsOf(env *cliui.Env, d *review.Document) ([]byte, error) {
	data, err := formats.Findings(d, env.Version).Encode(formats.FileLengths(d))
	if err != nil {
		return nil, fmt.Errorf("this is a bug: the findings would be invalid: %w", err)
	}
	return data, nil
}

// validateFormat says whether a document in an open format is valid: a note, or the records on the lines of a file. How long
// the files are that they name is not known here.
func (o attributionOptions) validateFormat(env *cliui.Env, data []byte) error {
	if o.format == authorship {
		n, err := notesformat.Decode(data, nil)
		if err != nil {
			fmt.Fprintf(env.Err, "entire: not valid: %s\n", cliui.ShownLine(err.Error()))
			return cliui.ErrTold
		}
		_, err = fmt.Fprintf(env.Out, "valid: %s, %s\n", n.Metadata.Schema, cliui.Count(len(n.Files), "file"))
		return err
	}
	number, valid, bad := 0, 0, 0
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if _, err := agenttrace.Decode(line, nil); err != nil {
			fmt.Fprintf(env.Err, "entire: line %d is not valid: %s\n", number, cliui.ShownLine(err.Error()))
			bad++
			continue
		}
		valid++
	}
	if bad > 0 || valid == 0 {
		fmt.Fprintf(env.Err, "entire: %s valid, %d not\n", cliui.Count(valid, "record"), bad)
		return cliui.ErrTold
	}
	_, err := fmt.Fprintf(env.Out, "valid: Agent Trace %s, %s\n", agenttrace.Version, cliui.Count(valid, "record"))
	return err
}
