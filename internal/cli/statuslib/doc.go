// Package statuslib says whether Entire works here, as values that commands, the terminal program and
// the web view show.
//
// A [Status] is quick to read: settings, hooks, agents, sessions, and what was not captured or linked
// ([Read]). A [Diagnosis] reads everything that is stored, which may take a while ([Diagnose]); a
// [Finding] of it may have a repair. Both have a form for people (Text) and a JSON form.
//
// Nothing is changed, except by Diagnose with fix, which repairs what can be repaired.
package statuslib
