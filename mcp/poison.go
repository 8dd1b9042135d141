package mcp

import (
	"fmt"
	"strings"

	"forge/lazy"
)

// suspicious are words that do not describe a tool but give orders to the model, or
// reach for what is nobody's business. They are signs, no proofs: a finding is shown
// to the person, and nothing else follows from it.
var suspicious = []struct {
	what string
	re   *lazy.Regexp
}{
	{"orders to ignore other instructions", &lazy.Regexp{Expr: `(?i)\b(ignore|disregard|forget|override)\b.{0,30}\b(previous|prior|above|other|earlier|system|all)\b.{0,30}\b(instructions?|prompts?|rules?|messages?)\b`}},
	{"wants something kept from the user", &lazy.Regexp{Expr: `(?i)\b(do not|don't|never|without)\b.{0,20}\b(tell(ing)?|mention(ing)?|inform(ing)?|reveal(ing)?|notify(ing)?|show(ing)?)\b.{0,30}\b(user|human|person|anyone|this)\b`}},
	{"addresses the model with a tag", &lazy.Regexp{Expr: `(?i)<\s*/?\s*(important|system|instructions?|secret|hidden|assistant|admin)\s*>|\[(system|inst)\]`}},
	{"orders other calls first", &lazy.Regexp{Expr: `(?i)\b(before|prior to|after)\s+(using|calling|invoking|running)\s+(this|any|other|the)\b.{0,60}\b(must|always|first|read|send|call)\b`}},
	{"hides text in a comment", &lazy.Regexp{Expr: `<!--`}},
	{"names places where secrets lie", &lazy.Regexp{Expr: `(?i)(~|\$HOME|/home/\w+|/root|/Users/\w+)?/\.(ssh|aws|gnupg|kube|docker|netrc|npmrc|pypirc|config/gcloud)\b|\bid_(rsa|ed25519|ecdsa)\b|/etc/(passwd|shadow)|\bmcp\.json\b|(^|[\s"'/])\.env\b`}},
	{"wants data sent along", &lazy.Regexp{Expr: `(?i)\b(pass|send|include|append|forward|exfiltrate)\b.{0,40}\b(api[ _-]?keys?|credentials?|passwords?|tokens?|secrets?|private keys?|conversation|system prompt)\b`}},
}

// scan tells what is suspicious in a definition, in words for a person.
func scan(t RemoteTool) []string {
	text := t.Title + "\n" + t.Description + "\n" + t.Hints.Title + "\n" + string(t.Input) + "\n" + string(t.Output)
	var out []string
	if hidden(text) || hidden(string(t.Input)) {
		out = append(out, "has invisible letters; they are taken out")
	}
	return append(out, scanText(text)...)
}

func scanText(text string) []string {
	text = clean(text)
	var out []string
	for _, s := range suspicious {
		if m := s.re.Get().FindString(text); m != "" {
			out = append(out, fmt.Sprintf("%s: %q", s.what, clip(strings.Join(strings.Fields(m), " "), 80)))
		}
	}
	return out
}

// scanAll looks at the descriptions of a whole server put together, since an order
// may be spread over several of them. What one alone shows is left out.
func scanAll(ts []RemoteTool) []string {
	var all []string
	single := map[string]bool{}
	for _, t := range ts {
		all = append(all, strings.TrimSpace(t.Description))
		for _, f := range scanText(t.Description) {
			what, _, _ := strings.Cut(f, ": ")
			single[what] = true
		}
	}
	var out []string
	for _, f := range scanText(strings.Join(all, " ")) {
		if what, _, _ := strings.Cut(f, ": "); !single[what] {
			out = append(out, "its descriptions together: "+f)
		}
	}
	return out
}
