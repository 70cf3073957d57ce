package view

import (
	"net/url"
	"strconv"
	"strings"
)

// Links are the addresses of the pages.
type Links struct {
	Base string // the folder of all pages, without a slash at its end
	None bool   // there are no other pages: every address is ""
	// Name returns the name of the file that has a page, "" for none; nil where pages come from a server.
	Name func(page string, q url.Values) string
	// Part returns the first message of the part of a session that has a message; nil where any part can be had.
	Part func(session string, message int) int
}

// page returns the address of a page with its parameters: a name and a value each. Empty values are left out.
func (l Links) page(path string, params ...string) string {
	if l.None {
		return ""
	}
	q := url.Values{}
	for i := 0; i+1 < len(params); i += 2 {
		if params[i+1] != "" {
			q.Set(params[i], params[i+1])
		}
	}
	if l.Name != nil {
		return l.Name(path, q)
	}
	if len(q) == 0 {
		return l.Base + path
	}
	return l.Base + path + "?" + q.Encode()
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Timeline returns the address of the points from one on, 0 for the newest.
func (l Links) Timeline(from int) string { return l.page("/timeline", "from", number(from)) }

// At returns the address of the part of the timeline that has a point.
func (l Links) At(id string) string { return l.page("/timeline", "at", id) + "#p" + id }

// Point returns the address of a point.
func (l Links) Point(id string) string { return l.page("/point/" + url.PathEscape(id)) }

// PointFile returns the address of a file's change at a point.
func (l Links) PointFile(id, path string) string {
	return l.page("/point/"+url.PathEscape(id), "file", path)
}

// PointHunk returns the address of a file's change at a point, from a line of a hunk on.
func (l Links) PointHunk(id, path string, hunk, line int) string {
	return l.page("/point/"+url.PathEscape(id), "file", path, "hunk", number(hunk), "line", number(line))
}

// File returns the address of a file as it is now.
func (l Links) File(path string) string { return l.page("/file", "path", path) }

// FileAt returns the address of a file as it was at a point.
func (l Links) FileAt(path, id string) string { return l.page("/file", "path", path, "at", id) }

// FileLines returns the address of a file from a line on; id is "" for now.
func (l Links) FileLines(path, id string, from int) string {
	return l.page("/file", "path", path, "at", id, "from", number(from))
}

// FileOwners returns the address of a file with the owners of its lines, however long they take.
func (l Links) FileOwners(path, id string, from int) string {
	return l.page("/file", "path", path, "at", id, "from", number(from), "owners", "wait")
}

// FileDeep returns the address of a file with states that were searched for in many points.
func (l Links) FileDeep(path string) string { return l.page("/file", "path", path, "deep", "1") }

// Folder returns the address of the files below a folder, "" for all.
func (l Links) Folder(path string) string { return l.page("/files", "folder", path) }

// FilesFrom returns the address of a part of a list of files.
func (l Links) FilesFrom(folder, query string, from int) string {
	return l.page("/files", "folder", folder, "q", query, "from", number(from))
}

// Why returns the address that says why a line of a file is there; rev is "" for the file as it is now.
func (l Links) Why(path, rev string, line int) string {
	return l.page("/why", "path", path, "rev", rev, "line", number(line))
}

// Session returns the address of a session.
func (l Links) Session(id string) string { return l.page("/session/" + url.PathEscape(id)) }

// Diff returns the address of what changed from a point to another, "" for now.
func (l Links) Diff(a, b string) string { return l.page("/diff", "a", a, "b", b) }

// DiffHunk returns the address of what changed in a file, from a line of a hunk on.
func (l Links) DiffHunk(a, b, path string, hunk, line int) string {
	return l.page("/diff", "a", a, "b", b, "path", path, "hunk", number(hunk), "line", number(line))
}

// Sessions returns the address of the sessions from one on that have a text.
func (l Links) Sessions(query string, from int) string {
	return l.page("/sessions", "q", query, "from", number(from))
}

// Message returns the address of a session from a message on.
func (l Links) Message(id string, message int) string {
	if l.Part != nil {
		if message = l.Part(id, message); message == 1 {
			message = 0
		}
	}
	return l.page("/session/"+url.PathEscape(id), "from", number(message))
}

// PointOf returns the address that leads to the point at which what a message asked for had been done.
func (l Links) PointOf(id string, message int) string {
	return l.page("/session/"+url.PathEscape(id)+"/point", "message", number(message))
}

// Rename returns the address to which a session's new title is sent.
func (l Links) Rename(id string) string { return l.page("/session/" + url.PathEscape(id) + "/title") }

// Image returns the address of an image of a message.
func (l Links) Image(id, uuid string, n int) string {
	return l.page("/session/"+url.PathEscape(id)+"/image", "message", uuid, "n", number(n))
}

// Review returns the address of the review of a commit or a range.
func (l Links) Review(name string) string { return l.page("/review", "range", name) }

// ReviewFrom returns the address of a review from one of its files on.
func (l Links) ReviewFrom(name string, from int) string {
	return l.page("/review", "range", name, "from", number(from))
}

// Rewind returns the address that shows what going back to a point would do.
func (l Links) Rewind(id string) string { return l.page("/rewind", "to", id) }

// RewindFile returns the address that shows what bringing a file back would do.
func (l Links) RewindFile(id, path string) string { return l.page("/rewind", "to", id, "path", path) }

// RewindFiles returns the address that shows what bringing the files of a point back would do.
func (l Links) RewindFiles(id string) string { return l.page("/rewind", "to", id, "what", "files") }

// UndoTurn returns the address that shows what undoing one turn alone would do.
func (l Links) UndoTurn(id, session string, turn int) string {
	return l.page("/rewind", "to", id, "scope", "turn", "session", session, "turn", number(turn))
}

// Undo returns the address that shows what undoing a rewind would do.
func (l Links) Undo(entry string) string { return l.page("/undo", "of", entry) }

// Prefer returns the address that sets a preference and goes back to a page.
func (l Links) Prefer(name, value, back string) string {
	return l.page("/prefer", name, value, "back", strings.TrimPrefix(back, l.Base))
}

// To returns the address of a page that needs no parameters.
func (l Links) To(page string) string { return l.page("/" + page) }

// JSON returns the address of a page's values.
func JSON(address string) string {
	path, query, found := strings.Cut(address, "?")
	if found {
		return path + ".json?" + query
	}
	return path + ".json"
}
