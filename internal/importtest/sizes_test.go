package importtest

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPackagesAndFilesStaySmall(t *testing.T) {
	t.Parallel()
	files := map[string]int{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); full != root && (name == "testdata" || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, full)
		if err != nil || !strings.HasSuffix(rel, ".go") {
			return err
		}
		text, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		if counts(rel, string(text)) {
			files[filepath.ToSlash(rel)] = strings.Count(string(text), "\n")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range checkSizes(files) {
		t.Error(broken)
	}
}

func TestCheckSizes(t *testing.T) {
	t.Parallel()
	many := map[string]int{}
	for i := range maxFiles + 1 {
		many[filepath.Join("id", strings.Repeat("x", i+1)+".go")] = 1
	}
	for name, row := range map[string]struct {
		files map[string]int
		want  []string
	}{
		"within": {map[string]int{"id/a.go": maxFileLines}, nil},
		"a long file": {map[string]int{"id/a.go": maxFileLines + 1},
			[]string{"id/a.go has 401 lines; at most 400"}},
		"too many files": {many, []string{"id has 31 files; at most 30"}},
		"too many lines": {func() map[string]int {
			out := map[string]int{}
			for _, file := range slices.Sorted(maps.Keys(many))[:11] {
				out[file] = maxFileLines
			}
			return out
		}(), []string{"id has 4400 lines; at most 4000"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, line := range checkSizes(row.files) {
				if strings.HasPrefix(line, "id") {
					got = append(got, line)
				}
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
