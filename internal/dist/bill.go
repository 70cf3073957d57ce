package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// A linked module is one whose code is in a program.
type linked struct {
	path, version, sum string
	dir                string    // its source
	texts              []licence // that lie at its top
}

func (m linked) ref() string { return "pkg:golang/" + m.path + "@" + m.version }

// bills writes, for each system, the list of all modules that its programs contain (a bill of materials in the
// format CycloneDX), and the texts of their licences, which go into archive and packages.
func (r *release) bills(ctx context.Context) error {
	find, err := moduleDirs(ctx)
	if err != nil {
		return err
	}
	for _, p := range r.platforms {
		all := map[string]linked{}
		uses := map[string][]string{}
		for _, f := range r.programFiles(p) {
			mods, err := linkedModules(f.path, find)
			if err != nil {
				return err
			}
			for _, m := range mods {
				all[m.ref()] = m
				uses[f.name] = append(uses[f.name], m.ref())
			}
		}
		if err := r.bill(p, all, uses); err != nil {
			return err
		}
	}
	return nil
}

// bill writes the bill of materials and the licences of one system.
func (r *release) bill(p platform, all map[string]linked, uses map[string][]string) error {
	var mods []linked
	for ref, m := range all {
		var err error
		if m.texts, err = licences(m.dir); err != nil {
			return fmt.Errorf("%s: %w", ref, err)
		}
		if len(m.texts) == 0 {
			return fmt.Errorf("%s has no licence at the top of %s: nothing says that it may be passed on", ref, m.dir)
		}
		mods = append(mods, m)
	}
	slices.SortFunc(mods, func(a, b linked) int { return cmp.Compare(a.ref(), b.ref()) })
	if err := os.WriteFile(r.licencesPath(p), []byte(licenceTexts(mods)), 0o644); err != nil {
		return err
	}
	bom, err := r.document(p, mods, uses)
	if err != nil {
		return err
	}
	name := r.base(p) + ".cdx.json"
	out, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	err = cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_5)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return r.add(name, p, "sbom")
}

// document returns the bill of materials: the release, its programs by their sums, and what each of them contains.
func (r *release) document(p platform, mods []linked, uses map[string][]string) (*cdx.BOM, error) {
	top := "pkg:generic/entire@" + r.version + "?os=" + p.os + "&arch=" + p.arch
	programs, names := []cdx.Component{}, []string{}
	dependencies := []cdx.Dependency{}
	for _, f := range r.programFiles(p) {
		text, err := os.ReadFile(f.path)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		ref := top + "#" + f.name
		programs = append(programs, cdx.Component{BOMRef: ref, Type: cdx.ComponentTypeApplication, Name: f.name, Version: r.version,
			Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}}})
		names = append(names, ref)
		slices.Sort(uses[f.name])
		refs := uses[f.name]
		dependencies = append(dependencies, cdx.Dependency{Ref: ref, Dependencies: &refs})
	}
	components := []cdx.Component{}
	for _, m := range mods {
		components = append(components, m.component())
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Timestamp: r.time.Format(time.RFC3339), Component: &cdx.Component{BOMRef: top, Type: cdx.ComponentTypeApplication,
		Name: "entire", Version: r.version, PackageURL: top, Components: &programs}}
	bom.Components = &components
	dependencies = append([]cdx.Dependency{{Ref: top, Dependencies: &names}}, dependencies...)
	bom.Dependencies = &dependencies
	return bom, nil
}

func (m linked) component() cdx.Component {
	c := cdx.Component{BOMRef: m.ref(), Type: cdx.ComponentTypeLibrary, Name: m.path, Version: m.version, PackageURL: m.ref(), Scope: cdx.ScopeRequired}
	var list cdx.Licenses
	for _, id := range identifiers(m.texts) {
		list = append(list, cdx.LicenseChoice{License: &cdx.License{ID: id}})
	}
	if len(list) > 0 {
		c.Licenses = &list
	}
	if m.sum != "" {
		c.Properties = &[]cdx.Property{{Name: "go.sum", Value: m.sum}}
	}
	return c
}

// linkedModules reads from a program which modules are in it, with Go's own library.
func linkedModules(program string, find func(*debug.Module) (string, error)) (list []linked, err error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	for _, d := range info.Deps {
		dir, err := find(d)
		if err != nil {
			return nil, err
		}
		m := linked{path: d.Path, version: d.Version, sum: d.Sum, dir: dir}
		if r := d.Replace; r != nil && !strings.HasPrefix(r.Path, ".") {
			m.path, m.version, m.sum = r.Path, r.Version, r.Sum
		}
		list = append(list, m)
	}
	root, err := find(nil)
	return append(list, linked{path: "std", version: strings.TrimPrefix(info.GoVersion, "go"), dir: root}), err
}

// moduleDirs returns a function that finds a module's source, and for nil that of Go itself.
func moduleDirs(ctx context.Context) (func(*debug.Module) (string, error), error) {
	root, err := output(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	text, err := output(ctx, nil, "go", "list", "-m", "-json", "all")
	if err != nil {
		return nil, err
	}
	dirs := map[string]string{}
	for in := json.NewDecoder(strings.NewReader(text)); in.More(); {
		var m struct{ Path, Dir string }
		if err := in.Decode(&m); err != nil {
			return nil, err
		}
		dirs[m.Path] = m.Dir
	}
	return func(m *debug.Module) (string, error) {
		if m == nil {
			return root, nil
		}
		if dirs[m.Path] == "" {
			return "", fmt.Errorf("the source of %s is not here: go mod download", m.Path)
		}
		return dirs[m.Path], nil
	}, nil
}
