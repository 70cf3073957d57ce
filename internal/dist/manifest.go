package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A releaseFile is a row of the release manifest.
type releaseFile struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"` // archive, deb, rpm, sbom
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// add notes a finished file.
func (r *release) add(name string, p platform, kind string) error {
	text, err := os.ReadFile(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	r.files = append(r.files, releaseFile{name, kind, p.os, p.arch, int64(len(text)), hex.EncodeToString(sum[:])})
	return nil
}

var (
	//go:embed templates/formula.rb
	formulaText string
	//go:embed templates/scoop.json
	scoopText string
	//go:embed templates/flake.nix
	flakeText string
	//go:embed templates/install.sh
	installText string
	//go:embed templates/Dockerfile
	dockerText string
)

// manifests writes what package managers and people start from.
func (r *release) manifests(context.Context) error {
	if err := r.fill(dockerText, filepath.Join(r.out, "Dockerfile"), map[string]any{"Base": strings.TrimSuffix(r.base(platform{"linux", "x"}), "-x")}); err != nil {
		return err
	}
	if r.url == "" {
		fmt.Println("without -url: no formula, Scoop manifest, flake and install script, because they name the address to download from")
		return nil
	}
	signers, err := r.signers()
	if err != nil {
		return err
	}
	data := map[string]any{"Version": r.version, "URL": strings.TrimRight(r.url, "/"), "Programs": r.programs, "Signers": signers, "Archive": r.archiveOf, "Archives": r.unix(),
		"Stem": func(name string) string { return strings.TrimSuffix(name, ".zip") }}
	texts := map[string]string{"entire.rb": formulaText, "entire.json": scoopText, "flake.nix": flakeText, "install.sh": installText}
	if len(r.platforms) < len(platforms) {
		fmt.Println("not all systems: no formula, Scoop manifest and flake, because they name the archives of all")
		texts = map[string]string{"install.sh": installText}
	}
	for name, text := range texts {
		if err := r.fill(text, filepath.Join(r.out, name), data); err != nil {
			return err
		}
	}
	return nil
}

// archiveOf returns the archive of a system, for templates.
func (r *release) archiveOf(os, arch string) (releaseFile, error) {
	for _, f := range r.files {
		if f.Kind == "archive" && f.OS == os && f.Arch == arch {
			return f, nil
		}
	}
	return releaseFile{}, fmt.Errorf("there is no archive for %s/%s", os, arch)
}

// unix returns the archives that the install script chooses from.
func (r *release) unix() (list []releaseFile) {
	for _, f := range r.files {
		if f.Kind == "archive" && f.OS != "windows" {
			list = append(list, f)
		}
	}
	return list
}

// signers returns the line by which a signature is checked; "" without a key.
func (r *release) signers() (string, error) {
	if r.key == "" {
		return "", nil
	}
	public, err := os.ReadFile(r.key + ".pub")
	if err != nil {
		return "", fmt.Errorf("the public key belongs beside ENTIRE_SIGN_KEY: %w", err)
	}
	words := strings.Fields(string(public))
	if len(words) < 2 {
		return "", fmt.Errorf("%s.pub is not a public key", r.key)
	}
	return "entire-release namespaces=\"entire-release\" " + words[0] + " " + words[1], nil
}

// finish writes the release manifest, the checksums and the signature.
func (r *release) finish(ctx context.Context) error {
	text, err := json.MarshalIndent(map[string]any{"version": "v" + r.version, "commit": r.commit, "date": r.time.Format(time.RFC3339), "files": r.files}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, "release.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(r.out, "*"))
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, path := range names {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(text), filepath.Base(path))
	}
	path := filepath.Join(r.out, "SHA256SUMS")
	if err := os.WriteFile(path, []byte(sums.String()), 0o644); err != nil {
		return err
	}
	if r.key == "" {
		fmt.Println("not signed: ENTIRE_SIGN_KEY names no private SSH key")
		return nil
	}
	cmd := exec.CommandContext(ctx, "ssh-keygen", "-q", "-Y", "sign", "-n", "entire-release", "-f", r.key, path)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("sign %s: %w", path, err)
	}
	fmt.Println("signed SHA256SUMS")
	return nil
}
