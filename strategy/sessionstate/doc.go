// Package sessionstate holds what every part of the engine works with: the options and the
// repository ([Env]), and one session under its lock ([LockedSession]).
//
// A session has two files. `.git/entire-sessions/<id>.json` is shared with other tools
// (package session); `.git/entire/sessions/<id>/engine.json` is ours ([EngineState]). Our file is
// written first, so that the shared one never names something that ours does not know.
//
// Env.OpenSession and Env.UpdateSession take the session's lock. Whoever holds a LockedSession may
// change its State and Engine; Env.SaveSession writes both. The paths in state files are encoded with
// [EncodePath], because JSON cannot hold every file name.
package sessionstate
