package config

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"entire/internal/redact"
)

// keyRedaction is a key in the settings files: rules beside the built-in ones.
const keyRedaction = "redaction"

// Members of it.
const (
	redactPII    = "pii"
	redactCustom = "custom_redactions"
	piiCustom    = "custom_patterns" // another place for custom rules
)

// redactionOf returns the rules of one file, without its invalid ones.
func redactionOf(option gjson.Result) (o redact.Options) {
	pii := option.Get(redactPII)
	switch {
	case pii.Type == gjson.True:
		o.Personal = redact.PersonalKinds()
	case pii.IsObject() && pii.Get(keyEnabled).Type != gjson.False:
		for _, kind := range redact.PersonalKinds() {
			if v := pii.Get(kind); v.Type != gjson.False {
				o.Personal = append(o.Personal, kind)
			}
		}
	}
	for _, list := range []gjson.Result{option.Get(redactCustom), pii.Get(piiCustom)} {
		if !list.IsObject() {
			continue
		}
		for _, m := range members(list.Raw) {
			v := gjson.Parse(m.raw(list.Raw))
			c := redact.Custom{Name: m.key, Expr: v.Str}
			if v.Type == gjson.String && len(o.Custom) < redact.MaxCustom && redact.CheckCustom(c) == nil {
				o.Custom = append(o.Custom, c)
			}
		}
	}
	return o
}

// wrongRedaction returns the invalid values of the redaction key.
func wrongRedaction(option gjson.Result) (out []wrong) {
	switch {
	case option.Type == gjson.Null:
		return nil
	case !option.IsObject():
		return []wrong{{keyRedaction, wantObject}}
	}
	pii := option.Get(redactPII)
	if pii.Exists() && !pii.IsBool() && !pii.IsObject() && pii.Type != gjson.Null {
		out = append(out, wrong{keyRedaction + "." + redactPII, "true, false or an object such as {\"email\": true}"})
	}
	for _, kind := range append(redact.PersonalKinds(), keyEnabled) {
		if v := pii.Get(kind); pii.IsObject() && v.Exists() && !v.IsBool() && v.Type != gjson.Null {
			out = append(out, wrong{keyRedaction + "." + redactPII + "." + kind, wantBool})
		}
	}
	for _, place := range []string{redactCustom, redactPII + "." + piiCustom} {
		out = append(out, wrongCustom(keyRedaction+"."+place, option.Get(place))...)
	}
	return out
}

func wrongCustom(key string, list gjson.Result) (out []wrong) {
	switch {
	case !list.Exists() || list.Type == gjson.Null:
		return nil
	case !list.IsObject():
		return []wrong{{key, "an object of names and expressions, such as {\"staff\": \"EMP-[0-9]+\"}"}}
	}
	all := members(list.Raw)
	for _, m := range all {
		v := gjson.Parse(m.raw(list.Raw))
		if v.Type != gjson.String {
			out = append(out, wrong{key + "." + strings.Trim(strconv.Quote(m.key), `"`), "an expression in the syntax of RE2"})
		} else if err := redact.CheckCustom(redact.Custom{Name: m.key, Expr: v.Str}); err != nil {
			out = append(out, wrong{key + "." + strings.Trim(strconv.Quote(m.key), `"`), "another expression: " + err.Error()})
		}
	}
	if len(all) > redact.MaxCustom {
		out = append(out, wrong{key, fmt.Sprintf("at most %d expressions", redact.MaxCustom)})
	}
	return out
}
