package pages

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"

	"entire/internal/cli/web/view"
)

//go:embed assets
var assets embed.FS

// asset returns a style or picture: ours, or one of `entire web`.
func asset(name string) (string, error) {
	if text, err := assets.ReadFile("assets/" + name); err == nil {
		return string(text), nil
	}
	return view.Asset(name)
}

// assetAddress returns the address of a style or picture, which changes with its content.
func assetAddress(name string) (string, error) {
	text, err := asset(name)
	sum := sha256.Sum256([]byte(text))
	ext := path.Ext(name)
	return "/assets/" + strings.TrimSuffix(name, ext) + "-" + hex.EncodeToString(sum[:6]) + ext, err
}

// serveAsset answers a request for a style or picture.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	ext := path.Ext(r.PathValue("name"))
	stem, _, _ := strings.Cut(strings.TrimSuffix(r.PathValue("name"), ext), "-")
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
	text, err := asset(stem + ext)
	if err != nil || kinds[ext] == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kinds[ext])
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write([]byte(text))
}
