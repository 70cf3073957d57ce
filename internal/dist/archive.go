package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// archives writes an archive for each system.
func (r *release) archives(context.Context) error {
	for _, p := range r.platforms {
		files := slices.Concat(r.platformFiles(p), r.shared)
		slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
		name, write := r.base(p)+".tar.gz", r.tarball
		if p.os == "windows" {
			name, write = r.base(p)+".zip", r.zipped
		}
		out, err := os.Create(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		if err := write(out, r.base(p), files); err != nil {
			out.Close()
			return err
		}
		if err := out.Close(); err != nil {
			return err
		}
		if err := r.add(name, p, "archive"); err != nil {
			return err
		}
	}
	return nil
}

func (f file) mode() int64 {
	if f.run {
		return 0o755
	}
	return 0o644
}

// tarball writes a compressed tar archive.
func (r *release) tarball(out io.Writer, top string, files []file) error {
	zipped, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := r.plainTar(zipped, top, files); err != nil {
		return err
	}
	return zipped.Close()
}

// plainTar writes a tar archive with the commit's time and root as the owner.
func (r *release) plainTar(out io.Writer, top string, files []file) error {
	w := tar.NewWriter(out)
	for _, f := range files {
		text, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: path.Join(top, f.name), Mode: f.mode(), Size: int64(len(text)), ModTime: r.time, Uname: "root", Gname: "root", Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return w.Close()
}

// zipped writes a zip archive with the commit's time.
func (r *release) zipped(out io.Writer, top string, files []file) error {
	w := zip.NewWriter(out)
	for _, f := range files {
		text, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: top + "/" + f.name, Method: zip.Deflate, Modified: r.time}
		h.SetMode(os.FileMode(f.mode()))
		to, err := w.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := to.Write(text); err != nil {
			return err
		}
	}
	return w.Close()
}
