package view

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
)

//go:embed assets
var assets embed.FS

// asset returns the address of a style or a script, which changes with its content, so that a browser may keep
// it for ever.
func (v *Views) asset(name string) (string, error) {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil || v.o.Links.Name != nil {
		return name, err
	}
	sum := sha256.Sum256(text)
	ext := path.Ext(name)
	return v.o.Links.Base + "/assets/" + strings.TrimSuffix(name, ext) + "-" + hex.EncodeToString(sum[:6]) + ext, nil
}

// Asset returns a style or a script whole, for a page that has it within.
func Asset(name string) (string, error) {
	text, err := assets.ReadFile("assets/" + name)
	return string(text), err
}

// expiryHash returns the name by which a page's policy lets the script of its expiry run, and no other.
func expiryHash() (string, error) {
	text, err := assets.ReadFile("assets/expiry.js")
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'", err
}

// ServeAsset answers a request for a style or a script by its address.
func (v *Views) ServeAsset(w http.ResponseWriter, r *http.Request) {
	ext := path.Ext(r.URL.Path)
	stem, _, _ := strings.Cut(strings.TrimSuffix(path.Base(r.URL.Path), ext), "-")
	text, err := assets.ReadFile("assets/" + stem + ext)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	w.Header().Set("Content-Type", kinds[ext])
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	_, _ = w.Write(text)
}
