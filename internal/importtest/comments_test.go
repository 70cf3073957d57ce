package importtest

import (
	"fmt"
	"go/ast"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// begins finds the word that a doc comment describes.
var begins = regexp.MustCompile(`^(?:A |An |The )?([A-Za-z_]\w*)`)

// mixed finds a capital letter within a word: the word is a name of the program, not of the language.
var mixed = regexp.MustCompile(`[a-z][A-Z]`)

// misnamed returns one line for each doc comment of a file that begins with another name than that of its function, type,
// variable or constant, as happens when one of them gets a new name.
func misnamed(src Source) (broken []string) {
	check := func(name string, doc *ast.CommentGroup) {
		m := begins.FindStringSubmatch(doc.Text())
		if m == nil || m[1] == name || !strings.EqualFold(m[1], name) && !mixed.MatchString(m[1]) {
			return
		}
		broken = append(broken, fmt.Sprintf("%s: the comment of %s begins with %s", src.Path, name, m[1]))
	}
	for _, d := range src.File.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			check(d.Name.Name, d.Doc)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					check(s.Name.Name, either(s.Doc, d.Doc))
				case *ast.ValueSpec:
					if len(d.Specs) == 1 && len(s.Names) == 1 {
						check(s.Names[0].Name, either(s.Doc, d.Doc))
					}
				}
			}
		}
	}
	return broken
}

func either(own, group *ast.CommentGroup) *ast.CommentGroup {
	if own != nil {
		return own
	}
	return group
}

// link finds a name in brackets that go doc turns into a link, with or without a package.
var link = regexp.MustCompile(`\[([A-Za-z_]\w*)(?:\.(\w+))?(?:\.\w+)?\]`)

// deadLinks returns one line for each link in a comment to a name that its package does not declare. names are those of
// all packages, by the name of the package; a package of a library is not checked.
func deadLinks(src Source, names map[string][]string) (broken []string) {
	own := names[src.File.Name.Name]
	for _, group := range src.File.Comments {
		for _, m := range link.FindAllStringSubmatch(group.Text(), -1) {
			first, second := m[1], m[2]
			if second == "" && (!ast.IsExported(first) || strings.ToUpper(first) == first) || slices.Contains(own, first) {
				continue // a word in brackets
			}
			if there, ours := names[first]; second != "" && !ast.IsExported(first) && (!ours || slices.Contains(there, second)) {
				continue
			}
			broken = append(broken, fmt.Sprintf("%s: no package declares %s", src.Path, m[0]))
		}
	}
	return broken
}

// declared returns the names that a file declares, methods aside.
func declared(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

func TestCommentsNameWhatIsThere(t *testing.T) {
	t.Parallel()
	var files []Source
	names := map[string][]string{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && full != root && (name == "testdata" || strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		src := parse(t, rel, "")
		files = append(files, src)
		names[src.File.Name.Name] = append(names[src.File.Name.Name], declared(src.File)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 1000 {
		t.Fatalf("only %d files were found", len(files))
	}
	for _, src := range files {
		for _, broken := range append(misnamed(src), deadLinks(src, names)...) {
			t.Error(broken)
		}
	}
}

func TestComments(t *testing.T) {
	t.Parallel()
	names := map[string][]string{"id": {"Parse"}, "a": {"own"}}
	for _, tt := range []struct{ name, comment, want string }{
		{"its name", "// f does it.", ""},
		{"a sentence", "// Nobody calls it.", ""},
		{"former name", "// oldName does it.", "begins with oldName"},
		{"exported before", "// F does it.", "begins with F"},
		{"link", "// f does it, see [id.Parse], [own] and [strings.Cut].", ""},
		{"link to a former name", "// f does it, see [id.Parsed].", "no package declares [id.Parsed]"},
		{"link in the package", "// f does it, see [Own].", "no package declares [Own]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			src := parse(t, "a/a.go", "package a\n\n"+tt.comment+"\nfunc f() {}\n")
			got := strings.Join(append(misnamed(src), deadLinks(src, names)...), "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
