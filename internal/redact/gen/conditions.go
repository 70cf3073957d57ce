//go:build ignore

// What gen.go knows of an expression without running it: the literals that each match has, the bytes that follow them,
// and the lengths of matches.
package main

import (
	"log"
	"math"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zricethezav/gitleaks/v8/config"
)

// bounds describes the value of an assignment.
type bounds struct {
	min      int  // bytes of [\w.=+/-] at its start
	distinct int  // fewest different bytes for the rule's entropy; zero if it may contain other bytes
	max      int  // most bytes; zero: no limit
	loose    bool // it may contain bytes other than [\w.=+/-]
}

func value(r config.Rule, expr string) (v bounds) {
	at := strings.Index(expr, `[\x60'"\s=]{0,5}(`) + len(`[\x60'"\s=]{0,5}`)
	end := strings.LastIndex(expr, `(?:[\x60'"\s;]|\\[nr]|$)`)
	if alt := strings.Index(expr, `(?:[\x60'"\s;]|\\[nr]|$)|`); alt >= 0 {
		end = alt
	}
	re, err := syntax.Parse("(?i)"+expr[at:end], syntax.Perl)
	check(err)
	run := set(word + ".=+/-")
	min, whole := prefix(re, run)
	v.min, v.max, v.loose = min, longest(re), !whole
	if whole && r.Entropy > 0 && r.SecretGroup == 0 {
		v.distinct = int(math.Floor(math.Exp2(r.Entropy))) + 1
	}
	if v.loose && v.max == 0 {
		log.Fatalf("rule %s: the value has no end", r.RuleID)
	}
	return v
}

// longest returns the most bytes in a match of re; zero: no limit. It ignores the long s and the
// Kelvin sign, because a text with one of them is searched completely.
func longest(re *syntax.Regexp) int {
	n, ok := most(re)
	if !ok {
		return 0
	}
	return n
}

func most(re *syntax.Regexp) (n int, ok bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(string(re.Rune)), true
	case syntax.OpCharClass:
		if _, ok := ascii(re); ok {
			return 1, true
		}
		return utf8.UTFMax, true
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax, true
	case syntax.OpStar, syntax.OpPlus:
		return 0, false
	case syntax.OpRepeat:
		n, ok = most(re.Sub[0])
		return n * re.Max, ok && re.Max >= 0
	}
	ok = true
	for _, sub := range re.Sub {
		m, bounded := most(sub)
		if ok = ok && bounded; re.Op == syntax.OpAlternate {
			n = max(n, m)
		} else {
			n += m
		}
	}
	return n, ok
}

// prefix counts the bytes of class c at the start of every match of re. whole reports that matches
// consist only of c.
func prefix(re *syntax.Regexp, c class) (n int, whole bool) {
	switch re.Op {
	case syntax.OpLiteral:
		for n < len(re.Rune) && set(string(re.Rune[n])).within(c) {
			n++
		}
		return n, n == len(re.Rune)
	case syntax.OpCharClass:
		cc, ok := ascii(re)
		if ok && cc.within(c) {
			return 1, true
		}
		return 0, false
	case syntax.OpCapture:
		return prefix(re.Sub[0], c)
	case syntax.OpRepeat, syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		n, whole = prefix(re.Sub[0], c)
		if !whole {
			return 0, false
		}
		return n * least(re), true
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			m, w := prefix(sub, c)
			n += m
			if !w {
				return n, false
			}
		}
		return n, true
	case syntax.OpAlternate:
		n, whole = math.MaxInt, true
		for _, sub := range re.Sub {
			m, w := prefix(sub, c)
			n, whole = min(n, m), whole && w
		}
		return n, whole
	}
	return 0, re.Op == syntax.OpEmptyMatch
}

func least(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpRepeat:
		return re.Min
	case syntax.OpPlus:
		return 1
	}
	return 0
}

// anchorsOf returns leads that cover every alternative. It returns nil if one is too weak or does not
// imply a keyword of the rule.
func anchorsOf(expr string, keywords []string) []lead {
	re, err := syntax.Parse(expr, syntax.Perl)
	check(err)
	leads, ok := leadsOf([]*syntax.Regexp{re}, lead{})
	if !ok || len(leads) > 12 {
		return nil
	}
	for _, l := range leads {
		low := strings.ToLower(l.lit)
		if len(low) < 2 || len(low) == 2 && l.min < 8 ||
			!slices.ContainsFunc(keywords, func(k string) bool { return strings.Contains(low, k) }) {
			return nil
		}
	}
	return leads
}

func leadsOf(seq []*syntax.Regexp, l lead) ([]lead, bool) {
	if len(seq) == 0 {
		return []lead{l}, l.lit != ""
	}
	re, rest := seq[0], seq[1:]
	switch re.Op {
	case syntax.OpWordBoundary:
		if l.lit == "" {
			l.word = true
			return leadsOf(rest, l)
		}
	case syntax.OpCapture, syntax.OpConcat:
		return leadsOf(append(slices.Clone(re.Sub), rest...), l)
	case syntax.OpAlternate:
		return each(re.Sub, rest, l)
	case syntax.OpLiteral:
		fold := re.Flags&syntax.FoldCase != 0 && strings.ToLower(string(re.Rune)) != strings.ToUpper(string(re.Rune))
		if l.lit != "" && fold && !l.fold {
			l.fold = true
		}
		l.lit, l.fold = l.lit+string(re.Rune), l.fold || fold
		return leadsOf(rest, l)
	case syntax.OpCharClass:
		if runes := small(re); runes != nil {
			subs := make([]*syntax.Regexp, len(runes))
			for i, r := range runes {
				subs[i] = &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{r}}
			}
			return each(subs, rest, l)
		}
		if c, ok := ascii(re); ok && l.lit != "" {
			l.class, l.min = c, 1
		}
	case syntax.OpRepeat, syntax.OpPlus:
		if n, whole := prefix(re.Sub[0], class{math.MaxUint64, math.MaxUint64}); whole && n == 1 && l.lit != "" {
			if c, ok := ascii(re.Sub[0]); ok {
				l.class, l.min = c, least(re)
			}
		}
	}
	return []lead{l}, l.lit != ""
}

func each(subs, rest []*syntax.Regexp, l lead) ([]lead, bool) {
	var all []lead
	for _, sub := range subs {
		got, ok := leadsOf(append([]*syntax.Regexp{sub}, rest...), l)
		if !ok {
			return nil, false
		}
		all = append(all, got...)
	}
	return all, true
}

func small(re *syntax.Regexp) []rune {
	var runes []rune
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			if runes = append(runes, r); len(runes) > 3 {
				return nil
			}
		}
	}
	return runes
}

// ascii returns the class's bytes without the long s and the Kelvin sign, which fold to ASCII. A text
// with one of them is searched with every regexp.
func ascii(re *syntax.Regexp) (c class, ok bool) {
	if re.Op == syntax.OpLiteral && len(re.Rune) == 1 {
		re = &syntax.Regexp{Op: syntax.OpCharClass, Rune: []rune{re.Rune[0], re.Rune[0]}}
	}
	if re.Op != syntax.OpCharClass {
		return c, false
	}
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			switch {
			case r < 128:
				c[r>>6] |= 1 << (r & 63)
			case r != 'ſ' && r != '\u212a':
				return c, false
			}
		}
	}
	return c, true
}
