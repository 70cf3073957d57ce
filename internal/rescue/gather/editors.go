package gather

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/internal/rescue/versions"
)

// maxWalked bounds the folders and files of the worktree in which editors' files are looked for.
const maxWalked = 300_000

// editors reads what editors keep: local histories, swap files and backups. Histories that are not in a documented
// form are named in a note.
func (c *Collector) editors(ctx context.Context) error {
	c.localHistories(ctx)
	if found, _ := filepath.Glob(filepath.Join(c.Home, ".cache", "JetBrains", "*", "LocalHistory")); len(found) > 0 {
		c.note("JetBrains' Local History is there, but its form is not documented: open it in the IDE (right-click the folder, Local History)")
	}
	if found, _ := filepath.Glob(filepath.Join(c.Home, "Library", "Caches", "JetBrains", "*", "LocalHistory")); len(found) > 0 {
		c.note("JetBrains' Local History is there, but its form is not documented: open it in the IDE (right-click the folder, Local History)")
	}
	for _, dir := range []string{".vim/swap", ".vim/backup", ".vim/tmp", ".local/state/nvim/swap", ".local/share/nvim/swap", ".cache/vim/swap", ".local/state/nvim/backup", ".local/state/vim/swap"} {
		c.editorFolder(filepath.Join(c.Home, filepath.FromSlash(dir)))
	}
	return c.besideFiles(ctx)
}

// localHistories reads the local histories of VS Code and the editors made of it.
func (c *Collector) localHistories(ctx context.Context) {
	for _, base := range []string{".config", "Library/Application Support", "AppData/Roaming"} {
		tables, _ := filepath.Glob(filepath.Join(c.Home, filepath.FromSlash(base), "*", "User", "History", "*", "entries.json"))
		for _, table := range tables {
			if ctx.Err() != nil {
				return
			}
			text, err := readRegular(table)
			if err != nil || !gjson.ValidBytes(text) {
				continue
			}
			place, err := url.Parse(gjson.GetBytes(text, "resource").String())
			if err != nil || place.Scheme != "file" {
				continue
			}
			path, ok := c.inside(filepath.FromSlash(place.Path), "")
			if !ok {
				continue
			}
			editor := filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(table)))))
			gjson.GetBytes(text, "entries").ForEach(func(_, e gjson.Result) bool {
				name := e.Get("id").String()
				if name == "" || filepath.Base(name) != name {
					return true
				}
				c.addFile(filepath.Join(filepath.Dir(table), name), path, "local history of "+editor, time.UnixMilli(e.Get("timestamp").Int()))
				return true
			})
		}
	}
}

// addFile adds the content of a file outside the worktree's names; a zero time is that of the file.
func (c *Collector) addFile(file, path, source string, at time.Time) {
	info, err := os.Lstat(file)
	if err != nil {
		return
	}
	content, err := readRegular(file)
	if err != nil {
		return
	}
	if at.IsZero() {
		at = info.ModTime()
	}
	if hash, size, ok := c.put(content); ok {
		c.add(versions.Evidence{Path: path, At: at, Source: source, Content: hash, Size: size})
	}
}

// editorFolder reads a folder in which an editor keeps files of all projects: names have `%` for `/`.
func (c *Collector) editorFolder(dir string) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, f := range files {
		name := strings.ReplaceAll(f.Name(), "%", string(filepath.Separator))
		if isSwap(name) {
			c.addSwap(filepath.Join(dir, f.Name()), "")
		} else if path, ok := c.inside(strings.TrimSuffix(name, "~"), ""); ok && filepath.IsAbs(name) {
			c.addFile(filepath.Join(dir, f.Name()), path, "an editor's backup", time.Time{})
		}
	}
}

// besideFiles reads the editors' files that stand beside the files of the worktree.
func (c *Collector) besideFiles(ctx context.Context) error {
	walked := 0
	return filepath.WalkDir(c.Repo.Top, func(file string, d os.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if walked++; walked > maxWalked || ctx.Err() != nil {
			return filepath.SkipAll
		}
		name := d.Name()
		if d.IsDir() {
			if name == ".git" || name == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		if isSwap(name) {
			c.addSwap(file, file)
		} else if of, editor := backupOf(name); of != "" {
			if path, ok := c.inside(filepath.Join(filepath.Dir(file), of), ""); ok {
				c.addFile(file, path, editor, time.Time{})
			}
		}
		return nil
	})
}

// IsBackup reports whether a file's name says that an editor made it to keep another file's content.
func IsBackup(name string) bool {
	of, _ := backupOf(name)
	return of != "" || isSwap(name)
}

// backupOf returns the name of the file that a file is a backup of, "" for none, and who makes such ones.
func backupOf(name string) (of, editor string) {
	switch inner, wrapped := strings.CutPrefix(name, "#"); {
	case strings.HasSuffix(name, "~") && len(name) > 1 && !strings.HasPrefix(name, "."):
		return strings.TrimSuffix(name, "~"), "an editor's backup (" + name + ")"
	case wrapped && strings.HasSuffix(inner, "#") && len(inner) > 1:
		return strings.TrimSuffix(inner, "#"), "Emacs' automatic save"
	case strings.HasSuffix(name, ".save") && len(name) > 5:
		return strings.TrimSuffix(name, ".save"), "nano's emergency save"
	case strings.HasSuffix(name, ".orig") && len(name) > 5:
		return strings.TrimSuffix(name, ".orig"), "a merge tool's backup"
	}
	return "", ""
}
