package importtest

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// What a package and a file may have at most, without tests. Generated files do not count.
const (
	maxLines     = 4000 // of a package
	maxFiles     = 30   // of a package
	maxFileLines = 400
)

// A size is what a package has: lines and files without tests.
type size struct{ lines, files int }

// largerPackages are those that are above the limits still. A figure here only ever falls.
var largerPackages = map[string]size{}

// longerFiles are those that are above maxFileLines still. A figure here only ever falls.
var longerFiles = map[string]int{}

// checkSizes returns one line for each package and file above its limit, and for each
// exception that is no longer needed or could be lower. files maps paths to lines.
func checkSizes(files map[string]int) []string {
	packages := map[string]size{}
	var broken []string
	for file, lines := range files {
		at := packages[path.Dir(file)]
		packages[path.Dir(file)] = size{at.lines + lines, at.files + 1}
		limit := max(maxFileLines, longerFiles[file])
		if lines > limit {
			broken = append(broken, fmt.Sprintf("%s has %d lines; at most %d", file, lines, limit))
		}
	}
	for dir, is := range packages {
		may := largerPackages[dir]
		if limit := max(maxLines, may.lines); is.lines > limit {
			broken = append(broken, fmt.Sprintf("%s has %d lines; at most %d", dir, is.lines, limit))
		}
		if limit := max(maxFiles, may.files); is.files > limit {
			broken = append(broken, fmt.Sprintf("%s has %d files; at most %d", dir, is.files, limit))
		}
	}
	for dir, may := range largerPackages {
		if is := packages[dir]; may.lines > maxLines && is.lines < may.lines || may.files > maxFiles && is.files < may.files {
			broken = append(broken, fmt.Sprintf("%s has %d lines in %d files: lower its figure in largerPackages", dir, is.lines, is.files))
		}
	}
	for file, may := range longerFiles {
		if files[file] < may {
			broken = append(broken, fmt.Sprintf("%s has %d lines: lower its figure in longerFiles", file, files[file]))
		}
	}
	slices.Sort(broken)
	return broken
}

// counts reports whether a file counts towards the sizes.
func counts(file, text string) bool {
	return strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") && !strings.HasPrefix(text, "// Code generated ")
}
