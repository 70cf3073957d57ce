package effects

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// MaxParsed bounds the commands that are parsed, in bytes.
	MaxParsed = 1 << 16
	// maxDepth bounds how deep commands are nested in commands.
	maxDepth = 5
)

// OfShell returns the effects of a shell command. A command that cannot be parsed may have
// done anything.
func OfShell(command string) Effects { return ofShell(command, 0) }

func ofShell(command string, depth int) Effects {
	all := Unknown()
	all.ImportsContent, all.Commits = strings.Contains(command, "git"), true
	if len(command) > MaxParsed || depth > maxDepth {
		return all
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return all
	}
	var out Effects
	syntax.Walk(file, func(n syntax.Node) bool {
		if st, ok := n.(*syntax.Stmt); ok {
			out.add(ofStatement(st, depth))
		}
		return true
	})
	return out
}

// A command is one command with its arguments.
type command struct {
	name    string
	args    []string
	heredoc string // the text of its here-documents and here-strings
	depth   int
}

func ofStatement(st *syntax.Stmt, depth int) Effects {
	var out Effects
	var c command
	for _, r := range st.Redirs {
		if r.Hdoc != nil {
			c.heredoc += pattern(r.Hdoc)
		} else if r.Op == syntax.WordHdoc {
			c.heredoc += pattern(r.Word)
		}
	}
	if call, ok := st.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
		words := make([]string, len(call.Args))
		for i, w := range call.Args {
			words[i] = pattern(w)
		}
		c.name, c.args, c.depth = words[0], words[1:], depth
		out = c.effects()
	}
	for _, r := range st.Redirs {
		if isOutput(r.Op) {
			out.add(certain(glob(pattern(r.Word))))
			out.ImportsContent = out.ImportsContent || c.name == "git"
		}
	}
	out.Outlives = out.Outlives || st.Background && len(out.Files) > 0
	return out
}

// isOutput reports whether a redirection writes a file.
func isOutput(op syntax.RedirOperator) bool {
	switch op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.ClbOut, syntax.RdrAll, syntax.AppAll:
		return true
	}
	return false
}

// Words returns the words of a command, "" for a word that only a shell can expand.
func Words(args []*syntax.Word) []string {
	out := make([]string, len(args))
	for i, w := range args {
		if text, whole := wordText(w); whole {
			out[i] = text
		}
	}
	return out
}

// pattern returns the text of a word, with a star for each part that only a shell can
// expand.
func pattern(w *syntax.Word) string {
	text, _ := wordText(w)
	return text
}

func wordText(w *syntax.Word) (text string, whole bool) {
	if w == nil {
		return "", true
	}
	whole = true
	var b strings.Builder
	var write func(parts []syntax.WordPart)
	write = func(parts []syntax.WordPart) {
		for _, p := range parts {
			switch p := p.(type) {
			case *syntax.Lit:
				b.WriteString(p.Value)
			case *syntax.SglQuoted:
				b.WriteString(p.Value)
			case *syntax.DblQuoted:
				write(p.Parts)
			default:
				whole = false
				b.WriteString("*")
			}
		}
	}
	write(w.Parts)
	return b.String(), whole
}
