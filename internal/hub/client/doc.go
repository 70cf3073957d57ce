// Package client asks a hub, in Go. All but this file and the tests is made by oapi-codegen from the hub's OpenAPI document:
//
//	c, err := client.NewClientWithResponses("https://hub.example.com", client.WithRequestEditorFn(client.Bearer(token)))
//	answer, err := c.ListCheckpointsWithResponse(ctx, &client.ListCheckpointsParams{Q: &words})
//
// Each answer has what the hub sent in JSON200, or the reason why it refused in a member for the status. `make hub-client` makes
// the package again after a change of the document; a test fails as long as nobody has.
package client

import (
	"context"
	"net/http"
)

// Bearer sends a token with every request.
func Bearer(token string) RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
}
