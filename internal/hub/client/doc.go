// Package client proves that a client of the hub can be generated. It has tests only: a client in Go that oapi-codegen made of the
// hub's OpenAPI document asks a running hub everything that it can ask.
//
// `make hub-client` makes the client again after a change of the document; a test fails as long as nobody has.
package client
