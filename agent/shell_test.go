package agent

import (
	"strings"
	"testing"
)

func TestEffectsOf(t *testing.T) {
	t.Parallel()
	var none effects
	writes, takes, both := effects{Writes: true}, effects{Takes: true}, effects{Writes: true, Takes: true}
	for command, want := range map[string]effects{
		"":                                 none,
		"ls -la && cat x | grep y":         none,
		"cd a; git status --short":         none,
		"grep -r x . 2>/dev/null | head":   none,
		"go test ./... 2>&1 | tail":        writes, // golden files, for one
		"npm run format":                   writes,
		"echo x > f":                       writes,
		"echo x >> f":                      writes,
		"cat <<E >f\ntext\nE":              writes,
		"(ls; rm f)":                       writes,
		"echo $(rm f)":                     writes,
		"if true; then touch f; fi":        writes,
		"find . -name x":                   none,
		"find . -delete":                   writes,
		"find . -exec rm {} +":             writes,
		"sed -n 1,20p f":                   none,
		"sed -n '1w f' g":                  writes,
		"sed -i s/a/b/ f":                  writes,
		"sed s/a/b/e f":                    writes,
		"sort -o f f":                      writes,
		"sort f | uniq -c":                 none,
		"$x":                               writes,
		"xargs rm":                         writes,
		"sh -c 'git checkout HEAD~1 -- f'": both,
		"git log -3 --oneline":             none,
		"git -C a -c x=y diff --stat":      none,
		"git diff --output=f":              writes,
		"git show HEAD~1:f > f":            both,
		"git add -A && git commit -qm x":   none,
		"git checkout main":                none,
		"git checkout -b x main":           none,
		"git checkout -- f":                none,
		"git checkout HEAD~1 -- f":         both,
		"git checkout HEAD~1 f":            both,
		"git restore f":                    none,
		"git restore -s HEAD~1 f":          both,
		"git restore --source=HEAD~1 f":    both,
		"git reset --hard HEAD~1":          none,
		"git reset HEAD f":                 none,
		"git reset --soft HEAD~1":          both,
		"git merge --ff-only x":            none,
		"git merge x":                      both,
		"git pull":                         both,
		"git stash":                        none,
		"git stash pop":                    takes,
		"git cherry-pick x":                both,
		"git rebase main":                  both,
		"git apply x.patch":                both,
		"git apply <<E\n+a\nE":             writes,
		"git mv a b":                       writes,
		"git some-alias":                   both,
		"gh pr checkout 3":                 both,
		"'unfinished":                      writes,
		"git 'unfinished":                  both,
		strings.Repeat("ls;", maxParsed):   writes,
	} {
		if got := effectsOf(command); got != want {
			t.Errorf("%.60q: %+v, want %+v", command, got, want)
		}
	}
}
