// Package access says who a request is from, and what they may read.
//
// A [Door] knows the tokens of the configuration and the provider that people log in at (OpenID Connect: authorization code
// with PKCE, state and nonce). It keeps nothing: whoever is logged in has a cookie that is sealed with the key of all
// replicas (AES-256-GCM), and what they may read is looked up in the configuration at each request. A [Principal] is the
// answer; the zero Principal may read nothing.
//
// Tokens are stored as SHA-256 and found by it, so that no comparison takes longer for a better guess.
package access
