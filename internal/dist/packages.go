package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"
)

// nfpm makes the packages; it is run as a program of its own, in this version.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0"

//go:embed templates/nfpm.yaml
var nfpmText string

// packages writes a .deb and an .rpm for each processor of linux.
func (r *release) packages(ctx context.Context) error {
	for _, p := range r.platforms {
		if p.os != "linux" {
			continue
		}
		config := filepath.Join(r.build, "nfpm-"+p.arch+".yaml")
		if err := r.fill(nfpmText, config, r.packageData(p)); err != nil {
			return err
		}
		for _, kind := range []string{"deb", "rpm"} {
			name := r.base(p) + "." + kind
			fmt.Println("package", name)
			_, err := output(ctx, []string{"SOURCE_DATE_EPOCH=" + fmt.Sprint(r.time.Unix()), "GOFLAGS=-mod=mod"},
				"go", "run", nfpm, "package", "--config", config, "--packager", kind, "--target", filepath.Join(r.out, name))
			if err != nil {
				return err
			}
			if err := r.add(name, p, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *release) packageData(p platform) map[string]any {
	debian := strings.ReplaceAll(r.version, "-", "~")
	return map[string]any{"Version": debian, "Arch": p.arch, "Time": r.time.Format(time.RFC3339), "Programs": r.programFiles(p), "Shared": r.placed(p)}
}

// placed returns the files that are no programs with the places that they have in a system.
func (r *release) placed(p platform) (list []map[string]string) {
	folders := map[string]string{"LICENSE": "/usr/share/doc/entire/copyright", "README.md": "/usr/share/doc/entire/README.md", "CHANGELOG.md": "/usr/share/doc/entire/CHANGELOG.md",
		"completions/entire.bash": "/usr/share/bash-completion/completions/entire", "completions/_entire": "/usr/share/zsh/vendor-completions/_entire",
		"completions/entire.fish": "/usr/share/fish/vendor_completions.d/entire.fish"}
	folders["THIRD-PARTY-LICENSES.txt"] = "/usr/share/doc/entire/THIRD-PARTY-LICENSES.txt"
	for _, f := range slices.Concat(r.platformFiles(p), r.shared) {
		to := folders[f.name]
		if strings.HasPrefix(f.name, "man/") {
			to = "/usr/share/" + f.name
		}
		switch {
		case f.name == "completions/_entire": // Debian's zsh looks elsewhere than others
			list = append(list, map[string]string{"From": f.path, "To": to, "Only": "deb"},
				map[string]string{"From": f.path, "To": "/usr/share/zsh/site-functions/_entire", "Only": "rpm"})
		case to != "":
			list = append(list, map[string]string{"From": f.path, "To": to, "Only": ""})
		}
	}
	return list
}

func (f file) Name() string { return f.name }
func (f file) Path() string { return f.path }

// fill writes a template with data to a file.
func (r *release) fill(text, to string, data any) error {
	t, err := template.New(filepath.Base(to)).Option("missingkey=error").Parse(text)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if strings.HasSuffix(to, ".sh") {
		mode = 0o755
	}
	return os.WriteFile(to, []byte(b.String()), mode)
}
