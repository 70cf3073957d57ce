package static

import (
	"bytes"
	"html"
	"regexp"
	"strings"

	"entire/internal/redact"
)

// clean returns a page without secrets, with shortened paths, and with text in place of links that lead nowhere.
// Our pages have < only where a tag begins.
func clean(page []byte, shorten *strings.Replacer) []byte {
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
	return deadLink.ReplaceAll(out.Bytes(), []byte("<span>$1</span>"))
}

// deadLink is a link without an address. Links do not contain links.
var deadLink = regexp.MustCompile(`(?s)<a\s[^>]*href=""[^>]*>(.*?)</a>`)

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
