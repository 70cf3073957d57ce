package workplace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"entire/internal/cli/cliui"
	"entire/internal/project"
	"entire/internal/search"
)

// CacheDir returns the folder for caches, which can be deleted and made again.
func CacheDir(env *cliui.Env) string { return project.CacheDir(env.Environ, env.Home(), runtime.GOOS) }

// SearchIndexPath returns the path of a project's index.
func SearchIndexPath(cache, key string) string { return filepath.Join(cache, "search", key+".db") }

// dropIndex removes the index of a project, because it contains deleted text; the next search
// makes it again. It reports whether there was one.
func dropIndex(env *cliui.Env, key string) (was bool, err error) {
	if dir := CacheDir(env); dir != "" && key != "" {
		return search.Drop(SearchIndexPath(dir, key))
	}
	return false, nil
}

// DropSearchIndexes removes the indexes of the project at top, under its present and former keys.
func DropSearchIndexes(ctx context.Context, env *cliui.Env, top string) (was bool, err error) {
	ident, err := project.Find(ctx, top, env.Environ)
	for _, key := range append([]string{ident.Key}, ident.Former...) {
		one, derr := dropIndex(env, key)
		was, err = was || one, errors.Join(err, derr)
	}
	return was, err
}

// DropSearchIndexAfter is dropIndex after a deletion: an error is only a warning.
func DropSearchIndexAfter(env *cliui.Env, key string) {
	if _, err := dropIndex(env, key); err != nil {
		fmt.Fprintf(env.Err, "warning: the search index may still contain its text: %s\n", cliui.OneLine(err.Error()))
	}
}
