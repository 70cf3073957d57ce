// Package sessions is the panel with the conversations: their state, agent, model, tokens and tags, and
// beside them what was said, which is read a part at a time.
//
// A session can be continued, forked, renamed and tagged here. What moves one elsewhere, export and
// teleport, is offered as the command that does it, to be completed by the person.
package sessions
