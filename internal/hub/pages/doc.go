// Package pages shows what the index knows as pages of HTML, for whoever may read it.
//
// The pages ask package api in the name of the request's principal, with the same parameters, so that they show nothing that
// the API would not say. They have the look of `entire web`, need no script and ask for nothing from elsewhere; whatever they
// show has passed html/template and [legible.Writer], so that text of others is text.
package pages
