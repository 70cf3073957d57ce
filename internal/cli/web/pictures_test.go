package web_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// The widths and themes in which every page is looked at.
var (
	widths = []int64{320, 800, 1600}
	themes = []string{"light", "dark"}
)

const (
	pictureScale  = 8    // pixels of the page for one of the kept picture, each way
	pictureHeight = 1600 // of the page at most
)

// boxes draws all text of the page with boxFont.
func (b *tab) boxes() {
	b.t.Helper()
	b.await(fmt.Sprintf(`(async () => {
		const bytes = Uint8Array.from(atob(%q), c => c.charCodeAt(0))
		const face = await new FontFace("Box", bytes).load()
		document.fonts.add(face)
		const sheet = new CSSStyleSheet()
		sheet.replaceSync("*, *::before, *::after { font-family: Box !important; font-style: normal !important; font-weight: 400 !important; transition: none !important; content-visibility: visible !important; caret-color: transparent !important }")
		document.adoptedStyleSheets = [sheet]
		await document.fonts.ready
		return true
	})()`, base64.StdEncoding.EncodeToString(boxFont())))
}

// picture returns what the tab shows, made small.
func (b *tab) picture() *image.RGBA {
	b.t.Helper()
	var shot []byte
	b.wait("a picture", func() (_ bool, err error) { // there is none while Chromium puts the page into its tab
		shot, err = chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		return err == nil, err
	})
	whole, err := png.Decode(bytes.NewReader(shot))
	b.ok(err)
	return shrunk(whole, min(whole.Bounds().Dy(), pictureHeight))
}

// shrunk returns the upper part of a picture, with the mean of each square as one pixel.
func shrunk(in image.Image, height int) *image.RGBA {
	w, h := in.Bounds().Dx()/pictureScale, height/pictureScale
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			var sum [3]int
			for dy := range pictureScale {
				for dx := range pictureScale {
					r, g, b, _ := in.At(x*pictureScale+dx, y*pictureScale+dy).RGBA()
					sum[0], sum[1], sum[2] = sum[0]+int(r>>8), sum[1]+int(g>>8), sum[2]+int(b>>8)
				}
			}
			const n = pictureScale * pictureScale
			out.SetRGBA(x, y, color.RGBA{few(sum[0] / n), few(sum[1] / n), few(sum[2] / n), 255})
		}
	}
	return out
}

// few leaves 22 of 256 shades, so that a picture is a small file.
func few(v int) uint8 { return uint8(min(v/12*12+6, 255)) }

// sheet puts pictures beside each other.
func sheet(pictures []*image.RGBA) *image.RGBA {
	w, h := 0, 0
	for _, p := range pictures {
		w, h = w+p.Bounds().Dx(), max(h, p.Bounds().Dy())
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	x := 0
	for _, p := range pictures {
		draw.Draw(out, image.Rect(x, 0, x+p.Bounds().Dx(), p.Bounds().Dy()), p, image.Point{}, draw.Src)
		x += p.Bounds().Dx()
	}
	return out
}

// unlike returns which part of the pixels of two pictures differ by more than a little. Pictures that differ in
// height by more than a line are unlike.
func unlike(a, b image.Image) float64 {
	if a.Bounds().Dx() != b.Bounds().Dx() || a.Bounds().Dy()-b.Bounds().Dy() > 3 || b.Bounds().Dy()-a.Bounds().Dy() > 3 {
		return 1
	}
	w, h := a.Bounds().Dx(), min(a.Bounds().Dy(), b.Bounds().Dy())
	differ := 0
	for y := range h {
		for x := range w {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			if apart(r1, r2)+apart(g1, g2)+apart(b1, b2) > 90 {
				differ++
			}
		}
	}
	return float64(differ) / float64(w*h)
}

func apart(a, b uint32) int {
	return max(int(a>>8)-int(b>>8), int(b>>8)-int(a>>8))
}

// unlikeMax allows for another version of Chromium, which rounds otherwise, and for nothing that a person would
// see as another page.
const unlikeMax = 0.02

// TestPictures compares every page, at three widths and in both themes, with how it was when somebody looked at
// it. With ENTIRE_WEB_EYES=DIR it writes the pages as they are into DIR, to be looked at; with
// ENTIRE_WEB_KEEP=1 the pages are kept as they should be.
func TestPictures(t *testing.T) {
	s := newLedger(t)
	b := s.serve(false).tab().enter("/")
	b.expected = "404 for" // of the page that is missing
	for _, page := range s.pages() {
		var pictures []*image.RGBA
		for _, theme := range themes {
			for _, width := range widths {
				b.look(width, theme)
				b.open(page.path)
				b.until(page.ready)
				if dir := os.Getenv("ENTIRE_WEB_EYES"); dir != "" {
					shot, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
					b.ok(err)
					b.ok(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%s-%d.png", page.name, theme, width)), shot, 0o644))
				}
				b.boxes()
				if wide := value[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
					t.Errorf("%s at %d pixels is %d too wide", page.name, width, wide)
				}
				pictures = append(pictures, b.picture())
			}
		}
		compare(t, page.name, sheet(pictures))
	}
}

// compare compares a picture with the kept one, or keeps it.
func compare(t *testing.T, name string, got *image.RGBA) {
	t.Helper()
	path := filepath.Join("testdata", "pictures", name+".png")
	if os.Getenv("ENTIRE_WEB_KEEP") != "" {
		write(t, path, got)
		return
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatalf("%v; ENTIRE_WEB_KEEP=1 keeps the picture", err)
	}
	defer file.Close()
	want, err := png.Decode(file)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if part := unlike(want, got); part > unlikeMax {
		seen := filepath.Join(os.TempDir(), "entire-web-"+name+".png")
		write(t, seen, got)
		t.Errorf("%s: %.1f %% of the page is not as it was; it is %s now", name, 100*part, seen)
	}
}

func write(t *testing.T, path string, picture *image.RGBA) {
	t.Helper()
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, coloured(picture)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// coloured returns a picture with a table of its colours, unless it has too many.
func coloured(p *image.RGBA) image.Image {
	of := map[color.RGBA]uint8{}
	var table color.Palette
	for i := 0; i < len(p.Pix); i += 4 {
		c := color.RGBA{p.Pix[i], p.Pix[i+1], p.Pix[i+2], p.Pix[i+3]}
		if _, known := of[c]; !known {
			of[c] = uint8(len(table))
			table = append(table, c)
		}
	}
	if len(table) > 256 {
		return p
	}
	out := image.NewPaletted(p.Bounds(), table)
	for i := range out.Pix {
		out.Pix[i] = of[color.RGBA{p.Pix[4*i], p.Pix[4*i+1], p.Pix[4*i+2], p.Pix[4*i+3]}]
	}
	return out
}

// TestPicturesDiffer shows that the comparison sees a line that is missing.
func TestPicturesDiffer(t *testing.T) {
	s := newLedger(t)
	b := s.serve(false).tab().enter("/timeline")
	b.look(800, "light")
	b.boxes()
	before := b.picture()
	if part := unlike(before, b.picture()); part > 0 {
		t.Errorf("the same page differs by %.1f %%", 100*part)
	}
	b.await(`document.querySelector(".row").remove()`)
	if part := unlike(before, b.picture()); part <= unlikeMax {
		t.Errorf("without a row the page differs by %.1f %% only", 100*part)
	}
}
