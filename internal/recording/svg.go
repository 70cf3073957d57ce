//go:build linux || darwin

package recording

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"strings"
	"time"
)

// The measures of the picture, in its own units.
const (
	cellWidth  = 8.4
	lineHeight = 18
	margin     = 14
	fontSize   = 14
	titleBar   = 30
)

// A Picture is how frames are drawn.
type Picture struct {
	Title string // in the bar above the screen
	Alt   string // what the picture shows, for those who do not see it
	Dark  bool
}

// Draw writes the frames as one SVG picture. Several frames move, one after the other, and begin again;
// a reader who does not want movement sees the last one. The picture needs no font and no script.
func (p Picture) Draw(w io.Writer, frames []Frame) error {
	if len(frames) == 0 {
		return fmt.Errorf("there is no frame to draw")
	}
	first := frames[0].Screen
	width := float64(first.Columns)*cellWidth + 2*margin
	height := float64(len(first.Rows)*lineHeight + 2*margin + titleBar)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="%s">`+"\n",
		width, height, width, height, html.EscapeString(p.Alt))
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(p.Alt))
	rows := p.defineRows(frames)
	p.writeStyle(&b, frames)
	b.WriteString(rows.defs.String())
	fmt.Fprintf(&b, `<rect width="%.0f" height="%.0f" rx="8" fill="%s"/>`+"\n", width, height, hex(background(p.Dark)))
	for i, colour := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="5.5" fill="%s"/>`+"\n", margin+6+i*18, titleBar/2+2, colour)
	}
	fmt.Fprintf(&b, `<text x="%.0f" y="%d" text-anchor="middle" class="t" opacity=".6">%s</text>`+"\n", width/2, titleBar/2+7, html.EscapeString(p.Title))
	for i, f := range frames {
		class := ""
		if len(frames) > 1 {
			class = fmt.Sprintf(` class="f f%d"`, i)
		}
		fmt.Fprintf(&b, `<g%s transform="translate(%d %d)">`+"\n", class, margin, margin+titleBar)
		for y, row := range f.Screen.Rows {
			if id, ok := rows.ids[p.row(row)]; ok {
				fmt.Fprintf(&b, `<use xlink:href="#r%d" y="%d"/>`, id, y*lineHeight)
			}
		}
		b.WriteString("\n</g>\n")
	}
	b.WriteString("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// definedRows are the different rows of all frames, each drawn once.
type definedRows struct {
	ids  map[string]int
	defs bytes.Buffer
}

func (p Picture) defineRows(frames []Frame) *definedRows {
	d := &definedRows{ids: map[string]int{}}
	d.defs.WriteString("<defs>\n")
	for _, f := range frames {
		for _, row := range f.Screen.Rows {
			text := p.row(row)
			if _, known := d.ids[text]; known || text == "" {
				continue
			}
			d.ids[text] = len(d.ids)
			fmt.Fprintf(&d.defs, `<g id="r%d">%s</g>`+"\n", d.ids[text], text)
		}
	}
	d.defs.WriteString("</defs>\n")
	return d
}

// writeStyle writes the fonts, and for several frames when each is seen.
func (p Picture) writeStyle(b *bytes.Buffer, frames []Frame) {
	fmt.Fprintf(b, "<style>\ntext{font:%dpx ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:%s;white-space:pre}\n", fontSize, hex(foreground(p.Dark)))
	b.WriteString(".t{font-size:12px}.b{font-weight:700}.i{font-style:italic}.u{text-decoration:underline}.d{opacity:.6}\n")
	if len(frames) > 1 {
		var all time.Duration
		for _, f := range frames {
			all += f.For
		}
		var at time.Duration
		fmt.Fprintf(b, ".f{visibility:hidden;animation-duration:%.2fs;animation-iteration-count:infinite;animation-timing-function:step-end}\n", all.Seconds())
		for i, f := range frames {
			from, to := percent(at, all), percent(at+f.For, all)
			at += f.For
			fmt.Fprintf(b, ".f%d{animation-name:k%d}@keyframes k%d{0%%{visibility:%s}%.3f%%{visibility:visible}%.3f%%{visibility:hidden}}\n",
				i, i, i, map[bool]string{true: "visible", false: "hidden"}[i == 0], from, min(to, 100))
		}
		fmt.Fprintf(b, "@media (prefers-reduced-motion:reduce){.f{animation:none}.f%d{visibility:visible}}\n", len(frames)-1)
	}
	b.WriteString("</style>\n")
}

func percent(part, all time.Duration) float64 { return 100 * float64(part) / float64(all) }

// row draws a row at y = 0; "" for an empty one. Neighbours with one style are one text.
func (p Picture) row(cells []Cell) string {
	var b strings.Builder
	column := 0
	for i := 0; i < len(cells); {
		j, width := i, 0
		var text strings.Builder
		for j < len(cells) && sameStyle(cells[i], cells[j]) {
			text.WriteString(cells[j].Text)
			width += cells[j].Width
			j++
		}
		p.run(&b, cells[i], text.String(), column, width)
		column += width
		i = j
	}
	return b.String()
}

func sameStyle(a, b Cell) bool {
	a.Text, a.Width, b.Text, b.Width = "", 0, "", 0
	return a == b
}

// run draws a text of one style.
func (p Picture) run(b *strings.Builder, style Cell, text string, column, width int) {
	fore, back := style.Fore, style.Back
	if style.Reverse {
		if fore == nil {
			fore = foreground(p.Dark)
		}
		if back == nil {
			back = background(p.Dark)
		}
		fore, back = back, fore
	}
	x := float64(column) * cellWidth
	if back != nil {
		fmt.Fprintf(b, `<rect x="%.1f" width="%.1f" height="%d" fill="%s"/>`, x, float64(width)*cellWidth, lineHeight, hex(back))
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	var classes []string
	for _, c := range []struct {
		on   bool
		name string
	}{{style.Bold, "b"}, {style.Italic, "i"}, {style.Underlined, "u"}, {style.Faint, "d"}} {
		if c.on {
			classes = append(classes, c.name)
		}
	}
	attributes := ""
	if len(classes) > 0 {
		attributes += fmt.Sprintf(` class="%s"`, strings.Join(classes, " "))
	}
	if fore != nil {
		attributes += fmt.Sprintf(` style="fill:%s"`, hex(fore))
	}
	fmt.Fprintf(b, `<text x="%.1f" y="14" textLength="%.1f"%s xml:space="preserve">%s</text>`, x, float64(width)*cellWidth, attributes, html.EscapeString(text))
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
