package filelog

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCommandWrites runs scripts in a shell and compares what they wrote with what is read out of them.
func TestCommandWrites(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	for _, script := range []string{
		"cat >a.txt <<'EOF'\none $HOME\n\ttwo\nEOF\n",
		"cat <<EOF >a.txt\nplain\nEOF\necho done",
		"cat > 'a b.txt' <<\"END\"\nx\nEND",
		"cat >a.txt <<-'EOF'\n\tstripped\n\tEOF\n",
		"mkdir -p sub && cd sub && cat >b.txt <<'EOF'\nin sub\nEOF",
		"mkdir -p sub; tee sub/t.txt <<'EOF' >/dev/null\nteed\nEOF",
		"cat >a.txt <<'A'; cat >b.txt <<'B'\nfirst\nA\nsecond\nB\n",
		"echo one two   three >a.txt",
		"echo 'quoted  text' \"and $\" > a.txt; echo \"it's\" > b.txt",
		"echo -n no end >a.txt && echo second 2>/dev/null >b.txt",
		"printf 'one\\ntwo %s\\t%d%%\\n' x 3 >a.txt",
		"printf '%s\\n' a b c >a.txt",
		"printf 'x' > a.txt # a comment > c.txt",
		"echo \"a\\\"b\" >a.txt",
		"true || echo never >a.txt",
		"echo piped | cat >a.txt",
		"echo $HOME >a.txt",
		"(echo sub >a.txt)",
		"for i in 1 2; do echo $i >a$i.txt; done",
		"echo x >a.txt 2>&1",
		"if true; then echo yes >a.txt; fi",
	} {
		dir := t.TempDir()
		cmd := exec.Command(sh, "-c", script)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", script, err, out)
		}
		for _, f := range commandWrites(script) {
			got, err := os.ReadFile(filepath.Join(dir, f.Path))
			if err != nil {
				t.Errorf("%q wrote no %s", script, f.Path)
			} else if f.Text != string(got) {
				t.Errorf("%q wrote %q into %s, read out %q", script, got, f.Path, f.Text)
			}
		}
	}
	for script, want := range map[string]int{
		"sed -i s/a/b/ x.txt y.txt": 2, "sed -i -e 's/^a$/b/' -e 's|c|d|g' x.txt": 1, "sed -i 's/a.b/c/' x.txt": 0, "sed 's/a/b/' x.txt": 0,
		"sed -i '3d' x.txt": 0, "sed -i 's/a/&b/' x.txt": 0, "cp a.txt b.txt && mv c.txt d": 2, "mv *.txt d": 0, "git mv a.txt b.txt": 1,
		"cat >a.txt <<'EOF'\none $HOME\n\ttwo\nEOF\n":                      1,
		"cat >a.txt <<'A'; cat >b.txt <<'B'\nfirst\nA\nsecond\nB\n":        2,
		"mkdir -p sub && cd sub && cat >b.txt <<'EOF'\nin sub\nEOF":        1,
		"printf '%s\\n' a b c >a.txt":                                      1,
		"echo 'quoted  text' \"and more\" > a.txt; echo \"it's\" >> b.txt": 2,
		"cat >a.txt <<EOF\n$HOME\nEOF\n":                                   0,
		"> a.txt":                                                          0,
	} {
		if got := commandWrites(script); len(got) != want {
			t.Errorf("%q: %d files, want %d: %+v", script, len(got), want, got)
		}
	}
}

func TestShownBy(t *testing.T) {
	t.Parallel()
	type shown struct {
		Path      string
		First     int
		Whole, OK bool
	}
	for command, want := range map[string]shown{
		"cat a.txt":                {"a.txt", 1, true, true},
		"cd src && cat 'a b.txt'":  {"src/a b.txt", 1, true, true},
		"sed -n '10,20p' a.txt":    {"a.txt", 10, false, true},
		"cat a.txt b.txt":          {},
		"cat a.txt | head":         {},
		"cat *.txt":                {},
		"cat -n a.txt":             {},
		"cat a.txt >b.txt":         {},
		"sed -n '10,20p;30p' a.tx": {},
	} {
		var got shown
		got.Path, got.First, got.Whole, got.OK = shownBy(command)
		if !got.OK {
			got = shown{}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", command, diff)
		}
	}
}
