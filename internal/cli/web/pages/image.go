package pages

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent/conversation"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/web/view"
)

// imageMark stands for an image in the text of a message.
const imageMark = "[image]"

const (
	imageMax  = 16 << 20 // bytes of an image that is shown
	imageDeep = 12       // levels of a record
)

// An image is one in a record of an agent, as text.
type image struct{ kind, data string }

// isShown reports whether browsers show a kind of image that can do nothing.
func isShown(kind string) bool {
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// imagesIn returns the images of a record, in order: those that the interfaces of models know.
func imagesIn(record gjson.Result, deep int) (out []image) {
	if deep == 0 || !record.IsObject() && !record.IsArray() {
		return nil
	}
	add := func(kind, data gjson.Result) bool {
		if kind.Type == gjson.String && data.Type == gjson.String && isShown(kind.Str) {
			out = append(out, image{kind.Str, data.Str})
			return true
		}
		return false
	}
	if record.IsObject() {
		if add(record.Get("source.media_type"), record.Get("source.data")) || add(record.Get("inlineData.mimeType"), record.Get("inlineData.data")) || add(record.Get("mimeType"), record.Get("data")) {
			return out
		}
		if url := record.Get("image_url"); url.Type == gjson.String {
			if kind, data, ok := strings.Cut(strings.TrimPrefix(url.Str, "data:"), ";base64,"); ok && isShown(kind) {
				return []image{{kind, data}}
			}
		}
	}
	record.ForEach(func(_, value gjson.Result) bool {
		out = append(out, imagesIn(value, deep-1)...)
		return true
	})
	return out
}

// recordsOf returns the images of the records with these UUIDs.
func recordsOf(ctx context.Context, l *sessionlib.Library, s sessionlib.ListedSession, wanted map[string]bool) (map[string][]image, error) {
	found := map[string][]image{}
	for record, err := range l.Source(ctx, s).SDKMessages(ctx, s.ID) {
		if err != nil {
			return found, err
		}
		if !bytes.Contains(record, []byte("image/")) {
			continue
		}
		if uuid := gjson.GetBytes(record, "uuid").Str; wanted[uuid] {
			if found[uuid] = imagesIn(gjson.ParseBytes(record), imageDeep); len(found) == len(wanted) {
				break
			}
		}
	}
	return found, nil
}

// addImages adds the images of the messages that have some.
func (page *sessionPage) addImages(ctx context.Context, p *Pages, l *sessionlib.Library) {
	wanted := map[string]bool{}
	for _, m := range page.Messages {
		if strings.Contains(m.Content, imageMark) {
			wanted[conversation.RecordUUID(m.UUID)] = true
		}
	}
	if len(wanted) == 0 {
		return
	}
	found, err := recordsOf(ctx, l, page.Session, wanted)
	if err != nil {
		return // the text says that there is an image
	}
	taken := map[string]int{}
	for i := range page.Messages {
		m := &page.Messages[i]
		uuid := conversation.RecordUUID(m.UUID)
		for range strings.Count(m.Content, imageMark) {
			if n := taken[uuid]; n < len(found[uuid]) {
				m.Images = append(m.Images, view.Image{Link: p.o.Links.Image(page.Session.ID, uuid, n), Type: found[uuid][n].kind})
				taken[uuid]++
			}
		}
	}
}

var errNoImage = errors.New("there is no such image")

// image answers with an image of a message.
func (p *Pages) image(w http.ResponseWriter, r *http.Request) {
	ctx, uuid, n := r.Context(), r.FormValue("message"), intOf(r, "n", 0)
	var found image
	err := sessionlib.WithLibrary(ctx, p.env, func(l *sessionlib.Library) error {
		s, err := l.Find(ctx, r.PathValue("id"))
		if err != nil {
			return err
		}
		all, err := recordsOf(ctx, l, s, map[string]bool{uuid: true})
		if err == nil && n >= len(all[uuid]) {
			err = errNoImage
		}
		if err == nil {
			found = all[uuid][n]
		}
		return err
	})
	var data []byte
	if err == nil && len(found.data) > imageMax {
		err = errNoImage
	}
	if err == nil {
		data, err = base64.StdEncoding.DecodeString(found.data)
	}
	if err != nil {
		http.Error(w, cliui.OneLine(err.Error()), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", found.kind)
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	w.Header().Set("Cache-Control", "private, max-age=3600")
	_, _ = w.Write(data)
}
