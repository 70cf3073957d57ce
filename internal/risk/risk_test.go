package risk

import (
	"strings"
	"testing"
)

// examples are commands with the risky action that is found in each.
func examples() map[string]string {
	return map[string]string{
		"rm -rf build":         "rm -r",
		"rm -r -f build":       "rm -r",
		"rm -fr -- -x":         "rm -r",
		"rm --recursive build": "rm -r",
		`\rm -Rf build`:        "rm -r",
		"/bin/rm -rf build":    "rm -r",
		`"rm" '-rf' build`:     "rm -r",
		`r""m -r"f" build`:     "rm -r",
		"rm build":             "",
		"rm -f build":          "",
		"rm -- -rf":            "",
		"echo rm -rf build":    "",
		`echo "rm -rf build"`:  "",
		`git commit -m "rm -rf is gone; git clean -fd"`: "",
		"echo 'a; rm -rf b'":                            "",
		"ls # rm -rf x":                                 "",
		"ls#x; rm -rf x":                                "rm -r",
		"grep -rf patterns .":                           "",
		"cd a && rm -rf b":                              "rm -r",
		"make || (cd a; rm -rf b)":                      "rm -r",
		"ls | xargs rm -rf":                             "rm -r",
		"ls | xargs -n 1 -I {} rm -rf {}":               "rm -r",
		"find . -name x -exec rm -rf {} +":              "rm -r",
		`find . -name x -exec rm -rf {} \;`:             "rm -r",
		"find . -name '*.o' -delete":                    "find -delete",
		"find . -name '-delete'":                        "find -delete", // a word is a word
		"sudo rm -rf x":                                 "rm -r",
		"sudo -u me -- rm -rf x":                        "rm -r",
		"sudo -n -u me rm -rf x":                        "rm -r",
		"A=1 B='x y' rm -rf x":                          "rm -r",
		"env A=1 -u B rm -rf x":                         "rm -r",
		"env -i PATH=/bin sudo nice -n 5 rm -rf x":      "rm -r",
		"env -S 'rm -rf x'":                             "rm -r",
		"timeout -k 5 10s rm -rf x":                     "rm -r",
		"nohup rm -rf x &":                              "rm -r",
		"time rm -rf x":                                 "rm -r",
		"command -p rm -rf x":                           "rm -r",
		`bash -c 'rm -rf x'`:                            "rm -r",
		`bash -lc "cd a && rm -rf x"`:                   "rm -r",
		`sh -e -c 'rm -rf x' name arg`:                  "rm -r",
		`bash -o pipefail -c 'rm -rf x'`:                "rm -r",
		`sudo bash -c "sh -c 'rm -rf x'"`:               "rm -r",
		`bash script.sh -c 'rm -rf x'`:                  "",
		`eval "rm -rf x"`:                               "rm -r",
		"echo $(rm -rf x)":                              "rm -r",
		"echo \"a $(rm -rf x) b\"":                      "rm -r",
		"echo `rm -rf x`":                               "rm -r",
		"echo '$(rm -rf x)'":                            "",
		"diff <(ls) <(rm -rf x)":                        "rm -r",
		"if test -d x; then rm -rf x; fi":               "rm -r",
		"for f in a b; do rm -rf $f; done":              "rm -r",
		"{ rm -rf x; }":                                 "rm -r",
		"! rm -rf x":                                    "rm -r",
		"x() { rm -rf y; }":                             "rm -r",
		"cat <<EOF\nrm -rf x\nEOF\nls":                  "",
		"cat <<'EOF' > f\nrm -rf x\nEOF\nrm -rf y":      "rm -r",
		"bash <<EOF\nrm -rf x\nEOF":                     "rm -r",
		"bash <<< 'rm -rf x'":                           "rm -r",
		"cat <<< 'rm -rf x'":                            "",
		"ls > rm -rf":                                   "> file",
		"2>/dev/null rm -rf x":                          "rm -r",
		"rm \\\n -rf x":                                 "rm -r",
		"$'rm' -rf x":                                   "rm -r",
		"rm $FLAGS x":                                   "",
		"git reset --hard":                              "git reset --hard",
		"git -C /a -c b=c reset --hard HEAD~1":          "git reset --hard",
		"git --git-dir=/a/.git reset --hard":            "git reset --hard",
		"git reset --soft HEAD~1":                       "",
		"git reset HEAD a":                              "",
		"git clean -fdx":                                "git clean -x",
		"git clean -f -X":                               "git clean -x",
		"git clean -fd":                                 "git clean",
		"git clean -nfd":                                "",
		"git clean -n":                                  "",
		"git checkout -- a.go":                          "git checkout --",
		"git checkout main -- a.go":                     "git checkout --",
		"git checkout .":                                "git checkout --",
		"git checkout -f main":                          "git checkout --force",
		"git checkout -b topic":                         "",
		"git checkout main":                             "",
		"git restore a.go":                              "git restore",
		"git restore --staged a.go":                     "",
		"git restore -SW a.go":                          "git restore",
		"git stash":                                     "",
		"git stash drop":                                "git stash drop",
		"git switch -f main":                            "git switch --force",
		"git log --grep='reset --hard'":                 "",
		"git commit -am 'git checkout -- .'":            "",
		"rails db:migrate":                              "rails db:migrate",
		"bin/rails db:drop db:create":                   "rails db:drop",
		"bundle exec rake db:rollback":                  "rake db:rollback",
		"rails db:migrate:status":                       "",
		"rails generate migration AddX":                 "",
		"python manage.py migrate app 0001":             "manage.py migrate",
		"python3 -m alembic upgrade head":               "alembic upgrade",
		"poetry run alembic downgrade -1":               "alembic downgrade",
		"alembic history":                               "",
		"npx prisma migrate deploy":                     "prisma migrate",
		"npx -y prisma migrate dev":                     "prisma migrate",
		"npx prisma migrate status":                     "",
		"yarn knex migrate:latest":                      "knex migrate:latest",
		"php artisan migrate:fresh --seed":              "artisan migrate:fresh",
		"mix ecto.migrate":                              "mix ecto.migrate",
		"dotnet ef database update":                     "dotnet ef database update",
		"dotnet build":                                  "",
		"migrate -path db -database postgres://x up":    "migrate up",
		"goose -dir db postgres 'x' down":               "goose down",
		"python migrate.py up":                          "",
		"dropdb app":                                    "dropdb",
		"shred -u key":                                  "shred",
		"dd if=/dev/zero of=disk.img":                   "dd",
		"rsync -a --delete a/ b/":                       "rsync --delete",
		"":                                              "",
		"'":                                             "",
		"$(":                                            "",
		"rm -rf 'unterminated":                          "rm -r",
		"git checkout HEAD~1 a.go":                      "git checkout --",
		"git checkout -b topic main":                    "",
		"git worktree remove ../x":                      "git worktree remove",
		"git branch -D old":                             "git branch -D",
		"git branch -d -f old":                          "git branch -D",
		"git branch -d old":                             "",
		"git rm -f a":                                   "git rm --force",
		"git read-tree -u HEAD":                         "git read-tree",
		"truncate -s 0 a":                               "truncate",
		"docker compose down -v":                        "docker -v",
		"docker-compose -f a.yml down --volumes":        "docker-compose -v",
		"docker volume prune -f":                        "docker volume rm",
		"docker run --rm -v $PWD:/w alpine true":        "docker run -v",
		"docker run --rm alpine":                        "",
		"podman ps -a":                                  "",
		"npm ci":                                        "npm ci",
		"cd web && npm --silent install":                "npm install",
		"npm run ci":                                    "",
		"npm --prefix web ci":                           "npm ci",
		"pnpm -C web install":                           "pnpm install",
		"pnpm -w build":                                 "",
		"go -C tools mod vendor":                        "go mod vendor",
		"yarn install --immutable":                      "yarn install",
		"yarn --cwd web add left-pad":                   "yarn add",
		"yarn build":                                    "",
		"yarn run up":                                   "",
		"npm audit fix --force":                         "npm audit fix",
		"npm audit":                                     "",
		"go mod vendor":                                 "go mod vendor",
		"go mod tidy":                                   "",
		"cargo fix --allow-dirty":                       "cargo fix",
		"echo x > a.go":                                 "> file",
		"echo x >a.go":                                  "> file",
		"> a.go":                                        "> file",
		": >| a.go":                                     "> file",
		"make 2> err.log":                               "> file",
		"make &> all.log":                               "> file",
		"(cd sub; sort x > y)":                          "> file",
		"cat > a.go <<'EOF'\nx\nEOF":                    "> file",
		"echo x > /home/me/a.go":                        "> file",
		"echo x >> a.go":                                "",
		"make > /dev/null 2>&1":                         "",
		"make 2>/dev/null":                              "",
		"make > /tmp/out":                               "",
		"make > $OUT":                                   "",
		"awk '$1 > 5' a":                                "",
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	for line, want := range examples() {
		if got := CommandIn(line, nil); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	if got := CommandIn(strings.Repeat("echo $(", 5000)+"rm -rf x", nil); got != "" {
		t.Errorf("nested deeper than is read: %q", got)
	}
}

func TestCommandIn(t *testing.T) {
	t.Parallel()
	exists := func(path string) bool { return path == "there.go" }
	for line, want := range map[string]string{
		"echo x > there.go":             "> file",
		"echo x > new.go":               "",
		"echo x > new.go; ls >there.go": "> file",
		"cd sub && echo x > new.go":     "> file",
		"git checkout there.go":         "git checkout --",
		"git checkout main":             "",
		"git checkout -b there.go main": "",
		"rm -r new.go":                  "rm -r",
	} {
		if got := CommandIn(line, exists); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// FuzzCommand: whatever stands there, it is read to its end; what is quoted whole is
// never run, and what stands after a newline is.
func FuzzCommand(f *testing.F) {
	for _, s := range []string{"rm -rf x", "echo \"$(a `b` 'c')\" <<E\nx\nE\n", "env -S 'a b' | xargs -n 1 c", "a <<<b && { c; }", "$'\\n'", "<(", "2>&1 &>x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		CommandIn(s, nil)
		if quoted := "echo '" + strings.ReplaceAll(s, "'", `'\''`) + "'"; len(quoted) < maxBytes && CommandIn(quoted, nil) != "" {
			t.Errorf("%q only echoes", quoted)
		}
	})
}

func BenchmarkCommand(b *testing.B) {
	line := "cd /home/me/app && go test ./... 2>&1 | tail -20 && git commit -m \"x $(date)\" && sudo bash -c 'ls -la'"
	for b.Loop() {
		CommandIn(line, nil)
	}
}
