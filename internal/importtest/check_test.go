package importtest

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Source is one parsed Go file; Path is slash-separated, from the module's root.
type Source struct {
	Path string
	File *ast.File
}

// Check returns one line for each rule the file breaks.
func Check(src Source) []string {
	home, ok := room(path.Dir(src.Path))
	if !ok {
		return []string{fmt.Sprintf("%s: the directory has no row in importtest's table", src.Path)}
	}
	var broken []string
	for _, spec := range src.File.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			broken = append(broken, fmt.Sprintf("%s: %v", src.Path, err))
			continue
		}
		if !src.mayImport(home, imported) {
			broken = append(broken, fmt.Sprintf("%s: %s may not import %s", src.Path, home, imported))
		}
	}
	if src.isTest() {
		return broken
	}
	broken = append(broken, src.state()...)
	if !forTests[home] && directReads[src.Path] == "" {
		broken = append(broken, src.reads()...)
	}
	if !openRooms[home] && !src.isGenerator() {
		broken = append(broken, src.openDoors(home)...)
	}
	return broken
}

// room returns the longest row of the table that holds dir. The root's row holds
// the root alone.
func room(dir string) (string, bool) {
	for at := dir; ; at = path.Dir(at) {
		if _, ok := rooms[at]; ok && (at != "." || dir == ".") {
			return at, true
		}
		if at == path.Dir(at) {
			return "", false
		}
	}
}

func (src Source) mayImport(home, imported string) bool {
	if inner, ok := strings.CutPrefix(imported, module); ok {
		return src.isTest() || mayImportRoom(home, inner)
	}
	for _, rule := range libraries {
		if src.isTest() && !rule.tests || !rule.covers(imported) {
			continue
		}
		if !slices.ContainsFunc(rule.allowed, func(where string) bool { return src.isIn(home, where) }) {
			return false
		}
	}
	return true
}

func mayImportRoom(home, dir string) bool {
	target, ok := room(dir)
	switch {
	case !ok:
		return false
	case target == home:
		return true
	case forTests[target]:
		return forTests[home]
	}
	return slices.Contains(rooms[home], target) || slices.Contains(rooms[home], anything)
}

func (rule libraryRule) covers(imported string) bool {
	return slices.ContainsFunc(rule.prefixes, func(prefix string) bool { return strings.HasPrefix(imported, prefix) })
}

func (src Source) isIn(home, where string) bool {
	if of, ok := strings.CutPrefix(where, generators); ok {
		return home == of && (src.isTest() || src.isGenerator())
	}
	return where == home || where == src.Path
}

func (src Source) isTest() bool { return strings.HasSuffix(src.Path, "_test.go") }

// isGenerator reports whether no other package can link the file.
func (src Source) isGenerator() bool {
	return src.File.Name.Name == "main" || src.builtOnlyIf("ignore")
}

// builtOnlyIf reports whether the file's build constraint is just that one.
func (src Source) builtOnlyIf(condition string) bool {
	for _, group := range src.File.Comments {
		for _, comment := range group.List {
			if expr, err := constraint.Parse(comment.Text); err == nil && expr.String() == condition {
				return true
			}
		}
	}
	return false
}
