package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// aRelease returns a release with an archive for each system, whose programs are texts.
func aRelease(t *testing.T) *release {
	t.Helper()
	r := &release{options: options{out: t.TempDir(), version: "1.2.3", url: "https://downloads.example.com/entire/", platforms: platforms},
		commit: "0123456789ab", time: time.Unix(1700000000, 0).UTC(), programs: []string{"entire", "entire-mcp"}, build: t.TempDir()}
	for _, p := range platforms {
		for _, f := range r.programFiles(p) {
			write(t, f.path, p.String()+f.name)
		}
		write(t, r.licencesPath(p), "licences")
	}
	readme := filepath.Join(r.build, "README.md")
	write(t, readme, "read me")
	r.shared = []file{{name: "README.md", path: readme}}
	if err := r.archives(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestArchivesAreTheSameAgain(t *testing.T) {
	a, b := aRelease(t), aRelease(t)
	for i, f := range a.files {
		if f != b.files[i] {
			t.Errorf("%+v\n%+v", f, b.files[i])
		}
		x, _ := os.ReadFile(filepath.Join(a.out, f.Name))
		y, _ := os.ReadFile(filepath.Join(b.out, f.Name))
		if len(x) == 0 || !bytes.Equal(x, y) {
			t.Errorf("%s differs", f.Name)
		}
	}
}

func TestManifestsAreWritten(t *testing.T) {
	r := aRelease(t)
	if err := r.manifests(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"entire.rb", "entire.json", "flake.nix", "install.sh", "Dockerfile", "release.json", "SHA256SUMS"} {
		text, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil || bytes.Contains(text, []byte("<no value>")) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		if filepath.Ext(name) == ".json" && !json.Valid(text) {
			t.Errorf("%s is not JSON:\n%s", name, text)
		}
	}
	if out, err := exec.Command("sh", "-n", filepath.Join(r.out, "install.sh")).CombinedOutput(); err != nil {
		t.Errorf("install.sh: %v\n%s", err, out)
	}
}

// The install script is run against a folder whose archive has other programs.
func TestInstallScriptRefusesWhatWasChanged(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	r := aRelease(t)
	if err := r.manifests(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.unix() {
		path := filepath.Join(r.out, f.Name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(text, 'x'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	prefix := t.TempDir()
	out, err := exec.Command("sh", filepath.Join(r.out, "install.sh"), "--prefix", prefix, "--from", r.out).CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("is wrong: nothing was installed")) {
		t.Errorf("%v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(prefix, "*")); len(left) > 0 {
		t.Errorf("it wrote %v", left)
	}
}

// The test's own program is the one whose modules are listed.
func TestBillOfMaterialsListsWhatIsLinked(t *testing.T) {
	p := platforms[0]
	r := aRelease(t)
	r.platforms = []platform{p}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.programFiles(p) {
		write(t, f.path, string(text))
	}
	if err := r.bills(t.Context()); err != nil {
		t.Fatal(err)
	}
	bill, err := os.ReadFile(filepath.Join(r.out, r.base(p)+".cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Components []struct {
			Name, Version string
			Licenses      []struct{ License struct{ ID string } }
		}
	}
	if err := json.Unmarshal(bill, &list); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"github.com/CycloneDX/cyclonedx-go": "Apache-2.0", "github.com/google/licensecheck": "BSD-3-Clause", "std": "BSD-3-Clause"}
	for _, c := range list.Components {
		if len(c.Licenses) > 0 && want[c.Name] == c.Licenses[0].License.ID && c.Version != "" {
			delete(want, c.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("it lacks %v:\n%s", want, bill)
	}
	licences, err := os.ReadFile(r.licencesPath(p))
	if err != nil || !bytes.Contains(licences, []byte("The Go Authors")) {
		t.Errorf("%v\n%.2000s", err, licences)
	}
}
