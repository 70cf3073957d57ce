package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/opencontainers/go-digest"
	oci "github.com/opencontainers/image-spec/specs-go/v1"
)

// readTar returns the files of a tar archive.
func readTar(t *testing.T, in io.Reader) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

func TestImageHoldsTheBaseAndThePrograms(t *testing.T) {
	r := aRelease(t)
	r.root = filepath.Join(t.TempDir(), "root.tar")
	var root bytes.Buffer
	tool := filepath.Join(r.build, "git")
	write(t, tool, "git")
	if err := r.plainTar(&root, "usr/bin", []file{{name: "git", path: tool, run: true}}); err != nil {
		t.Fatal(err)
	}
	write(t, r.root, root.String())
	if err := r.images(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := platform{"linux", runtime.GOARCH}
	in, err := os.Open(filepath.Join(r.out, r.base(p)+".oci.tar"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	files := readTar(t, in)
	blobOf := func(d oci.Descriptor) []byte {
		text := files["blobs/sha256/"+d.Digest.Encoded()]
		if digest.FromBytes(text) != d.Digest || int64(len(text)) != d.Size {
			t.Fatalf("%s is not what it is named by", d.Digest)
		}
		return text
	}
	var index oci.Index
	var manifest oci.Manifest
	var image oci.Image
	decode(t, files[oci.ImageIndexFile], &index)
	decode(t, blobOf(index.Manifests[0]), &manifest)
	decode(t, blobOf(manifest.Config), &image)
	var names []string
	for i, l := range manifest.Layers {
		plain, err := gzip.NewReader(bytes.NewReader(blobOf(l)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(plain)
		if err != nil || digest.FromBytes(text) != image.RootFS.DiffIDs[i] {
			t.Errorf("layer %d is not what the configuration says: %v", i, err)
		}
		for name := range readTar(t, bytes.NewReader(text)) {
			names = append(names, name)
		}
	}
	for _, want := range []string{"usr/bin/git", "usr/bin/entire", "usr/bin/entire-mcp", "usr/share/doc/entire/README.md", "usr/share/doc/entire/THIRD-PARTY-LICENSES.txt"} {
		if !slices.Contains(names, want) {
			t.Errorf("the image lacks %s: %q", want, names)
		}
	}
	if image.Architecture != p.arch || image.Config.Entrypoint[0] != "entire" {
		t.Errorf("%+v", image)
	}
}
