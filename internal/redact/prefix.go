package redact

import "strings"

// prefix is the start of a service's keys. It is for keys that gitleaks has no rule for, or a rule
// that also requires the service's name or a length that newer keys do not have.
type prefix struct {
	lit string
	min int // fewest bytes after it
}

// prefixes come from the documentation of the services.
var prefixes = []prefix{
	{"sk-or-v1-", 40}, {"sk-or-", 32}, {"sk-proj-", 32}, {"sk-svcacct-", 32}, {"sk-admin-", 32}, {"sk-ant-", 24}, {"sk-lf-", 30}, {"pk-lf-", 30},
	{"sk-", 20}, {"sk_", 24}, {"pk_live_", 20}, {"rk_live_", 20}, {"sk_live_", 16}, {"sk_test_", 16}, {"rk_test_", 16}, {"whsec_", 20},
	{"sbp_", 32}, {"sb_secret_", 20}, {"sb_publishable_", 20}, {"gsk_", 40}, {"xai-", 40}, {"r8_", 32}, {"tvly-", 20}, {"pcsk_", 30},
	{"lsv2_pt_", 30}, {"lsv2_sk_", 30}, {"pplx-", 32}, {"fw_", 22}, {"csk-", 32}, {"nvapi-", 40}, {"jina_", 40}, {"fc-", 32}, {"hf_", 30},
	{"dckr_pat_", 20}, {"dckr_oat_", 20}, {"ya29.", 20}, {"GOCSPX-", 20}, {"1//0", 30}, {"AIza", 35}, {"figd_", 30}, {"figo_", 30},
	{"PMAK-", 30}, {"NRAK-", 20}, {"NRJS-", 16}, {"NRII-", 20}, {"NRRA-", 30}, {"NRAA-", 20}, {"NRBR-", 16}, {"nfp_", 30}, {"nfc_", 30}, {"nfo_", 30}, {"rnd_", 24},
	{"napi_", 40}, {"phc_", 40}, {"phx_", 40}, {"bkua_", 30}, {"bkct_", 30}, {"CCIPAT_", 30}, {"CCIPRJ_", 30}, {"oy2", 43}, {"cio", 32},
	{"tskey-", 20}, {"rzp_live_", 14}, {"rzp_test_", 14}, {"re_", 24}, {"SG.", 40}, {"key-", 32}, {"EAAA", 56}, {"sq0csp-", 40}, {"sq0idp-", 20},
	{"AKID", 32}, {"LTAI", 16}, {"shpat_", 32}, {"shpss_", 32}, {"shpca_", 32}, {"shppa_", 32}, {"xoxb-", 20}, {"xoxp-", 20}, {"xapp-", 20}, {"xoxc-", 20}, {"xoxd-", 20},
	{"ghp_", 30}, {"gho_", 30}, {"ghu_", 30}, {"ghs_", 30}, {"ghr_", 30}, {"github_pat_", 30}, {"glpat-", 16}, {"glrt-", 16}, {"gldt-", 16},
	{"npm_", 30}, {"pypi-", 40}, {"rubygems_", 40}, {"dapi", 32}, {"dp.pt.", 30}, {"dp.st.", 30}, {"hvs.", 20}, {"hvb.", 20}, {"hvr.", 20},
	{"pul-", 40}, {"pscale_", 30}, {"ATATT3", 40}, {"ATCTT3", 40}, {"ATBB", 28}, {"lin_api_", 30}, {"secret_", 40}, {"ntn_", 40},
	{"dop_v1_", 40}, {"doo_v1_", 40}, {"glsa_", 30}, {"glc_", 30}, {"sntrys_", 30}, {"sntryu_", 30}, {"vcp_", 24}, {"vck_", 24}, {"vca_", 24}, {"HRKU-", 30},
	{"apify_api_", 30}, {"patt", 40}, {"EZAK", 50}, {"EZTK", 50}, {"shippo_live_", 30}, {"sqOatp", 22}, {"AGE-SECRET-KEY-1", 50},
	{"FlyV1", 40}, {"fo1_", 40}, {"ops_", 60}, {"CFPAT-", 40}, {"rdme_", 60}, {"api_org_", 30}, {"PRIVATE-", 24},
	{"e2b_", 36}, {"ABSK", 80}, {"bedrock-api-key-", 40}, {"uptr_", 24}, {"whop_", 24}, {"mlt_", 24}, {"duffel_", 30}, {"frpat_", 24}, {"waka_", 36}, {"dt0c01.", 60},
	{"nvapi_", 40}, {"sgp_", 36}, {"slk_", 36}, {"zpka_", 30}, {"scw_", 30}, {"tok_", 30}, {"ak_", 30}, {"pat-", 30}, {"live_", 30}, {"test_", 30}, {"Atlasv1.", 40}, {"IncomingWebhook/", 32},
}

func prefixWords() (words []string) {
	for _, p := range prefixes {
		words = append(words, strings.ToLower(p.lit))
	}
	return words
}

// findPrefixed finds a key by its prefix.
func findPrefixed(f *found, s string, at, n int) {
	if at > 0 && (wordByte.has(s[at-1]) || s[at-1] == '-') {
		return
	}
	for i := range prefixes {
		p := &prefixes[i]
		if len(p.lit) != n || s[at:at+n] != p.lit {
			continue
		}
		end := skip(s, at+n, 4*longestValue, &identifier)
		for end > at+n && (s[end-1] == '.' || s[end-1] == '-') {
			end--
		}
		if v := s[at+n : end]; len(v) >= p.min && (isRandom(v) || p.distinct() && isKeyText(v)) {
			f.add(at, end)
		}
	}
}

// distinct reports whether the prefix belongs to one service: capitals, or two words.
func (p *prefix) distinct() bool {
	return len(p.lit) > 4 && (strings.ToUpper(p.lit) == p.lit || strings.Count(p.lit, "_") > 1)
}

// isKeyText reports whether v has letters and digits, and nothing else.
func isKeyText(v string) bool {
	h := shapeOf(v)
	return !isPlaceholder(v) && h.digits > 1 && h.digits+h.letters == len(v)
}

// isRandom reports whether v has a part that is neither words nor numbers.
func isRandom(v string) bool {
	h := shapeOf(v)
	if isPlaceholder(v) || h.letters < 2 {
		return false
	}
	return randomBytes(v) >= 10 || h.digits > 1 && isHexKey(v[strings.LastIndexAny(v, "-_.")+1:])
}

// findBot finds the token of a Telegram bot: its number, a colon, and 35 bytes that start with "AA".
func findBot(f *found, s string, at, n int) {
	start, end := back(s, at, 11, &digitByte), skip(s, at+1, 40, &identifier)
	if digits := at - start; digits >= 8 && digits <= 10 && end-at == 36 && s[at:at+n] == ":AA" {
		f.add(start, end)
	}
}

var digitByte = setOf("0123456789")
