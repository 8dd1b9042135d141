package ui

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"forge/agent"
	mine "forge/agent/command"
	"forge/ide"
	"forge/provider"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
	"forge/ui/terminal"
)

// runLines hands what the screen can do to the face that speaks in lines.
func runLines(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	l := &lines{o: o, gate: make(chan struct{}, 1), asks: map[*ask]any{}, stir: make(chan struct{}, 1)}
	defer func() {
		cancel()
		o.Feed.Close()
		select { // as for the screen: a run has its time to close down
		case l.gate <- struct{}{}:
		case <-time.After(quitWait):
		}
	}()
	if o.Started != nil {
		go guard(func() error { o.Started(ctx); return nil })
	}
	in, out := io.Reader(os.Stdin), o.out()
	if o.Terminal.Input != nil {
		in = o.Terminal.Input
	}
	opt := linear.Options{
		In: in, Out: out, Interrupts: o.Interrupts, Next: l.next, Send: func(v any) { o.Feed.send(v) }, Emit: o.Feed.Emit,
		Prompt: func(ctx context.Context, text string, sink agent.Sink) error {
			return l.hold(ctx, func() error { return o.Agent.Run(ctx, agent.Prompt{Text: text}, sink) })
		},
		Unsent: o.Agent.Unsent, Hello: l.hello(), First: o.Prompt, Commands: l.commands(), Remember: l.remember,
		Known: l.known, Near: func(name string) []string { return l.near(name, mine.Set{}) },
	}
	if f, ok := in.(*os.File); ok {
		opt.Hide = terminal.Hide(f)
	}
	if o.FromFiles != nil {
		opt.Filed, opt.FiledHelp = l.filed, l.filedHelp
	}
	if run := o.RunOwn; run != nil {
		opt.Own = func(ctx context.Context, command string, sink agent.Sink) error {
			return l.hold(ctx, func() error {
				return o.Agent.Shell(ctx, command, func(ctx context.Context, out io.Writer) (tools.Result, error) { return run(ctx, command, out) }, sink)
			})
		}
	}
	if o.Restore != nil {
		l.gate <- struct{}{} // before anything else uses the agent
		go func() {
			defer func() { <-l.gate }()
			if err := guard(l.restore); err != nil {
				o.Feed.send(failed{lang.T("open the conversation"), err})
			}
		}()
	}
	l.autoIDE(ctx)
	l.consent()
	err := linear.Run(ctx, opt)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// lines joins the feed and the options of the screen to ui/linear.
type lines struct {
	o    Options       // its Model is the one in use
	gate chan struct{} // held by whoever uses the agent
	asks map[*ask]any  // what was made of open questions; touched by next alone
	stir chan struct{} // a server's state is another
	crew lineCrew
	said atomic.Pointer[string] // the last prompt

	wasIDE ide.State // of the editor; touched by next alone
}

// hold does something with the agent, one at a time.
func (l *lines) hold(ctx context.Context, f func() error) error {
	select {
	case l.gate <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.gate }()
	return f()
}

// next translates what the feed brings. What is for the screen alone is left out.
func (l *lines) next() []any {
	b, ok := l.o.Feed.Next().(batch)
	if !ok {
		return nil
	}
	out := []any{}
	for _, v := range b {
		switch v := v.(type) {
		case *ask:
			out = append(out, l.question(v))
		case withdrawn:
			if q, open := l.asks[v.ask]; open {
				l.crew.asks(v.ask, -1)
				out = append(out, linear.Withdrawn{Question: q})
				delete(l.asks, v.ask)
			}
		case notice:
			out = append(out, linear.Said(v.text))
		case failed:
			out = append(out, linear.Said(strings.TrimPrefix(v.what+": "+oneLine(v.err), ": ")))
		case ideChanged:
			if text := l.ideMoved(); text != "" {
				out = append(out, linear.Said(text))
			}
		case ideNamed:
			out = append(out, linear.Said(lang.T("sent from the editor: %s", v.text)))
		case goalIs: // its changes are told in words
		case serversChanged:
			l.o.Feed.stirred.Store(false)
			select {
			case l.stir <- struct{}{}:
			default:
			}
		default:
			if e, ok := v.(agent.Event); ok {
				l.crew.take(e)
			}
			out = append(out, v)
		}
	}
	return out
}

func (l *lines) question(q *ask) any {
	var made any
	if q.question != nil {
		made = &linear.Asked{Question: *q.question, Reply: func(r tools.Reply) { q.reply <- r }}
	} else {
		made = &linear.Permission{Request: *q.request, Reply: func(a permission.Answer) {
			l.crew.asks(q, -1)
			q.answer <- a
		}, First: func(do func()) { q.first = do }, Show: l.show(), Counts: l.counts()}
	}
	l.asks[q] = made
	l.crew.asks(q, 1)
	return made
}

func (l *lines) hello() []string {
	o := l.o
	out := []string{lang.T("forge %s in %s", safe.Line(o.Version), safe.Line(o.Cwd))}
	if o.FirstRun != nil {
		out = append(out, lang.T("no model can be reached: give one with --provider and --model, or a key in the environment; /key pastes one"))
	} else if o.Model.ID != "" {
		out = append(out, lang.T("model %s", safe.Line(o.Model.ID)))
	}
	out = append(out, lang.T("mode %s", modeName(o.Mode)))
	switch {
	case o.Sandbox == "":
	case o.Network:
		out = append(out, lang.T("sandbox %s", safe.Line(o.Sandbox))+", "+lang.T("network open"))
	default:
		out = append(out, lang.T("sandbox %s", safe.Line(o.Sandbox)))
	}
	return append(out, lang.T("/help says what there is; ctrl+d leaves"))
}

// consent asks about yolo before anything runs, as the screen does.
func (l *lines) consent() {
	if l.o.Yolo {
		go guard(func() error {
			r, err := l.o.Feed.AskQuestion(context.Background(), yoloQuestion(lang.T("/mode leaves it.")))
			if err == nil && r.Choice == "yolo" {
				l.o.SetMode(permission.ModeYolo)
			}
			return err
		})
	}
}

// restore opens the conversation to begin with and says where it stands.
func (l *lines) restore() error {
	if err := l.o.Restore(); err != nil {
		return err
	}
	l.retell()
	return nil
}

// retell says the last prompt and the last answer: a whole conversation read aloud
// would help nobody.
func (l *lines) retell() {
	var prompt string
	var answer strings.Builder
	var left []agent.Event
	prompts := 0
	l.o.Agent.Replay(func(e agent.Event) {
		switch e := e.(type) {
		case agent.UserMessage:
			prompts++
			prompt = cmp.Or(e.Line, e.Text)
			answer.Reset()
		case agent.TurnStart:
			answer.Reset()
		case agent.TextDelta:
			answer.WriteString(e.Text)
		case agent.Unfinished:
			left = append(left, e)
		}
	})
	l.o.Feed.Notice(lang.Count(prompts, "this conversation has 1 prompt", "this conversation has %d prompts"))
	if prompt != "" {
		l.o.Feed.Notice(lang.T("the last one: %s", prompt))
	}
	if _, text, _ := provider.SplitThink(answer.String()); strings.TrimSpace(text) != "" {
		l.o.Feed.Notice(lang.T("the last answer: %s", strings.TrimSpace(text)))
	}
	for _, e := range left {
		l.o.Feed.Emit(e)
	}
}

func (l *lines) resume(_ context.Context, id string, _ func(string)) (*linear.Choice, error) {
	open := func(id string) error {
		if err := l.o.Resume(id); err != nil {
			return err
		}
		l.retell()
		return nil
	}
	all, err := l.o.Sessions()
	if err != nil {
		return nil, err
	}
	if id != "" {
		if one := sessionOf(all, id); one != "" {
			return nil, open(one)
		}
		about := sessionsAbout(all, id)
		if len(about) == 0 {
			return nil, errors.New(lang.T("no conversation is about %s", safe.Line(id)))
		}
		all = about
	}
	if len(all) == 0 {
		return nil, errors.New(lang.T("there is no earlier conversation"))
	}
	const most = 20
	all = all[:min(len(all), most)]
	c := &linear.Choice{Title: lang.T("Continue a conversation")}
	for _, s := range all {
		c.Entries = append(c.Entries, strings.TrimSuffix(s.Title+", "+ago(time.Since(s.When))+", "+s.Note, ", "))
	}
	c.Pick = func(ctx context.Context, i int, _ func(string)) error {
		return l.hold(ctx, func() error { return open(all[i].ID) })
	}
	return c, nil
}

func (l *lines) model(ctx context.Context, want string, say func(string)) (*linear.Choice, error) {
	all, err := l.o.Models(ctx)
	if err != nil && len(all) == 0 {
		return nil, err
	}
	take := func(c ModelChoice, say func(string)) error {
		m, err := l.o.SetModel(c, provider.EffortDefault)
		if err == nil {
			l.o.Model = m
			say(lang.T("now with %s", safe.Line(m.ID)))
		}
		return err
	}
	var fit []ModelChoice
	for _, c := range all {
		if want != "" && (c.Model.ID == want || c.label() == want) {
			return nil, take(c, say)
		}
		if strings.Contains(strings.ToLower(c.label()), strings.ToLower(want)) {
			fit = append(fit, c)
		}
	}
	switch {
	case len(fit) == 0:
		return nil, errors.New(lang.T("no model %s; /model lists them", safe.Line(want)))
	case len(fit) == 1 && want != "":
		return nil, take(fit[0], say)
	}
	c := &linear.Choice{Title: lang.T("Choose a model")}
	for _, m := range fit {
		c.Entries = append(c.Entries, m.label()+", "+m.Note)
	}
	c.Pick = func(ctx context.Context, i int, say func(string)) error {
		return l.hold(ctx, func() error { return take(fit[i], say) })
	}
	return c, nil
}

func (l *lines) mode(ctx context.Context, want string, say func(string)) (*linear.Choice, error) {
	all := modes()
	take := func(ctx context.Context, m permission.Mode, say func(string)) error {
		if m == permission.ModeYolo && l.o.yoloAllowed() {
			r, err := l.o.Feed.AskQuestion(ctx, yoloQuestion(lang.T("/mode leaves it.")))
			if err != nil || r.Choice != "yolo" {
				return err
			}
		}
		l.o.SetMode(m)
		if l.o.InForce != nil && l.o.InForce() != m {
			m = l.o.InForce()
			say(lang.T("a policy of this machine allows no laxer mode than %s", string(m)))
		}
		say(lang.T("mode %s", modeName(m)))
		return nil
	}
	for _, m := range all {
		if m == want {
			return nil, take(ctx, permission.Mode(m), say)
		}
	}
	if want != "" {
		return nil, errors.New(lang.T("no mode %s; there are %s", safe.Line(want), strings.Join(all, ", ")))
	}
	return &linear.Choice{Title: lang.T("How much runs without a question"), Entries: all,
		Pick: func(ctx context.Context, i int, say func(string)) error {
			return take(ctx, permission.Mode(all[i]), say)
		}}, nil
}

func (l *lines) diff(ctx context.Context, arg string, say func(string)) (*linear.Choice, error) {
	text, err := "", error(nil)
	if arg != "" && strings.HasPrefix("session", arg) && l.o.SessionDiff != nil || l.o.GitDiff == nil {
		text = l.o.SessionDiff()
	} else {
		text, err = l.o.GitDiff(ctx)
	}
	if err != nil && arg == "" && l.o.SessionDiff != nil { // what forge changed is known all the same
		if own := strings.TrimSpace(l.o.SessionDiff()); own != "" {
			say(lang.Said(err.Error()) + lang.T("; ") + lang.T("Changes of this conversation"))
			text, err = own, nil
		}
	}
	if err == nil && strings.TrimSpace(text) == "" {
		text = lang.T("nothing has changed")
	}
	if err == nil {
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		for i := range lines {
			lines[i] = patchLine(lines[i])
		}
		say(strings.Join(lines, "\n"))
	}
	return nil, err
}

// takeback plans an undo and asks before it is done.
func (l *lines) takeback(what string) func(context.Context, string, func(string)) (*linear.Choice, error) {
	return func(_ context.Context, arg string, say func(string)) (*linear.Choice, error) {
		if what == "" && arg != "" && strings.HasPrefix("turn", arg) {
			arg = "turn"
		} else {
			arg = what
		}
		t, err := l.o.Undo(arg)
		if err != nil {
			return nil, err
		}
		if t == nil {
			say(lang.T("there is nothing to take back"))
			return nil, nil
		}
		for _, f := range t.Files {
			say(takebackLine(f))
		}
		title := lang.T("take this back?")
		if t.Redo {
			title = lang.T("bring this again?")
		}
		return &linear.Choice{Title: title, Entries: []string{lang.T("yes")}, Pick: func(ctx context.Context, _ int, say func(string)) error {
			return l.hold(ctx, func() error {
				changed, kept, err := t.Apply()
				if err == nil {
					say(t.Said(changed, kept))
				}
				return err
			})
		}}, nil
	}
}

func takebackLine(f TakebackFile) string {
	line := map[TakebackDo]string{
		TakebackRestore: lang.T("is restored"), TakebackRemove: lang.T("is removed"), TakebackMerge: lang.T("is restored, later edits are kept"),
		TakebackMode: lang.T("gets its mode again"), TakebackKeep: lang.T("stays as it is"),
	}[f.Do]
	if f.Why != "" {
		line += lang.T(", ") + lang.Said(f.Why)
	}
	return f.Path + lang.T(": ") + line
}
