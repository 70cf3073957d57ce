package mcpserver

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"entire/internal/cli/cliui"
	"entire/internal/cli/pointlib"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/legible"
	"entire/internal/redact"
	"entire/internal/timeline"
)

const (
	sessionURI    = "entire://session/"
	checkpointURI = "entire://checkpoint/"
	plainText     = "text/plain"
	listed        = 20 // of the newest sessions, and of the newest checkpoints
)

// addResources offers sessions and checkpoints by their URIs. The list has the newest; every other one can
// be read by its ID.
func (t *tools) addResources(s *mcp.Server) {
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: sessionURI + "{id}", Name: "session", MIMEType: plainText,
		Description: "The end of a session, or the part around a message: {id} is SESSION or SESSION%23MESSAGE."}, t.readResource(sessionURI))
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: checkpointURI + "{id}", Name: "checkpoint", MIMEType: plainText,
		Description: "What a checkpoint, a commit or a turn did, and for which prompt."}, t.readResource(checkpointURI))
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method != "resources/list" {
				return next(ctx, method, req)
			}
			return t.listResources(ctx), nil
		}
	})
}

func (t *tools) readResource(prefix string) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		id, err := url.PathUnescape(strings.TrimPrefix(req.Params.URI, prefix))
		if err != nil {
			return nil, mcp.ResourceNotFoundError(req.Params.URI)
		}
		text, err := t.alone(ctx, func() (string, error) {
			if prefix == checkpointURI {
				return t.point(ctx, id, usualTokens)
			}
			return t.open(ctx, openIn{ID: id})
		})
		if err != nil {
			return nil, fmt.Errorf("read %s: %s", cliui.ShownLine(req.Params.URI), failure(err))
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: plainText, Text: cut(text, usualTokens)}}}, nil
	}
}

// listResources lists nothing where nothing can be read: a list has no place for a reason.
func (t *tools) listResources(ctx context.Context) *mcp.ListResourcesResult {
	list := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
	_, _ = t.alone(ctx, func() (string, error) {
		list.Resources = append(t.sessionResources(ctx), t.checkpointResources(ctx)...)
		return "", nil
	})
	return list
}

func (t *tools) sessionResources(ctx context.Context) (list []*mcp.Resource) {
	_ = sessionlib.WithLibrary(ctx, t.env, func(l *sessionlib.Library) error {
		all, err := l.Here(ctx)
		if err != nil {
			return err
		}
		slices.SortStableFunc(all, func(a, b sessionlib.ListedSession) int { return b.Updated.Compare(a.Updated) })
		for _, s := range all[:min(len(all), listed)] {
			list = append(list, &mcp.Resource{URI: sessionURI + url.PathEscape(s.ID), Name: "session " + cliui.ShownSession(s.ID), MIMEType: plainText,
				Title: oneLine(sessionlib.TitleOf(s))})
		}
		return nil
	})
	return list
}

func (t *tools) checkpointResources(ctx context.Context) (list []*mcp.Resource) {
	_ = t.inPast(ctx, func(_ *workplace.Workplace, tl *timeline.Timeline) error {
		w, err := tl.Window(ctx, 0, pointsShown)
		if err != nil {
			return err
		}
		for _, pt := range w.Points {
			for _, cp := range pt.Checkpoints {
				if len(list) < listed {
					list = append(list, &mcp.Resource{URI: checkpointURI + url.PathEscape(cp), Name: "checkpoint " + cp, MIMEType: plainText,
						Title: oneLine(pointlib.Title(pt))})
				}
			}
		}
		return nil
	})
	return list
}

// oneLine returns a title of others for a list.
func oneLine(title string) string { return legible.Line(short(redact.Text(title), 30)) }
