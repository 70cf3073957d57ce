package static

import (
	"bytes"
	"html"
	"strings"

	"entire/internal/redact"
)

// clean returns a page without secrets, with shortened paths, and with text in place of links that lead nowhere.
// Our pages have < only where a tag begins.
func clean(page []byte, shorten *strings.Replacer) []byte {
	page = withoutDeadLinks(page)
	var out bytes.Buffer
	inStyle := false
	for len(page) > 0 {
		i := bytes.IndexByte(page, '<')
		if i < 0 {
			i = len(page)
		}
		out.WriteString(cleanText(string(page[:i]), inStyle, shorten))
		page = page[i:]
		end := bytes.IndexByte(page, '>')
		if end < 0 {
			break
		}
		tag := page[:end+1]
		inStyle = bytes.HasPrefix(tag, []byte("<style"))
		out.Write(tag)
		page = page[end+1:]
	}
	return out.Bytes()
}

// withoutDeadLinks puts text in the place of links without an address. Links do not contain links.
func withoutDeadLinks(page []byte) []byte {
	var out bytes.Buffer
	for {
		i := bytes.Index(page, []byte(` href=""`))
		if i < 0 {
			break
		}
		begin, gt := bytes.LastIndexByte(page[:i], '<'), bytes.IndexByte(page[i:], '>')
		if begin < 0 || gt < 0 {
			break
		}
		inside := i + gt + 1
		n := bytes.Index(page[inside:], []byte("</a>"))
		if n < 0 {
			break
		}
		end := inside + n
		out.Write(page[:begin])
		out.WriteString("<span>")
		out.Write(page[inside:end])
		out.WriteString("</span>")
		page = page[end+len("</a>"):]
	}
	out.Write(page)
	return out.Bytes()
}

func cleanText(text string, asIs bool, shorten *strings.Replacer) string {
	if asIs || strings.TrimSpace(text) == "" {
		return text
	}
	plain := html.UnescapeString(text)
	cleaned := shorten.Replace(redact.Text(plain))
	if cleaned == plain {
		return text
	}
	return html.EscapeString(cleaned)
}
