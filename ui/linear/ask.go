package linear

import (
	"fmt"
	"strconv"
	"strings"

	"forge/tools"
	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/safe"
)

// page is how many lines of what is to be approved are said at a time. Only when the
// last one was said can it be allowed.
const page = 100

// ask puts a permission question. As on the full screen nothing allows by accident: an
// empty line, a word that means nothing here and a line typed ahead never do, and what
// would run or be written is said whole, hidden characters by name.
type ask struct {
	p     *Permission
	body  []string
	files []file
	at    int // lines of body that were said
	halt  func()

	send   func(shown)    // to the loop
	closed func()         // closes what the editor shows of it; nil: it shows nothing
	shows  int            // how often it was shown there
	edited []tools.Change // what became of it there, in the place of what was proposed
}

func newAsk(p *Permission) *ask {
	a := &ask{p: p}
	e := p.Request.Effect
	if len(e.Changes) > 0 {
		a.say()
		return a
	}
	text := e.Command
	switch {
	case text == "" && e.Detail != "":
		text = e.Detail
	case text == "":
		text = p.Request.Call.Input
	}
	a.body = strings.Split(safe.Prompt(text), "\n")
	return a
}

func (a *ask) key() any { return a.p }

func (a *ask) cancel() {
	a.shut()
	a.all(permission.Answer{Reason: "the screen was closed", Unattended: true})
}

// risk is the level in words.
func risk(l permission.Level) string {
	switch l {
	case permission.Low:
		return lang.T("low risk")
	case permission.Medium:
		return lang.T("medium risk")
	case permission.High:
		return lang.T("high risk")
	}
	return lang.T("critical risk")
}

func (a *ask) lines() []string {
	r := a.p.Request
	out := []string{lang.T("question, %s: may this run? %s", risk(r.Level), a.title())}
	if r.Effect.Agent != "" && r.Effect.Task != "" {
		out = append(out, lang.T("the sub-agent %s asks; its task: %s", safe.Prompt(r.Effect.Agent), safe.Prompt(r.Effect.Task)))
	} else if r.Effect.Agent != "" {
		out = append(out, lang.T("the sub-agent %s asks", safe.Prompt(r.Effect.Agent)))
	}
	if safe.Suspicious(strings.Join(append([]string{r.Effect.Command, r.Effect.Detail}, r.Effect.Title), "\n")) {
		out = append(out, lang.T("holds characters that hide or imitate: they are shown as <…>"))
	}
	for _, c := range r.Changed {
		out = append(out, lang.T("asked again: %s", safe.Prompt(lang.Said(c))))
	}
	for _, k := range r.Risks {
		out = append(out, lang.T("because: %s", safe.Prompt(lang.Said(k.Reason))))
	}
	if len(r.Parts) > 0 {
		out = append(out, lang.T("only this of it needs an answer: %s", safe.Prompt(strings.Join(r.Parts, lang.T("; ")))))
	}
	if r.Effect.Kind == tools.Exec && r.Cwd != "" {
		out = append(out, lang.T("in %s", safe.Prompt(r.Cwd)))
	}
	if r.Effect.Kind == tools.Exec && r.Sandbox != "" {
		out = append(out, lang.T("sandbox %s", lang.Said(r.Sandbox)))
	}
	if r.Effect.Escape != tools.Confined {
		out = append(out, lang.T("it would run %s", lang.T(string(r.Effect.Escape))))
	}
	switch {
	case r.Effect.Said.Ask:
		out = append(out, lang.T("asked for by %s", safe.Prompt(r.Effect.Said.String())))
	case r.Rule != "":
		out = append(out, lang.T("rule %s", safe.Prompt(lang.Said(r.Rule))))
	}
	if r.Effect.Detail != "" && (len(a.files) > 0 || r.Effect.Kind == tools.Exec && r.Effect.Escape == tools.Confined) {
		out = append(out, safe.Prompt(lang.Said(r.Effect.Detail)))
	}
	a.at = 0
	return append(append(out, a.more()...), a.answers()...)
}

// more is the next page of what is to be approved.
func (a *ask) more() []string {
	from := a.at
	a.at = min(len(a.body), from+page)
	out := append([]string(nil), a.body[from:a.at]...)
	if left := len(a.body) - a.at; left > 0 {
		out = append(out, lang.Count(left, "1 line more; enter says on, and only then can it be allowed", "%d lines more; enter says on, and only then can it be allowed"))
	}
	return out
}

func (a *ask) whole() bool { return a.at >= len(a.body) }

func (a *ask) clash() bool {
	for _, f := range a.files {
		if f.change.Conflicts > 0 {
			return true
		}
	}
	return false
}

// answers says which words there are.
func (a *ask) answers() []string {
	if !a.whole() {
		return nil
	}
	r := a.p.Request
	if a.clash() {
		return []string{lang.T("it holds two versions of some lines and cannot be written as it is; answer n, n and a reason, or stop")}
	}
	out := []string{lang.T("answer y to allow once, n to deny, n and a reason to tell the model why, stop to deny and stop the run")}
	if texts := a.grants(); len(texts) > 0 {
		out = append(out, lang.T("or s to allow for this session: %s", strings.Join(texts, lang.T("; "))))
		if len(r.Rules) > 0 {
			var rules []string
			for _, t := range r.Rules {
				rules = append(rules, safe.Prompt(t))
			}
			out = append(out, lang.T("or rule to allow always, stored in %s: %s", safe.Prompt(r.StoredIn), strings.Join(rules, "; ")))
		}
	}
	if n := hunks(a.files); n > 1 {
		out = append(out, lang.T("or only and numbers to allow some changes: only 1 3"))
	}
	if a.editable() {
		out = append(out, lang.T("or editor, to see it in the connected editor's diff and answer there"))
	}
	if len(r.With) > 0 {
		out = append(out, lang.T("or each, to be asked about every one by itself"))
	}
	return out
}

// grants is what a yes may be for beside this once; what was edited in the editor is
// allowed for itself.
func (a *ask) grants() (texts []string) {
	if a.edited != nil {
		return nil
	}
	for _, g := range a.p.Request.Grants {
		texts = append(texts, safe.Prompt(lang.Grant(g.Text)))
	}
	return texts
}

// word is the first word of an answer, in small letters, and what follows it.
func word(line string) (first, rest string) {
	line = strings.TrimSpace(line)
	i := strings.IndexAny(line, " ,:，：")
	if i < 0 {
		return strings.ToLower(line), ""
	}
	return strings.ToLower(line[:i]), strings.TrimLeft(line[i:], " ,:，：")
}

func (a *ask) answer(line string) (over, stop bool, say []string) {
	r := a.p.Request
	first, rest := word(line)
	switch first {
	case "":
		if !a.whole() {
			return false, false, append(a.more(), a.answers()...)
		}
		return false, false, a.answers()
	case "n", "no", "deny", "否", "不", "拒绝":
		a.all(permission.Answer{Reason: rest})
		return true, false, []string{lang.T("denied")}
	case "stop", "停", "停止":
		if a.p.First != nil && a.halt != nil {
			a.p.First(a.halt)
		}
		a.all(permission.Answer{Reason: rest})
		return true, true, []string{lang.T("denied")}
	}
	if (first == "editor" || first == "编辑器") && rest == "" && a.editable() {
		return false, false, a.abroad()
	}
	answer := permission.Answer{Allow: true, Scope: permission.ScopeOnce}
	done := lang.T("allowed once")
	switch first {
	case "y", "yes", "allow", "是", "允许":
	case "s", "session", "本次":
		if len(a.grants()) == 0 {
			return false, false, a.unknown()
		}
		answer.Scope, done = permission.ScopeSession, lang.T("allowed for this session")
	case "rule", "p", "规则":
		if len(a.grants()) == 0 || len(r.Rules) == 0 {
			return false, false, a.unknown()
		}
		answer.Scope, done = permission.ScopeRule, lang.T("allowed, as a rule")
	case "only", "仅":
		return a.some(rest)
	case "each", "逐处":
		if len(r.With) == 0 || rest != "" {
			return false, false, a.unknown()
		}
		a.p.Reply(permission.Answer{Alone: true})
		return true, false, []string{lang.T("each is asked about by itself")}
	default:
		return false, false, a.unknown()
	}
	switch {
	case rest != "": // a sentence that begins with yes is no yes
		return false, false, a.unknown()
	case !a.whole():
		return false, false, []string{lang.T("not all of it was said: press enter for more")}
	case a.clash():
		return false, false, a.answers()
	}
	a.all(answer)
	return true, false, []string{done}
}

func (a *ask) unknown() []string {
	return append([]string{lang.T("this is none of the answers")}, a.answers()...)
}

// some allows the changes with these numbers.
func (a *ask) some(rest string) (over, stop bool, say []string) {
	n := hunks(a.files)
	if n < 2 || !a.whole() || a.clash() {
		return false, false, a.unknown()
	}
	keep := map[int]bool{}
	for _, s := range strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' || r == '，' || r == '、' }) {
		i, err := strconv.Atoi(s)
		if err != nil || i < 1 || i > n {
			return false, false, []string{lang.T("there are changes 1 to %d", n)}
		}
		keep[i] = true
	}
	if len(keep) == 0 {
		return false, false, []string{lang.T("there are changes 1 to %d", n)}
	}
	answer := permission.Answer{Allow: true, Scope: permission.ScopeOnce}
	switch {
	case len(keep) == n:
		a.all(answer)
	case len(a.p.Request.With) > 0:
		answer, err := a.each(keep)
		if err != nil {
			return false, false, []string{errorLine(err)}
		}
		a.p.Reply(answer)
	default:
		changes, err := part(a.files, keep)
		if err != nil {
			return false, false, []string{errorLine(err)}
		}
		answer.Changes = changes
		a.p.Reply(answer)
	}
	return true, false, []string{lang.T("allowed once, %s of the changes", fmt.Sprintf("%d/%d", len(keep), n))}
}
