package hooks

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"entire/internal/durable"
)

// maxHook bounds how much of a hook is read; a longer one is a binary program that cannot
// be ours.
const maxHook = 1 << 16

// hookFile is a hook's file in the hooks' directory.
type hookFile struct {
	exists  bool
	mode    fs.FileMode // of the link itself, if the file is one
	target  string      // the target of the link
	content string      // of the file, through links; "" if the link dangles
	execute bool        // of the file, through links
	size    int64
}

// readHook returns the hook at path; a missing one is no error.
func readHook(path string) (hookFile, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return hookFile{}, nil
	}
	if err != nil {
		return hookFile{}, fmt.Errorf("read hook: %w", err)
	}
	hook := hookFile{exists: true, mode: info.Mode()}
	if hook.mode&fs.ModeSymlink != 0 {
		if hook.target, err = os.Readlink(path); err != nil {
			return hookFile{}, fmt.Errorf("read hook: %w", err)
		}
		if info, err = os.Stat(path); err != nil {
			return hook, nil // the link dangles, so git ignores the hook
		}
	}
	if !info.Mode().IsRegular() {
		return hookFile{}, fmt.Errorf("read hook %s: not a file", path)
	}
	hook.execute, hook.size = info.Mode()&0o111 != 0, info.Size()
	hook.content, err = readHead(path)
	return hook, err
}

func readHead(path string) (string, error) {
	file, err := durable.Open(path)
	if err != nil {
		return "", fmt.Errorf("read hook: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxHook))
	if err != nil {
		return "", fmt.Errorf("read hook: %w", err)
	}
	return string(data), nil
}

// ours reports whether the file has our marker on a line of its own.
func (h hookFile) ours() bool {
	for line := range strings.Lines(h.content) {
		if strings.HasPrefix(line, "#") && strings.Contains(line, strings.TrimPrefix(marker, "# ")) {
			return true
		}
	}
	return false
}

// edited reports whether somebody changed one of our scripts. The other tool's scripts
// have no checksum and never count as edited.
func (h hookFile) edited() bool {
	return strings.Contains(h.content, sumPrefix) && !intact(h.content)
}

// runnable reports whether git would run the hook.
func (h hookFile) runnable() bool { return h.execute || runtime.GOOS == "windows" }

// sameAs reports whether replacing h with other changes nothing. Only the beginning of a
// long file is known, so long files are never the same.
func (h hookFile) sameAs(other hookFile) bool { return h == other && h.size <= maxHook }

// backups returns the names of the earlier hooks that were set aside for name, oldest
// first.
func backups(dir, name string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	numbers := make(map[string]int)
	var found []string
	for _, entry := range entries {
		rest, ok := strings.CutPrefix(entry.Name(), name+backupSuffix)
		if !ok {
			continue
		}
		number, err := strconv.Atoi(strings.TrimPrefix(rest, "."))
		if rest == "" || err == nil && rest == "."+strconv.Itoa(number) && number > 0 {
			numbers[entry.Name()] = number
			found = append(found, entry.Name())
		}
	}
	slices.SortFunc(found, func(a, b string) int { return numbers[a] - numbers[b] })
	return found
}

// nextName returns the first name after all taken ones, so that the order of names is the
// order of age.
func nextName(base string, taken []string) string {
	if len(taken) == 0 {
		return base
	}
	last := 0
	for _, name := range taken {
		if number, err := strconv.Atoi(strings.TrimPrefix(name, base+".")); err == nil {
			last = max(last, number)
		}
	}
	return base + "." + strconv.Itoa(last+1)
}

// duplicate gives the file or link at path a second name, to, which must be free; path
// itself stays until our script is renamed over it.
func duplicate(path, to string, hook hookFile) error {
	if hook.mode&fs.ModeSymlink != 0 {
		return os.Symlink(hook.target, to)
	}
	if os.Link(path, to) == nil {
		return nil
	}
	return copyFile(path, to, hook.mode.Perm())
}

// copyFile is for file systems without hard links.
func copyFile(path, to string, mode fs.FileMode) error {
	source, err := durable.Open(path)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	err = errors.Join(err, target.Chmod(mode), target.Sync(), target.Close())
	if err != nil {
		os.Remove(to)
	}
	return err
}

// setAside makes a copy of the file at path in the same directory and returns its name.
func setAside(path string, hook hookFile) (string, error) {
	base := path + editedSuffix
	for number := 0; ; number++ {
		name := base
		if number > 0 {
			name += "." + strconv.Itoa(number)
		}
		err := duplicate(path, name, hook)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return filepath.Base(name), err
	}
}
