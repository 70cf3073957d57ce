package gate

import (
	"crypto/subtle"
	"net/http"
)

// stranger says why a request cannot come from a browser of this person that shows one of our pages, or
// that went to one; "" if it can.
func (g *Gate) stranger(r *http.Request) string {
	if r.Host != g.host {
		return "This server answers at " + g.o.Origin + " only. To reach it from another machine, forward the same port."
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
			if r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document" {
				return "A page of another site asked for this."
			}
		}
	case http.MethodPost:
		if r.Header.Get("Origin") != g.o.Origin {
			return "This form was not sent by a page of this server."
		}
	default:
		return "Pages are read with GET and changed with POST."
	}
	return ""
}

// forged says why a POST is refused; "" if it is not.
func (g *Gate) forged(r *http.Request, v visit) string {
	if g.o.ReadOnly {
		return "The server was started with --read-only: its pages change nothing."
	}
	if subtle.ConstantTimeCompare([]byte(r.PostFormValue(formField)), []byte(v.form)) != 1 {
		return "This form is from an earlier visit. Go back, load the page again, and repeat it."
	}
	return ""
}

// protect sets the headers of every answer. Our pages are told where a form came from, others are not:
// without a referrer at all, browsers would send the origin "null" with our own forms.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
}
