package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"forge/agent"
	"forge/agent/session"
	"forge/tools/hook"
	"forge/ui/lang"
	"forge/ui/safe"
)

// moment tells the hooks of a moment of a run. It implements agent.Options.Moment.
func (f *forge) moment(ctx context.Context, m agent.Moment) agent.Word {
	if err := f.hooks.seek(ctx); err != nil {
		return agent.Word{Block: err.Error()}
	}
	set := f.hooks.set
	switch m.Kind {
	case agent.Prompted:
		return agent.Word(set.Prompt(ctx, m.Text))
	case agent.Shortening:
		return agent.Word(set.Compact(ctx, m.Auto, m.Tokens))
	case agent.Resting:
		return agent.Word(set.Rest(ctx, m.Again, m.Text, m.Agent, recordOf(m.Session)))
	}
	return agent.Word{}
}

// wakeHooks looks for hooks and begins the conversation. Where some wait for trust, it
// begins once that was asked.
func (f *forge) wakeHooks(asked bool) {
	f.findHooks()
	f.hooks.mu.Lock()
	started := f.hooks.started
	f.hooks.mu.Unlock()
	if !started && (asked || !f.hooks.set.Waiting()) {
		f.converse("startup", nil)
	}
}

// converse runs the hooks of a conversation's begin beside everything else; what they say
// to the model waits for the first prompt. source is "startup" once forge is ready, and
// then what the conversation was changed for; was is the one that was left for it.
func (f *forge) converse(source string, was *session.Session) {
	h := f.hooks
	if h == nil {
		return
	}
	if source != "startup" { // the one there is was changed here and now
		now := recordOf(f.agent.Session())
		h.now.Store(&now)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var before chan struct{}
	begun := h.begun
	switch {
	case h.left:
		return
	case source == "startup":
		h.started = true
		source = cmp.Or(h.source, source)
	case !h.started: // its hooks are still to come
		if source == "resume" {
			h.source = source
		}
		return
	default:
		before, begun = h.begun, make(chan struct{})
		h.begun, h.context = begun, ""
	}
	if !h.set.Has(hook.SessionStart) && !h.set.Has(hook.SessionEnd) {
		close(begun)
		return
	}
	old := recordOf(was)
	_, model := f.answering()
	go sheltered(func() {
		defer close(begun)
		if before != nil {
			<-before
			f.relay(h.set.Ended(context.Background(), source, old).Notes)
		}
		w := h.set.Started(context.Background(), source, model.ID)
		f.relay(w.Notes)
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.begun == begun {
			h.context = w.Context
		}
	})
}

// relay tells the person what hooks have to say.
func (f *forge) relay(notes []string) {
	for _, n := range notes {
		f.warn(f.masked(n))
	}
}

// awaitHooks is what a run waits for before its first model call.
func (f *forge) awaitHooks(ctx context.Context, say func(string)) {
	h := f.hooks
	h.mu.Lock()
	begun := h.begun
	h.mu.Unlock()
	select {
	case <-begun:
		return
	default:
	}
	say(lang.T("waiting for your hooks"))
	select {
	case <-begun:
	case <-ctx.Done():
	}
}

// hookContext is what the hooks of a conversation's begin say to the model, once.
func (f *forge) hookContext() []agent.Attachment {
	h := f.hooks
	h.mu.Lock()
	defer h.mu.Unlock()
	text := h.context
	if h.context = ""; text == "" {
		return nil
	}
	return []agent.Attachment{agent.Hooked(text)}
}

// notify tells hooks that the person is asked something.
func (f *forge) notify(kind, title, message string) {
	if f.hooks != nil {
		f.hooks.set.Notified(kind, title, message, func(w hook.Word) { f.relay(w.Notes) })
	}
}

// leaveHooks runs the hooks of the end, and ends what still runs.
func (f *forge) leaveHooks() {
	h := f.hooks
	h.mu.Lock()
	h.left = true
	started := h.started
	h.mu.Unlock()
	if f.current() != f { // the screen goes on
		if started && h.set.Has(hook.SessionEnd) {
			f.relay(h.set.Ended(context.Background(), "other", recordOf(f.passed)).Notes)
		}
		h.set.Close()
		return
	}
	if started && h.set.Has(hook.SessionEnd) {
		late := time.AfterFunc(time.Second, func() { fmt.Fprintln(os.Stderr, "forge: "+lang.T("waiting for your hooks")) })
		defer late.Stop()
		reason := "prompt_input_exit"
		if f.flags.Headless {
			reason = "other"
		}
		// Whoever presses ctrl+c once more does not want to wait for them.
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		for _, n := range h.set.Ended(ctx, reason, recordOf(f.agent.Session())).Notes {
			fmt.Fprintln(os.Stderr, "forge: "+safe.Output(lang.Said(f.masked(n))))
		}
	}
	h.set.Close()
}
