package gate

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Compress compresses the text that a handler answers with, for browsers that take it.
func Compress(h http.Handler) http.Handler {
	writers := &sync.Pool{New: func() any {
		w, _ := gzip.NewWriterLevel(io.Discard, 5)
		return w
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept-Encoding")
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") || r.Method == http.MethodHead {
			h.ServeHTTP(w, r)
			return
		}
		c := &compressed{ResponseWriter: w, writers: writers}
		defer c.end()
		h.ServeHTTP(c, r)
	})
}

// A compressed answer is compressed from its first byte on, if it is text that ends.
type compressed struct {
	http.ResponseWriter
	writers *sync.Pool
	zip     *gzip.Writer // nil while or where nothing is compressed
	begun   bool
}

func (c *compressed) WriteHeader(status int) {
	if !c.begun {
		c.begun = true
		h := c.Header()
		if status != http.StatusNoContent && status != http.StatusNotModified && h.Get("Content-Encoding") == "" && isText(h.Get("Content-Type")) {
			h.Set("Content-Encoding", "gzip")
			h.Del("Content-Length")
			c.zip = c.writers.Get().(*gzip.Writer)
			c.zip.Reset(c.ResponseWriter)
		}
	}
	c.ResponseWriter.WriteHeader(status)
}

// isText reports whether a kind of content gets smaller. Events must not wait for each other.
func isText(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	return strings.HasPrefix(kind, "text/") && kind != "text/event-stream" || kind == "application/json" || kind == "image/svg+xml"
}

func (c *compressed) Write(p []byte) (int, error) {
	if !c.begun {
		c.WriteHeader(http.StatusOK)
	}
	if c.zip == nil {
		return c.ResponseWriter.Write(p)
	}
	return c.zip.Write(p)
}

// FlushError sends what was written so far.
func (c *compressed) FlushError() error {
	if c.zip != nil {
		if err := c.zip.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(c.ResponseWriter).Flush()
}

// Unwrap lets an http.ResponseController find the writer below.
func (c *compressed) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *compressed) end() {
	if c.zip != nil {
		_ = c.zip.Close() // the browser has gone
		c.writers.Put(c.zip)
	}
}
