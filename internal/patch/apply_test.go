package patch_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/internal/patch"
	"entire/internal/testrepo"
)

// texts draws a text and a later version of it. Lines repeat, and the last may have no line feed.
func texts(t *rapid.T) (before, after string) {
	line := rapid.SampledFrom([]string{"a", "b", "c", "", "x\r", "-- a", "++ b", "\\ No newline at end of file"})
	lines := rapid.SliceOfN(line, 0, 60).Draw(t, "lines")
	var changed []string
	for _, l := range lines {
		switch rapid.IntRange(0, 9).Draw(t, "change") {
		case 0: // removed
		case 1:
			changed = append(changed, l+"'")
		case 2:
			changed = append(changed, l, line.Draw(t, "added"))
		default:
			changed = append(changed, l)
		}
	}
	end := rapid.SampledFrom([]string{"", "\n"})
	return join(lines, end.Draw(t, "end")), join(changed, end.Draw(t, "end after"))
}

func join(lines []string, end string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + end
}

// between returns the patch of the file f from one content to another, as git makes it.
func between(t interface{ Fatal(...any) }, r *testrepo.Repo, before, after string) (patch.File, bool) {
	r.Write("f", before)
	r.Git("add", "f")
	r.Write("f", after)
	out, err := r.Command("git", "diff", "--no-color", "--no-ext-diff", "f").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := patch.Parse(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		return patch.File{}, false
	}
	return files[0], len(files[0].Hunks) > 0
}

// gitApply applies a patch with git to a content.
func gitApply(r *testrepo.Repo, content, text string) (string, error) {
	r.Write("f", content)
	cmd := r.Command("git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return r.Read("f"), nil
}

// choose draws some of the hunks.
func choose(t *rapid.T, hunks []patch.Hunk) (chosen []patch.Hunk) {
	for _, h := range hunks {
		if rapid.Bool().Draw(t, "chosen") {
			chosen = append(chosen, h)
		}
	}
	return chosen
}

func TestApplyDoesWhatGitDoes(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	rapid.Check(t, func(t *rapid.T) {
		before, after := texts(t)
		file, ok := between(t, r, before, after)
		if !ok {
			return
		}
		if got, err := patch.Apply([]byte(before), file.Hunks); err != nil || string(got) != after {
			t.Fatalf("all hunks: %v\ngot  %q\nwant %q", err, got, after)
		}
		chosen := choose(t, file.Hunks)
		if len(chosen) == 0 {
			return
		}
		want, err := gitApply(r, before, file.Text(chosen))
		if err != nil {
			t.Fatalf("git refuses what Text writes: %v\n%s", err, file.Text(chosen))
		}
		got, err := patch.Apply([]byte(before), chosen)
		if err != nil || string(got) != want {
			t.Fatalf("chosen hunks: %v\ngot  %q\nwant %q", err, got, want)
		}
	})
}

// TestApplyToAnotherContent: where the content has changed since, Apply gives what git gives or refuses.
// Each line is there once, so that there is one place for each hunk.
func TestApplyToAnotherContent(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	var applied, refused int
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(5, 60).Draw(t, "lines")
		versions := [3]string{}
		for i := range n {
			own := fmt.Sprintf("line %d\n", i)
			versions[0] += own
			for v := 1; v <= 2; v++ {
				// rapid draws small numbers often: they keep the line, or hardly a patch would apply.
				switch rapid.IntRange(0, 19).Draw(t, "change") {
				case 19: // removed
				case 18:
					versions[v] += fmt.Sprintf("line %d of %d\n", i, v)
				case 17:
					versions[v] += own + fmt.Sprintf("after %d in %d\n", i, v)
				default:
					versions[v] += own
				}
			}
		}
		file, ok := between(t, r, versions[0], versions[1])
		if !ok {
			return
		}
		want, gitErr := gitApply(r, versions[2], file.Text(file.Hunks))
		got, err := patch.Apply([]byte(versions[2]), file.Hunks)
		if (err == nil) != (gitErr == nil) {
			t.Fatalf("we say %v, git says %v\n%s", err, gitErr, file.Text(file.Hunks))
		}
		if err != nil {
			refused++
			if !errors.Is(err, patch.ErrConflict) {
				t.Fatal(err)
			}
			return
		}
		applied++
		if string(got) != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	})
	t.Logf("%d applied, %d refused", applied, refused)
	if applied == 0 || refused == 0 {
		t.Errorf("%d applied, %d refused: one of them was not tried", applied, refused)
	}
}

func TestApplyRefusesAGuess(t *testing.T) {
	t.Parallel()
	h := hunk(t, " begin", "-old", "+new", " end")
	h.OldFrom, h.NewFrom = 11, 11
	twice := "begin\nold\nend\nbegin\nold\nend\n"
	if got, err := patch.Apply([]byte(twice), []patch.Hunk{h}); !errors.Is(err, patch.ErrConflict) || got != nil {
		t.Errorf("%q, %v", got, err)
	} else if want := "apply the change at line 11: the lines around the change are different now"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	if got, err := patch.Apply([]byte("top\n"+twice[:14]), []patch.Hunk{h}); err != nil || string(got) != "top\nbegin\nnew\nend\n" {
		t.Errorf("%q, %v", got, err)
	}
}
