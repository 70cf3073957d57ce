package mcpserver

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"entire/internal/cli/cliui"
	"entire/internal/lines"
)

// Serve answers until ctx ends: over standard input and output until the input ends, or over HTTP on a
// port of this machine, 0 for any free one. With newToken the former token opens nothing any more.
func Serve(ctx context.Context, env *cliui.Env, overHTTP bool, port int, newToken bool) error {
	if overHTTP {
		return serveHTTP(ctx, env, port, newToken)
	}
	out := &oneAtATime{out: env.Raw()}
	in := &messages{in: lines.NewReader(env.In, lineMax), out: out}
	err := New(env).Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: out})
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
