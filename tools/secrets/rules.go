package secrets

import (
	"strings"

	"forge/lazy"
)

// A kind is a sort of secret. Placeholders hold its slug, so that a slug is never
// changed; people see its label.
type kind int

const (
	kindCustom kind = iota
	kindPassword
	kindToken
	kindKey
	kindPrivateKey
	kindJWT
	kindURLPassword
	kindBearer
	kindBasic
	kindAWS
	kindGitHub
	kindGitLab
	kindSlack
	kindStripe
	kindOpenAI
	kindAnthropic
	kindGoogle
	kindAzure
	kindNPM
	kindPyPI
	kindRegistry
	kindCloud
	kindAI
	kindChat
	kindMail
	kindDev
	kindShop
	kindMonitoring
	kindVault
)

var kinds = [...]struct{ slug, label string }{
	kindCustom:      {"custom", "secret"},
	kindPassword:    {"password", "password"},
	kindToken:       {"token", "token"},
	kindKey:         {"key", "key"},
	kindPrivateKey:  {"private_key", "private key"},
	kindJWT:         {"jwt", "JSON web token"},
	kindURLPassword: {"url_password", "password in an address"},
	kindBearer:      {"bearer", "bearer token"},
	kindBasic:       {"basic_auth", "basic credentials"},
	kindAWS:         {"aws", "AWS key"},
	kindGitHub:      {"github", "GitHub token"},
	kindGitLab:      {"gitlab", "GitLab token"},
	kindSlack:       {"slack", "Slack token"},
	kindStripe:      {"stripe", "Stripe key"},
	kindOpenAI:      {"openai", "OpenAI key"},
	kindAnthropic:   {"anthropic", "Anthropic key"},
	kindGoogle:      {"google", "Google key"},
	kindAzure:       {"azure", "Azure key"},
	kindNPM:         {"npm", "npm token"},
	kindPyPI:        {"pypi", "PyPI token"},
	kindRegistry:    {"registry", "package registry token"},
	kindCloud:       {"cloud", "cloud provider token"},
	kindAI:          {"ai", "model provider key"},
	kindChat:        {"chat", "chat service token"},
	kindMail:        {"mail", "mail or telephone service key"},
	kindDev:         {"dev", "developer service token"},
	kindShop:        {"shop", "payment or shop key"},
	kindMonitoring:  {"monitoring", "monitoring service key"},
	kindVault:       {"vault", "secret store token"},
}

// A rule is the public format of one provider's keys: how they begin, of which
// letters they go on, and how many.
type rule struct {
	prefix   string
	kind     kind
	class    *class
	min, max int    // letters behind the prefix; max 0: any number from min on
	holds    string // somewhere behind the prefix; empty: anything
	plain    bool   // letters alone will do; else there must be a digit
}

// class is a set of bytes.
type class [256]bool

func set(s string) *class {
	var c class
	for i := range len(s) {
		c[s[i]] = true
	}
	return &c
}

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

var (
	alnum  = set(lower + upper + digits)
	word   = set(lower + upper + digits + "_")
	url64  = set(lower + upper + digits + "_-")
	dotted = set(lower + upper + digits + "_-.")
	base64 = set(lower + upper + digits + "+/=")
	anyKey = set(lower + upper + digits + "_-.+/=~")
	hexa   = set("abcdef" + digits)
	capsNo = set(upper + digits)
	lowNo  = set(lower + digits)
	lowNo_ = set(lower + digits + "_-")
)

// rules are the formats that are known by their begin. A longer prefix stands
// before a shorter one of the same begin.
var rules = lazy.Value[[]rule]{Of: func() []rule {
	return []rule{
		{prefix: "AKIA", kind: kindAWS, class: capsNo, min: 16, max: 16, plain: true},
		{prefix: "ASIA", kind: kindAWS, class: capsNo, min: 16, max: 16, plain: true},
		{prefix: "ABIA", kind: kindAWS, class: capsNo, min: 16, max: 16, plain: true},
		{prefix: "ACCA", kind: kindAWS, class: capsNo, min: 16, max: 16, plain: true},
		{prefix: "ABSK", kind: kindAWS, class: base64, min: 100},
		{prefix: "github_pat_", kind: kindGitHub, class: word, min: 50},
		{prefix: "ghp_", kind: kindGitHub, class: alnum, min: 30},
		{prefix: "gho_", kind: kindGitHub, class: alnum, min: 30},
		{prefix: "ghu_", kind: kindGitHub, class: alnum, min: 30},
		{prefix: "ghs_", kind: kindGitHub, class: dotted, min: 30},
		{prefix: "ghr_", kind: kindGitHub, class: alnum, min: 30},
		{prefix: "glpat-", kind: kindGitLab, class: dotted, min: 20},
		{prefix: "gldt-", kind: kindGitLab, class: dotted, min: 20},
		{prefix: "glrt-", kind: kindGitLab, class: dotted, min: 20},
		{prefix: "glrtr-", kind: kindGitLab, class: dotted, min: 20},
		{prefix: "glptt-", kind: kindGitLab, class: dotted, min: 20},
		{prefix: "glft-", kind: kindGitLab, class: dotted, min: 20},
		{prefix: "glsoat-", kind: kindGitLab, class: dotted, min: 20},
		{prefix: "glcbt-", kind: kindGitLab, class: dotted, min: 20},
		{prefix: "glagent-", kind: kindGitLab, class: dotted, min: 20},
		{prefix: "gloas-", kind: kindGitLab, class: dotted, min: 20},
		{prefix: "glimt-", kind: kindGitLab, class: dotted, min: 20},
		{prefix: "glffct-", kind: kindGitLab, class: dotted, min: 20},
		{prefix: "xoxb-", kind: kindSlack, class: url64, min: 20},
		{prefix: "xoxp-", kind: kindSlack, class: url64, min: 20},
		{prefix: "xoxa-", kind: kindSlack, class: url64, min: 20},
		{prefix: "xoxr-", kind: kindSlack, class: url64, min: 20},
		{prefix: "xoxs-", kind: kindSlack, class: url64, min: 20},
		{prefix: "xoxc-", kind: kindSlack, class: url64, min: 20},
		{prefix: "xoxd-", kind: kindSlack, class: anyKey, min: 20},
		{prefix: "xoxe-", kind: kindSlack, class: url64, min: 20},
		{prefix: "xoxe.", kind: kindSlack, class: dotted, min: 20},
		{prefix: "xapp-", kind: kindSlack, class: url64, min: 20},
		{prefix: "hooks.slack.com/services/", kind: kindSlack, class: set(lower + upper + digits + "/"), min: 30},
		{prefix: "hooks.slack.com/workflows/", kind: kindSlack, class: set(lower + upper + digits + "/"), min: 30},
		{prefix: "sk_live_", kind: kindStripe, class: word, min: 20},
		{prefix: "sk_test_", kind: kindStripe, class: word, min: 20},
		{prefix: "rk_live_", kind: kindStripe, class: word, min: 20},
		{prefix: "rk_test_", kind: kindStripe, class: word, min: 20},
		{prefix: "whsec_", kind: kindStripe, class: anyKey, min: 24},
		{prefix: "sk-ant-", kind: kindAnthropic, class: url64, min: 24},
		{prefix: "sk-proj-", kind: kindOpenAI, class: url64, min: 24},
		{prefix: "sk-svcacct-", kind: kindOpenAI, class: url64, min: 24},
		{prefix: "sk-admin-", kind: kindOpenAI, class: url64, min: 24},
		{prefix: "sk-or-v1-", kind: kindAI, class: hexa, min: 40},
		{prefix: "sk-lf-", kind: kindAI, class: url64, min: 30},
		{prefix: "sk-", kind: kindOpenAI, class: alnum, min: 32},
		{prefix: "sess-", kind: kindOpenAI, class: alnum, min: 40},
		{prefix: "AIza", kind: kindGoogle, class: url64, min: 35, max: 35},
		{prefix: "GOCSPX-", kind: kindGoogle, class: url64, min: 28, max: 28},
		{prefix: "ya29.", kind: kindGoogle, class: dotted, min: 30},
		{prefix: "1//0", kind: kindGoogle, class: url64, min: 40},
		{prefix: "AccountKey=", kind: kindAzure, class: base64, min: 40},
		{prefix: "SharedAccessKey=", kind: kindAzure, class: base64, min: 40},
		{prefix: "npm_", kind: kindNPM, class: alnum, min: 36, max: 36},
		{prefix: "pypi-AgE", kind: kindPyPI, class: url64, min: 50},
		{prefix: "pypi-AgN", kind: kindPyPI, class: url64, min: 50},
		{prefix: "rubygems_", kind: kindRegistry, class: hexa, min: 48, max: 48},
		{prefix: "cio", kind: kindRegistry, class: alnum, min: 32, max: 32},
		{prefix: "oy2", kind: kindRegistry, class: lowNo, min: 43, max: 43}, // NuGet
		{prefix: "dckr_pat_", kind: kindRegistry, class: url64, min: 24},
		{prefix: "dckr_oat_", kind: kindRegistry, class: url64, min: 24},
		{prefix: "AKCp", kind: kindRegistry, class: alnum, min: 60}, // Artifactory
		{prefix: "CLOJARS_", kind: kindRegistry, class: lowNo, min: 60, max: 60},
		{prefix: "dop_v1_", kind: kindCloud, class: hexa, min: 64, max: 64},
		{prefix: "doo_v1_", kind: kindCloud, class: hexa, min: 64, max: 64},
		{prefix: "dor_v1_", kind: kindCloud, class: hexa, min: 64, max: 64},
		{prefix: "HRKU-", kind: kindCloud, class: url64, min: 36},
		{prefix: "LTAI", kind: kindCloud, class: alnum, min: 17, max: 20}, // Alibaba
		{prefix: "AKID", kind: kindCloud, class: alnum, min: 32, max: 32}, // Tencent
		{prefix: "dapi", kind: kindCloud, class: hexa, min: 32, max: 34},  // Databricks
		{prefix: "fm2_", kind: kindCloud, class: anyKey, min: 60},         // Fly
		{prefix: "fo1_", kind: kindCloud, class: url64, min: 40},
		{prefix: "nfp_", kind: kindCloud, class: alnum, min: 36}, // Netlify
		{prefix: "vcp_", kind: kindCloud, class: alnum, min: 24}, // Vercel
		{prefix: "sbp_", kind: kindCloud, class: hexa, min: 40},  // Supabase
		{prefix: "sb_secret_", kind: kindCloud, class: url64, min: 24},
		{prefix: "pscale_tkn_", kind: kindCloud, class: anyKey, min: 30},
		{prefix: "pscale_pw_", kind: kindCloud, class: anyKey, min: 30},
		{prefix: "pscale_oauth_", kind: kindCloud, class: anyKey, min: 30},
		{prefix: "napi_", kind: kindCloud, class: alnum, min: 60}, // Neon
		{prefix: "t1.", kind: kindCloud, class: dotted, min: 180}, // Yandex
		{prefix: "scw", kind: kindCloud, class: capsNo, min: 17, max: 17},
		{prefix: "tskey-", kind: kindCloud, class: url64, min: 24}, // Tailscale
		{prefix: "hf_", kind: kindAI, class: alnum, min: 34, max: 37, plain: true},
		{prefix: "api_org_", kind: kindAI, class: alnum, min: 34, max: 34, plain: true},
		{prefix: "r8_", kind: kindAI, class: alnum, min: 37, max: 37},
		{prefix: "gsk_", kind: kindAI, class: alnum, min: 48},
		{prefix: "xai-", kind: kindAI, class: alnum, min: 60},
		{prefix: "pplx-", kind: kindAI, class: alnum, min: 40},
		{prefix: "tvly-", kind: kindAI, class: url64, min: 24}, // Tavily
		{prefix: "nvapi-", kind: kindAI, class: url64, min: 50},
		{prefix: "fw_", kind: kindAI, class: alnum, min: 22, max: 24},
		{prefix: "csk-", kind: kindAI, class: alnum, min: 40},
		{prefix: "tgp_v1_", kind: kindAI, class: url64, min: 40},
		{prefix: "discord.com/api/webhooks/", kind: kindChat, class: set(lower + upper + digits + "_-/"), min: 60},
		{prefix: "discordapp.com/api/webhooks/", kind: kindChat, class: set(lower + upper + digits + "_-/"), min: 60},
		{prefix: "webhook.office.com/webhookb2/", kind: kindChat, class: set(lower + upper + digits + "_-/@"), min: 80},
		{prefix: "SG.", kind: kindMail, class: dotted, min: 60},
		{prefix: "key-", kind: kindMail, class: hexa, min: 32, max: 32},    // Mailgun
		{prefix: "xkeysib-", kind: kindMail, class: url64, min: 70},        // Brevo
		{prefix: "re_", kind: kindMail, class: word, min: 30, max: 40},     // Resend
		{prefix: "SK", kind: kindMail, class: hexa, min: 32, max: 32},      // Twilio
		{prefix: "ATATT3", kind: kindDev, class: anyKey, min: 60},          // Atlassian
		{prefix: "ATCTT3", kind: kindDev, class: anyKey, min: 60},          //
		{prefix: "ATBB", kind: kindDev, class: alnum, min: 32, max: 32},    // Bitbucket
		{prefix: "lin_api_", kind: kindDev, class: alnum, min: 32},         // Linear
		{prefix: "ntn_", kind: kindDev, class: alnum, min: 40},             // Notion
		{prefix: "secret_", kind: kindDev, class: alnum, min: 43, max: 43}, //
		{prefix: "figd_", kind: kindDev, class: url64, min: 36},            // Figma
		{prefix: "PMAK-", kind: kindDev, class: url64, min: 50},            // Postman
		{prefix: "CCIPAT_", kind: kindDev, class: word, min: 40},           // CircleCI
		{prefix: "bkua_", kind: kindDev, class: hexa, min: 40, max: 40},    // Buildkite
		{prefix: "sgp_", kind: kindDev, class: word, min: 40},              // Sourcegraph
		{prefix: "pat-na1-", kind: kindDev, class: lowNo_, min: 36},        // HubSpot
		{prefix: "CFPAT-", kind: kindDev, class: url64, min: 43},           // Contentful
		{prefix: "rdme_", kind: kindDev, class: alnum, min: 60},            // ReadMe
		{prefix: "tfp_", kind: kindDev, class: anyKey, min: 40},            // Typeform
		{prefix: "pnu_", kind: kindDev, class: alnum, min: 36, max: 36},    // Prefect
		{prefix: "pul-", kind: kindDev, class: hexa, min: 40, max: 40},     // Pulumi
		{prefix: "sk.eyJ", kind: kindDev, class: dotted, min: 60},          // Mapbox
		{prefix: "aio_", kind: kindDev, class: alnum, min: 28, max: 28},    // Adafruit
		{prefix: "squ_", kind: kindDev, class: hexa, min: 40, max: 40},     // SonarQube
		{prefix: "sqp_", kind: kindDev, class: hexa, min: 40, max: 40},     //
		{prefix: "sqa_", kind: kindDev, class: hexa, min: 40, max: 40},     //
		{prefix: "fio-u-", kind: kindDev, class: url64, min: 60},           // Frame.io
		{prefix: "EAAA", kind: kindShop, class: url64, min: 60, max: 60},   // Square
		{prefix: "sq0atp-", kind: kindShop, class: url64, min: 22},         //
		{prefix: "sq0csp-", kind: kindShop, class: url64, min: 43},         //
		{prefix: "shpat_", kind: kindShop, class: alnum, min: 32},          // Shopify
		{prefix: "shpca_", kind: kindShop, class: alnum, min: 32},          //
		{prefix: "shppa_", kind: kindShop, class: alnum, min: 32},          //
		{prefix: "shpss_", kind: kindShop, class: alnum, min: 32},          //
		{prefix: "access_token$production$", kind: kindShop, class: lowNo, min: 40},
		{prefix: "duffel_live_", kind: kindShop, class: anyKey, min: 40},
		{prefix: "EZAK", kind: kindShop, class: alnum, min: 54, max: 54}, // EasyPost
		{prefix: "FLWSECK", kind: kindShop, class: url64, min: 12},       // Flutterwave
		{prefix: "glsa_", kind: kindMonitoring, class: word, min: 40},    // Grafana
		{prefix: "glc_", kind: kindMonitoring, class: base64, min: 32},   //
		{prefix: "NRAK-", kind: kindMonitoring, class: capsNo, min: 27},  // New Relic
		{prefix: "NRJS-", kind: kindMonitoring, class: hexa, min: 19},    //
		{prefix: "sntrys_", kind: kindMonitoring, class: set(lower + upper + digits + "_+/=-"), min: 60},
		{prefix: "sntryu_", kind: kindMonitoring, class: hexa, min: 64},
		{prefix: "dt0c01.", kind: kindMonitoring, class: dotted, min: 60}, // Dynatrace
		{prefix: "hvs.", kind: kindVault, class: url64, min: 24},          // HashiCorp Vault
		{prefix: "hvb.", kind: kindVault, class: url64, min: 60},          //
		{prefix: "hvr.", kind: kindVault, class: url64, min: 24},          //
		{prefix: "ops_eyJ", kind: kindVault, class: base64, min: 100},     // 1Password
		{prefix: "A3-", kind: kindVault, class: set(upper + digits + "-"), min: 32, max: 36},
		{prefix: "dp.pt.", kind: kindVault, class: alnum, min: 40}, // Doppler
		{prefix: "dp.st.", kind: kindVault, class: dotted, min: 40},
		{prefix: "AGE-SECRET-KEY-1", kind: kindPrivateKey, class: capsNo, min: 58, max: 58},
	}
}}

// index finds rules by the two bytes they begin with.
type index struct {
	starts [1 << 16]uint8 // 0: no key begins so; else where in rules, from 1
	rules  [][]rule
}

func pair(s string) uint16 { return uint16(s[0])<<8 | uint16(s[1]) }

func newIndex() *index {
	x := &index{}
	at := func(begin string) *[]rule {
		p := pair(begin)
		if x.starts[p] == 0 {
			x.rules = append(x.rules, nil)
			x.starts[p] = uint8(len(x.rules)) // there are far fewer begins than 256
		}
		return &x.rules[x.starts[p]-1]
	}
	for _, r := range rules.Get() {
		of := at(r.prefix)
		*of = append(*of, r)
	}
	for _, begin := range []string{"ey", "Be", "be", "BE", "Ba", "ba", "pa"} {
		at(begin)
	}
	for _, first := range "MNO" { // a bot's number in base64
		for _, second := range "TDjzQ" {
			at(string(first) + string(second))
		}
	}
	return x
}

// of are the rules whose keys begin as t does.
func (x *index) of(t string) []rule {
	if n := x.starts[pair(t)]; n > 0 {
		return x.rules[n-1]
	}
	return nil
}

// match reads the key that s begins with and gives its length.
func (r *rule) match(s string) int {
	n := len(r.prefix)
	if !strings.HasPrefix(s, r.prefix) {
		return 0
	}
	for n < len(s) && r.class[s[n]] {
		n++
	}
	body := s[len(r.prefix):n]
	if r.max == 0 {
		body = strings.TrimRight(body, ".-_/") // the end of a sentence
	}
	if len(body) < r.min || r.max > 0 && len(body) > r.max {
		return 0
	}
	if r.max > 0 && len(r.prefix)+len(body) < len(s) && url64[s[len(r.prefix)+len(body)]] {
		return 0
	}
	digit, _, _ := classes(body)
	if !digit && !r.plain || example(body) || entropy(body) < 2.5 {
		return 0
	}
	return len(r.prefix) + len(body)
}
