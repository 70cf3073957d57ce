package attributioncmd

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/durable"
)

// oneWord is the hint for an argument too many.
const oneWord = "a range is one word, as in main..HEAD; FILE is where --json, --markdown and --html write"

// takeOutput removes the output file from the arguments and stores it in o.output. With --json,
// --markdown or --html, the output file is the argument with that format's extension, or else the
// second of two arguments.
func (o *attributionOptions) takeOutput(args []string) []string {
	endings := map[string]bool{".json": o.json, ".md": o.markdown, ".html": o.html}
	if o.output != "" || !o.json && !o.markdown && !o.html {
		return args
	}
	at := slices.IndexFunc(args, func(arg string) bool { return endings[strings.ToLower(filepath.Ext(arg))] })
	if at < 0 && len(args) > 1 {
		at = len(args) - 1
	}
	if at < 0 {
		return args
	}
	o.output, o.unnamed = args[at], true
	return slices.Delete(slices.Clone(args), at, at+1)
}

// refuseToReplace returns an error if the output file, named without --output, is there and no report: somebody may have
// meant the report of that file.
func (o *attributionOptions) refuseToReplace(env *cliui.Env) error {
	if !o.unnamed {
		return nil
	}
	path, err := env.Abs(o.output)
	if err != nil {
		return err
	}
	has, err := durable.ReadPlain(path, mostReport)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (len(has) == 0 || isReport(has)) {
		return nil
	}
	return cliui.Failf("--output "+cliui.ShownName(o.output)+" replaces it; the report of one file is `entire blame FILE`",
		"%s is there and is no report: nothing was written", cliui.ShownName(o.output))
}

// mostReport bounds a file that is read to see whether it is a report.
const mostReport = 64 << 20

// isReport reports whether a file begins as a document of report or review.
func isReport(text []byte) bool {
	head := text[:min(len(text), 1<<10)]
	for _, begin := range []string{"### Who wrote <code>", "<!-- entire:review -->", "{\n \"schema\": \"entire-attribution/"} {
		if bytes.HasPrefix(head, []byte(begin)) {
			return true
		}
	}
	return bytes.HasPrefix(head, []byte("<!doctype html>")) && bytes.Contains(head, []byte("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:;"))
}

// writeOut writes to a file, or to standard output if there is none.
func writeOut(env *cliui.Env, data []byte, path string) error {
	if path == "" {
		_, err := env.Out.Write(data)
		return err
	}
	path, err := env.Abs(path)
	if err != nil {
		return err
	}
	return durable.WriteFile(path, data, 0o644)
}
