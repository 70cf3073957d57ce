package importtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// openDoors returns the uses of doors outside the documented conveniences.
func (src Source) openDoors(home string) []string {
	names := src.importNames()
	var broken []string
	for _, decl := range src.File.Decls {
		if function, ok := decl.(*ast.FuncDecl); ok && conveniences[home+"."+function.Name.Name] {
			continue
		}
		ast.Inspect(decl, func(node ast.Node) bool {
			selector, ok := node.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if name, ok := selector.X.(*ast.Ident); ok && slices.Contains(doors[names[name.Name]], selector.Sel.Name) {
				broken = append(broken, fmt.Sprintf("%s: %s.%s below cmd: pass the value in", src.Path, name.Name, selector.Sel.Name))
			}
			return true
		})
	}
	return broken
}

// importNames maps the names the file gives to imported packages to their paths.
func (src Source) importNames() map[string]string {
	names := make(map[string]string)
	for _, spec := range src.File.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = imported
	}
	return names
}

// state returns init functions and package variables that begin without a value:
// an error and a table always have one. What go:embed fills is exempt.
func (src Source) state() []string {
	var broken []string
	for _, decl := range src.File.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil && decl.Name.Name == "init" {
				broken = append(broken, fmt.Sprintf("%s: func init", src.Path))
			}
		case *ast.GenDecl:
			if decl.Tok == token.VAR {
				broken = append(broken, src.emptyVars(decl)...)
			}
		}
	}
	return broken
}

func (src Source) emptyVars(decl *ast.GenDecl) []string {
	var broken []string
	for _, spec := range decl.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok || len(value.Values) > 0 || embedded(decl.Doc) || embedded(value.Doc) {
			continue
		}
		for _, name := range value.Names {
			broken = append(broken, fmt.Sprintf("%s: package variable %s is state", src.Path, name.Name))
		}
	}
	return broken
}

func embedded(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(comment *ast.Comment) bool {
		return strings.HasPrefix(comment.Text, "//go:embed ")
	})
}

// conveniences are the documented functions that take no repository, or one that
// knows no environment: thin wrappers that look around and call the real one.
var conveniences = map[string]bool{
	"internal/gogit.FromRepository":          true,
	"checkpoint.LookupSessionLog":            true,
	"checkpoint.NewGitStore":                 true,
	"checkpoint.withoutContext":              true,
	"session.NewStore":                       true,
	"session.Open":                           true,
	"session.OpenStore":                      true, // its default clock
	"session.defaultBase":                    true,
	"session/internal/layout.WithoutContext": true,
	"strategy.ListSessions":                  true,
	"strategy.GetSession":                    true,

	"strategy.NewManualCommitStrategy": true,
	"strategy.NewAutoCommitStrategy":   true,
	"strategy.GetAdditionalSessions":   true,
	"strategy.CondenseSession":         true,
	"strategy.SaveChanges":             true,
	"strategy.atCurrentDir":            true,
	"strategy.forProgram":              true,
}

// doors are the calls through which the world comes in: below cmd, values are
// passed instead.
var doors = map[string][]string{
	"os":      {"Getenv", "LookupEnv", "Environ", "ExpandEnv", "Getwd", "Chdir", "Setenv", "Exit"},
	"time":    {"Now", "Since", "Until"},
	"context": {"Background", "TODO"},
	"fmt":     {"Print", "Printf", "Println"},
}

// openRooms may use the doors.
var openRooms = map[string]bool{
	"cmd/entire":           true,
	"cmd/internal/world":   true,
	"cmd/entire-mcp":       true,
	"cmd/entire-bucket":    true,
	"cmd/entire-hub":       true,
	"cmd/entire-otel":      true,
	"internal/hub/hubtest": true,
	"examples/plugin-go":   true,
	"internal/testrepo":    true,
	"internal/histories":   true,
	"internal/benchmark":   true,
	"internal/gitsuite":    true,
	"internal/dist":        true,
	"internal/clients":     true,
	"internal/recording":   true,

	"agent/internal/agenttest":     true,
	"strategy/internal/enginetest": true,
}
