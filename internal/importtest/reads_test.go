package importtest

import (
	"fmt"
	"go/ast"
	"slices"
)

// opens are the calls that open whatever stands at a path: they wait for a pipe, follow
// a link, and read a device without end. A file that somebody else may have put there is
// read with durable.Open, durable.Read and their like.
var opens = []string{"Open", "ReadFile", "DirFS", "CopyFS"}

// directReads are the files that use them all the same, and what it is that they read.
var directReads = map[string]string{
	"examples/plugin-go/main.go":                 "an example of a program of its own",
	"internal/cli/attributioncmd/attribution.go": "a path that a person typed, which may be a pipe",
	"internal/cli/hookcmd/keep.go":               "git's configuration",
	"internal/cli/setupcmd/demo.go":              "what the demo has written itself",
	"internal/patch/gen.go":                      "chroma's sources",
	"session/state_index.go":                     ours,
	"session/internal/index/list.go":             ours,
	"session/internal/layout/read_write.go":      ours,
	"strategy/engine/git_hooks.go":               "the message that git wrote for the hook",
	"strategy/githead/commit_message.go":         "the message that git wrote for the hook",
	"strategy/maintain/file_findings.go":         gitsOwn,
	"strategy/step/kept_turns_list.go":           gitsOwn,
	"strategy/worktree/directories.go":           "folders, opened as such",
	"strategy/worktree/umask_unix.go":            kernels,

	"internal/durable/dir.go":                  "folders, opened as such",
	"internal/durable/tree_windows.go":         "looks before it opens",
	"internal/git/cachetree.go":                gitsOwn,
	"internal/git/commitpaths.go":              gitsOwn,
	"internal/git/object/pack.go":              gitsOwn,
	"internal/git/object/readfile_other.go":    gitsOwn,
	"internal/git/object/sync.go":              gitsOwn,
	"internal/git/object/sync_linux.go":        gitsOwn,
	"internal/git/process/invocation_linux.go": kernels,
	"internal/git/staged.go":                   gitsOwn,
	"internal/git/store/branch.go":             gitsOwn,
	"internal/git/store/hash.go":               "what a rewind has staged itself",
	"internal/git/store/native.go":             gitsOwn,
	"internal/git/store/reflog.go":             gitsOwn,
	"internal/git/store/tables.go":             gitsOwn,
	"internal/summarize/process_unix.go":       kernels,
}

const (
	ours    = "ours, below .git or the data folder"
	gitsOwn = "git's, below .git"
	kernels = "the kernel's"
)

// reads returns the file's uses of opens.
func (src Source) reads() []string {
	names := src.importNames()
	var broken []string
	ast.Inspect(src.File, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if name, ok := selector.X.(*ast.Ident); ok && names[name.Name] == "os" && slices.Contains(opens, selector.Sel.Name) {
			broken = append(broken, fmt.Sprintf("%s: os.%s opens whatever stands there: use durable.Open, Read or ReadPlain", src.Path, selector.Sel.Name))
		}
		return true
	})
	return broken
}
