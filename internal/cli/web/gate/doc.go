// Package gate lets the browsers of one person, and nobody else, read pages from a server on this
// machine.
//
// Its nouns: a token is 256 random bits that a person gets in a link and that a browser can use
// once. A visit is what a browser gets for it: a cookie, and a form token that every form of a page
// carries. A [Gate] stands before the handler of the pages. The door is the page that asks a
// browser without a visit for a token.
//
//	g := gate.New(gate.Options{Origin: "http://127.0.0.1:4321", Random: rand.Reader}, pages)
//	fmt.Println(g.Link("/"))
//	gate.Serve(ctx, listener, g, nil)
//
// What it guarantees: no page is given to a request that names another host, so that a name that
// somebody else resolves to this machine opens nothing; none that another site's page sends; and
// none without the cookie, which other ports of this machine never see, because it belongs to a
// random folder of the URLs. Nothing is changed by a GET. A POST needs the cookie, the form token
// and the origin of our own pages. Every answer forbids scripts and styles within the page, frames,
// and whatever comes from elsewhere.
//
// It knows nothing of what the pages show.
package gate
