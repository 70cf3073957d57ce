package main

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	oci "github.com/opencontainers/image-spec/specs-go/v1"
)

// A blob is a part of an image, by the sum of its bytes.
type blob struct {
	oci.Descriptor
	path string // where its bytes are
}

// images writes a container image for the base that was given: its root folder is one layer, and what the packages
// bring is the other. No daemon is asked; the file is an OCI layout in a tar archive.
func (r *release) images(context.Context) error {
	p := platform{"linux", runtime.GOARCH}
	if r.root == "" {
		return nil
	}
	name := r.base(p) + ".oci.tar"
	fmt.Println("image", name)
	base, baseDiff, err := r.layer("base", func(w io.Writer) error { return copyFile(w, r.root) })
	if err != nil {
		return err
	}
	ours, oursDiff, err := r.layer("programs", func(w io.Writer) error { return r.plainTar(w, "", r.systemFiles(p)) })
	if err != nil {
		return err
	}
	files, err := r.layout(p, base, ours, r.imageConfig(p, baseDiff, oursDiff))
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	err = r.plainTar(out, "", files)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return r.add(name, p, "image")
}

// layout returns the files of the layout that holds an image of two layers.
func (r *release) layout(p platform, base, ours blob, image oci.Image) ([]file, error) {
	config, err := r.jsonBlob(oci.MediaTypeImageConfig, image)
	if err != nil {
		return nil, err
	}
	manifest, err := r.jsonBlob(oci.MediaTypeImageManifest, oci.Manifest{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: oci.MediaTypeImageManifest,
		Config: config.Descriptor, Layers: []oci.Descriptor{base.Descriptor, ours.Descriptor}})
	if err != nil {
		return nil, err
	}
	named := manifest.Descriptor
	named.Platform = &oci.Platform{Architecture: p.arch, OS: p.os}
	named.Annotations = map[string]string{oci.AnnotationRefName: strings.ReplaceAll(r.version, "+", "-")}
	index, err := r.jsonBlob(oci.MediaTypeImageIndex, oci.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: oci.MediaTypeImageIndex, Manifests: []oci.Descriptor{named}})
	if err != nil {
		return nil, err
	}
	layout, err := r.jsonBlob("", oci.ImageLayout{Version: oci.ImageLayoutVersion})
	if err != nil {
		return nil, err
	}
	files := []file{{name: oci.ImageLayoutFile, path: layout.path}, {name: oci.ImageIndexFile, path: index.path}}
	for _, b := range []blob{manifest, config, base, ours} {
		files = append(files, file{name: oci.ImageBlobsDir + "/sha256/" + b.Digest.Encoded(), path: b.path})
	}
	return files, nil
}

func (r *release) imageConfig(p platform, layers ...digest.Digest) oci.Image {
	return oci.Image{Created: &r.time, Platform: oci.Platform{Architecture: p.arch, OS: p.os},
		Config: oci.ImageConfig{Entrypoint: []string{"entire"}, WorkingDir: "/work", Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
			Labels: map[string]string{oci.AnnotationTitle: "entire", oci.AnnotationVersion: r.version, oci.AnnotationRevision: r.commit, oci.AnnotationLicenses: "MIT"}},
		RootFS:  oci.RootFS{Type: "layers", DiffIDs: layers},
		History: []oci.History{{Created: &r.time, CreatedBy: "the base"}, {Created: &r.time, CreatedBy: "make dist"}}}
}

// systemFiles are the programs and files with the places that packages give them.
func (r *release) systemFiles(p platform) (list []file) {
	for _, f := range r.programFiles(p) {
		list = append(list, file{name: "usr/bin/" + f.name, path: f.path, run: true})
	}
	for _, f := range r.placed(p) {
		if f["Only"] != "rpm" {
			list = append(list, file{name: strings.TrimPrefix(f["To"], "/"), path: f["From"]})
		}
	}
	return list
}

// layer compresses what write writes, and returns it with the sum of its bytes before that.
func (r *release) layer(name string, write func(io.Writer) error) (blob, digest.Digest, error) {
	path := filepath.Join(r.build, name+".tar.gz")
	out, err := os.Create(path)
	if err != nil {
		return blob{}, "", err
	}
	defer out.Close()
	packed, plain := sha256.New(), sha256.New()
	zipped := gzip.NewWriter(io.MultiWriter(out, packed))
	if err := write(io.MultiWriter(zipped, plain)); err != nil {
		return blob{}, "", err
	}
	if err := zipped.Close(); err != nil {
		return blob{}, "", err
	}
	size, err := out.Seek(0, io.SeekCurrent)
	sum := func(h hash.Hash) digest.Digest { return digest.NewDigest(digest.SHA256, h) }
	return blob{oci.Descriptor{MediaType: oci.MediaTypeImageLayerGzip, Digest: sum(packed), Size: size}, path}, sum(plain), err
}

func (r *release) jsonBlob(kind string, value any) (blob, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return blob{}, err
	}
	sum := digest.FromBytes(text)
	path := filepath.Join(r.build, sum.Encoded())
	return blob{oci.Descriptor{MediaType: kind, Digest: sum, Size: int64(len(text))}, path}, os.WriteFile(path, text, 0o644)
}

func copyFile(w io.Writer, path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(w, in)
	return err
}
