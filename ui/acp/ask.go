package acp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"forge/tools"
	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Line is how a conversation reaches the person at the editor: it asks and tells. What
// is told while no prompt is worked on waits for the next one.
type Line struct {
	t *talk

	mu    sync.Mutex
	ready bool // the editor knows the conversation
	stale bool // it was told options that are not those of now
	held  []string
	now   *inQueue // the prompt that is worked on
	asked int
}

// opened notes that the editor knows the conversation.
func (l *Line) opened() {
	l.mu.Lock()
	stale := l.stale
	l.ready, l.stale = true, false
	l.mu.Unlock()
	if stale {
		l.OptionsChanged()
	}
}

// asking notes which prompt questions belong to.
func (l *Line) asking(q *inQueue) {
	if q != nil { // it has sent one
		l.opened()
	}
	l.mu.Lock()
	l.now = q
	held := l.held
	if q != nil {
		l.held = nil
	}
	l.mu.Unlock()
	if q != nil { // only now the editor surely listens
		for _, text := range held {
			l.t.tell.notice("info", text)
		}
	}
}

// Notice tells the person something.
func (l *Line) Notice(text string) {
	text = safe.Output(lang.Said(text))
	l.mu.Lock()
	waits := l.now == nil
	if waits {
		l.held = append(l.held, text)
	}
	l.mu.Unlock()
	if !waits {
		l.t.tell.notice("info", text)
	}
}

// Questions lets what is no permission be asked.
func (l *Line) Questions() tools.Asker { return questions{l} }

// errEarly is the error of a question before the editor knows the conversation.
var errEarly = errors.New("nobody is there to be asked yet")

// The options of a question.
const (
	allowOnce    = "allow-once"
	allowSession = "allow-session"
	allowRule    = "allow-rule"
	denied       = "deny"
)

// Ask implements permission.Asker. What would be kept is offered where the screen offers
// it, and so never for what is high or critical; each answer says what it would keep.
func (l *Line) Ask(ctx context.Context, r permission.Request) (permission.Answer, error) {
	if len(r.With) > 0 { // an editor shows one call at a time
		return permission.Answer{Alone: true}, nil
	}
	l.mu.Lock()
	ready := l.ready
	l.mu.Unlock()
	if !ready {
		return permission.Answer{}, errEarly
	}
	above := strings.Join(r.Effect.Under, "/")
	c, _ := l.t.tell.open(key(above, r.Call.ID))
	u := l.t.tell.started(r.Call.Name, r.Call.Input, r.Effect)
	u.Call, u.Status = c.id, "pending"
	title := u.Title
	u.Title = begun(risk(r.Level)) + lang.T(": ") + folded(safe.Prompt(lang.Title(r.Effect.Title)))
	u.Content = append([]callContent{text(inWords(r))}, l.t.tell.changes(r.Effect.Changes)...)
	options := offered(r)
	id, err := l.put(ctx, u, options)
	l.t.update(update{Kind: "tool_call_update", Call: c.id, Title: title}) // the risk was for the question
	if err != nil {
		return permission.Answer{}, err
	}
	switch id {
	case allowOnce:
		return permission.Answer{Allow: true, Scope: permission.ScopeOnce}, nil
	case allowSession:
		return permission.Answer{Allow: true, Scope: permission.ScopeSession}, nil
	case allowRule:
		return permission.Answer{Allow: true, Scope: permission.ScopeRule}, nil
	}
	return permission.Answer{}, nil
}

// offered are the answers there are. A change that holds two versions of a file can only
// be refused: it takes a review to settle it.
func offered(r permission.Request) []permissionOption {
	no := permissionOption{denied, lang.T("deny"), "reject_once"}
	if slices.ContainsFunc(r.Effect.Changes, func(c tools.Change) bool { return c.Conflicts > 0 }) {
		return []permissionOption{no}
	}
	out := []permissionOption{{allowOnce, lang.T("allow once"), "allow_once"}}
	if len(r.Grants) > 0 {
		var texts []string
		for _, g := range r.Grants {
			texts = append(texts, safe.Prompt(lang.Grant(g.Text)))
		}
		out = append(out, permissionOption{allowSession, lang.T("allow for this session: %s", strings.Join(texts, lang.T("; "))), "allow_always"})
		if len(r.Rules) > 0 {
			var rules []string
			for _, t := range r.Rules {
				rules = append(rules, safe.Prompt(t))
			}
			out = append(out, permissionOption{allowRule, lang.T("always allow, stored in %s: %s", safe.Prompt(r.StoredIn), strings.Join(rules, lang.T("; "))), "allow_always"})
		}
	}
	return append(out, no)
}

// folded is a text on one line.
func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

// begun is a text as the beginning of a line.
func begun(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
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

// inWords is what a person is to know of a call before they answer, whole, with
// characters that hide written out.
func inWords(r permission.Request) string {
	e := r.Effect
	var out []string
	add := func(line string) { out = append(out, line) }
	switch {
	case e.Agent != "" && e.Task != "":
		add(lang.T("the sub-agent %s asks; its task: %s", folded(safe.Prompt(e.Agent)), folded(safe.Prompt(e.Task))))
	case e.Agent != "":
		add(lang.T("the sub-agent %s asks", folded(safe.Prompt(e.Agent))))
	}
	if safe.Suspicious(strings.Join([]string{e.Command, e.Detail, e.Title}, "\n")) {
		add(lang.T("holds characters that hide or imitate: they are shown as <…>"))
	}
	for _, c := range r.Changed {
		add(lang.T("asked again: %s", safe.Prompt(lang.Said(c))))
	}
	for _, k := range r.Risks {
		add(lang.T("because: %s", safe.Prompt(lang.Said(k.Reason))))
	}
	if len(r.Parts) > 0 {
		add(lang.T("only this of it needs an answer: %s", safe.Prompt(strings.Join(r.Parts, lang.T("; ")))))
	}
	if e.Kind == tools.Exec && r.Cwd != "" {
		add(lang.T("in %s", safe.Prompt(r.Cwd)))
	}
	if e.Kind == tools.Exec && r.Sandbox != "" {
		add(lang.T("sandbox %s", lang.Said(r.Sandbox)))
	}
	if e.Escape != tools.Confined {
		add(lang.T("it would run %s", lang.T(string(e.Escape))))
	}
	if r.Rule != "" {
		add(lang.T("rule %s", safe.Prompt(lang.Said(r.Rule))))
	}
	for _, h := range e.Secrets {
		add(lang.T("it gets the real value of a secret: %s", safe.Prompt(h.Placeholder)))
	}
	if slices.ContainsFunc(e.Changes, func(c tools.Change) bool { return c.Conflicts > 0 }) {
		add(lang.T("it holds two versions of some lines and cannot be written as it is; settle it on forge's screen, or refuse it"))
	}
	body := e.Command
	if body == "" && len(e.Changes) == 0 {
		if body = e.Detail; body == "" {
			body = r.Call.Input
		}
	} else if e.Detail != "" {
		add(safe.Prompt(lang.Said(e.Detail)))
	}
	s := strings.Join(out, "\n\n")
	if body != "" {
		s = strings.TrimPrefix(s+"\n\n"+fenced(safe.Prompt(body)), "\n\n")
	}
	if s == "" {
		s = safe.Prompt(lang.Title(e.Title))
	}
	return s
}

// within ends a context with the prompt that is worked on, too: a question outlives
// nothing it belongs to. cancel cancels that prompt, if there is one.
func (l *Line) within(ctx context.Context) (_ context.Context, cancel func(), done func()) {
	l.mu.Lock()
	q := l.now
	l.mu.Unlock()
	ctx, stop := context.WithCancel(ctx)
	if q == nil {
		return ctx, func() {}, stop
	}
	undo := context.AfterFunc(q.ends, stop)
	return ctx, q.stop, func() { undo(); stop() }
}

// put puts a question and gives the option that was chosen; one that was not offered is a
// no. Where the editor says that the prompt is cancelled, it is.
func (l *Line) put(ctx context.Context, u update, options []permissionOption) (string, error) {
	ctx, cancel, done := l.within(ctx)
	defer done()
	var r permissionResult
	err := l.t.put(ctx, "session/request_permission", permissionParams{l.t.o.ID, u, options}, 0, &r)
	switch {
	case err != nil:
		return "", err
	case r.Outcome.Outcome == "cancelled":
		cancel()
		return "", context.Canceled
	}
	for _, o := range options {
		if r.Outcome.Outcome == "selected" && o.ID == r.Outcome.Option {
			return o.ID, nil
		}
	}
	return denied, nil
}

func (l *teller) end(c *call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.over = true
}
