package store

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"entire/internal/durable"
	"entire/internal/git/object"
)

// InTables reports whether git keeps the refs and reflogs in tables (extensions.refStorage=reftable) instead of files. Only
// git reads those.
func (r *Repo) InTables() bool {
	info, err := os.Lstat(filepath.Join(r.CommonDir, filepath.Dir(tablesList)))
	return err == nil && info.IsDir()
}

// headInTables is the text of the file HEAD where refs are in tables: there for programs that look for such a file.
const headInTables = "ref: refs/heads/.invalid"

// RefFile returns the text of a file in GitDir in which git keeps a ref outside of refs/, such as CHERRY_PICK_HEAD; nil if
// there is none. Where refs are in tables, git is asked, and the text is what the file would have.
func (r *Repo) RefFile(ctx context.Context, name string) []byte {
	data, err := os.ReadFile(filepath.Join(r.GitDir, filepath.FromSlash(name)))
	if err == nil {
		return data
	}
	if strings.Contains(name, "/") || name != strings.ToUpper(name) || !r.InTables() {
		return nil
	}
	list := r.fromTables(r.GitDir, "", func() ([]byte, error) {
		return r.Run(ctx, "for-each-ref", "--include-root-refs", "--format=%(refname) %(objectname)",
			"AUTO_MERGE", "CHERRY_PICK_HEAD", "MERGE_AUTOSTASH", "ORIG_HEAD", "REBASE_HEAD", "REVERT_HEAD")
	})
	for line := range bytes.Lines(list) {
		if oid, ok := bytes.CutPrefix(line, []byte(name+" ")); ok {
			return oid
		}
	}
	return nil
}

// reflogInTables returns a reflog as its file would have it, so that its size is the same after `git refs migrate`. Dir is
// the GitDir of the worktree whose HEAD it is, or CommonDir.
func (r *Repo) reflogInTables(ctx context.Context, dir, ref string) []byte {
	name := ref
	switch {
	case ref != "HEAD" || dir == r.GitDir:
	case dir == r.CommonDir:
		name = "main-worktree/HEAD"
	default:
		name = "worktrees/" + filepath.Base(dir) + "/HEAD"
	}
	return r.fromTables(dir, name, func() ([]byte, error) {
		out, err := r.Run(ctx, "log", "--walk-reflogs", "--no-show-signature", "--no-decorate", "--date=raw", "--format=%H%x00%gd%x00%gn <%ge>%x00%gs", name, "--")
		if err != nil {
			return nil, err // no such ref, for example
		}
		var text bytes.Buffer
		was := r.HexOrZeros(object.OID{})
		for _, line := range slices.Backward(strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")) {
			if words := strings.SplitN(line, "\x00", 4); len(words) == 4 {
				at := strings.TrimSuffix(words[1][strings.LastIndexByte(words[1], '{')+1:], "}")
				fmt.Fprintf(&text, "%s %s %s %s\t%s\n", was, words[0], words[2], at, words[3])
				was = words[0]
			}
		}
		return text.Bytes(), nil
	})
}

// formerMax bounds the earlier values that are read of a ref in tables.
const formerMax = 100

// formerInTables is Former where refs are in tables. Git lists no reflog with an object that is lost, but names one entry
// after the other.
func (r *Repo) formerInTables(ctx context.Context, ref string) (out []object.OID) {
	args := []string{"rev-parse"}
	for n := range formerMax {
		args = append(args, fmt.Sprintf("%s@{%d}", ref, n+1))
	}
	names, _ := r.Command(nil).Output(ctx, args...) // it fails behind the last entry
	for name := range strings.FieldsSeq(string(names)) {
		if oid, err := object.ParseOID(name); err == nil && !oid.IsZero() {
			out = append(out, oid)
		}
	}
	return out
}

// tableTexts are the texts that were made of tables, by what they are.
type tableTexts struct {
	sync.Mutex
	known map[string]tableText
}

// tableText is a text, and the list of the tables that it was made of.
type tableText struct {
	list string
	text []byte
}

// fromTables makes a text, unless it was made and the tables in dir have not changed since; nil if it cannot be made.
func (r *Repo) fromTables(dir, what string, make func() ([]byte, error)) []byte {
	list, err := durable.Read(filepath.Join(dir, tablesList), object.NativeMax)
	if err != nil {
		return nil
	}
	r.tables.Lock()
	defer r.tables.Unlock()
	if t, ok := r.tables.known[what]; ok && t.list == string(list) {
		return t.text
	}
	text, err := make()
	if err != nil {
		return nil
	}
	r.tables.known[what] = tableText{string(list), text}
	return text
}

// tablesList is the file that changes with every ref in tables, in a worktree's own folder too.
var tablesList = filepath.Join("reftable", "tables.list")
