package config

import "github.com/tidwall/gjson"

// auditSign is a member of the audit option in the settings files, beside "enabled".
const auditSign = "sign"

// Audit reports whether statements about checkpoints are stored, and whether they and the commits of the metadata
// branch are signed with git's key. Nothing is signed without statements.
func (s Settings) Audit() (statements, signed bool) {
	option := gjson.ParseBytes(s.StrategyOptions[optionAudit])
	statements = option.IsObject() && option.Get(keyEnabled).Type == gjson.True
	return statements, statements && option.Get(auditSign).Type == gjson.True
}

// wrongAudit returns what a member of the audit option must be, or "" if v is valid.
func wrongAudit(key string, v gjson.Result) string {
	if (key == keyEnabled || key == auditSign) && !v.IsBool() {
		return wantBool
	}
	return ""
}
