package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// oddWords are turns of phrase that a reader has to take apart before they say
// anything.
var oddWords = regexp.MustCompile(`\banew\b|\bof which\b|\bof whom\b|nobody that is|nobody can tell|that may go\b|\bthat which\b|not so that|otherwise than|it was not to\b|nobody's`)

// What the program says is plain: no text of its commands, nor of what they show of the
// packages below them, has one of the odd words.
func TestTextsArePlain(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{".", "../../strategy", "../../strategy/*", "../../internal/*", "../../internal/*/*", "../../checkpoint/*", "../../session", "../../session/internal/*", "../../agent", "../../agent/*"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					if odd := oddWords.FindString(text.Value); odd != "" {
						t.Errorf("%s says %q in %s", set.Position(text.Pos()), odd, text.Value)
					}
				}
				return true
			})
		}
	}
}
