package demo

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/provider"
)

// defaultClosing is said when a script is over and names no words of its own.
const defaultClosing = "That was the whole script: I am a demo and have nothing more to say. Start forge with a key (DEEPSEEK_API_KEY, ANTHROPIC_API_KEY, OPENAI_API_KEY) or beside a local server to talk to a real model."

// defaultAside answers a request without tools where the script has no aside and
// its turn would call one.
const defaultAside = "Summary: the user is trying out the scripted demo of forge; the files it looked at and changed are in the workspace."

// defaultBeside answers a question beside the work where the script has no aside.
const defaultBeside = "I am a scripted demo: a real model would answer this from the conversation so far, while the work goes on."

// play makes the beats of the turn that answers v.
func (p *player) play(v conversation) []beat {
	t := p.turn(v)
	steps := t.steps
	for _, b := range t.branches {
		if b.when != nil {
			if ok, _ := b.when.holds(v); !ok {
				continue
			}
		}
		groups := b.when.groups(v)
		steps = steps[:len(steps):len(steps)]
		for _, st := range b.steps {
			steps = append(steps, st.filled(groups))
		}
		break
	}
	if len(steps) == 0 && len(t.branches) > 0 && t.stop == provider.StopNone {
		return []beat{{err: strayed(fmt.Sprintf("script line %d: no when of this turn holds, and it has no otherwise", t.line))}}
	}
	w := writer{player: p, v: v, index: -1}
	for _, st := range steps {
		if w.step(st) {
			return w.beats
		}
	}
	return append(w.beats, beat{event: w.stop(t.stop)})
}

// strayed is the error of a conversation the script has no words for.
func strayed(what string) *provider.Error {
	return &provider.Error{Kind: provider.KindInvalid, Status: 400, Code: "expect", NoRetry: true, Message: what, Hint: "the conversation left the script"}
}

// turn picks the turn by position.
func (p *player) turn(v conversation) turn {
	words := func(s string) turn { return turn{steps: []step{{kind: "text", words: s}}} }
	turns := p.script.turns
	if v.agent != "" {
		turns = p.script.agents[v.agent]
		if len(turns) == 0 {
			return words("I am the sub-agent " + v.agent + ", and this script has no words for me.")
		}
	}
	if strings.Contains(v.user, besideLine) {
		if p.script.aside != nil {
			return *p.script.aside
		}
		return words(defaultBeside)
	}
	for i, t := range turns {
		if t.loop && v.replies >= i && len(v.tools) > 0 {
			return t
		}
	}
	over := v.replies >= len(turns)
	if len(v.tools) == 0 {
		switch {
		case p.script.aside != nil:
			return *p.script.aside
		case !over && turns[v.replies].calls():
			return words(defaultAside)
		}
	}
	if over {
		if v.agent != "" {
			return words("I have reported all I had to say.")
		}
		if p.script.Closing != "" {
			return words(p.script.Closing)
		}
		return words(defaultClosing)
	}
	return turns[v.replies]
}

func (t turn) calls() bool {
	for _, st := range t.steps {
		if st.kind == "call" {
			return true
		}
	}
	for _, b := range t.branches {
		for _, st := range b.steps {
			if st.kind == "call" {
				return true
			}
		}
	}
	return false
}

// writer turns steps into beats and keeps count.
type writer struct {
	*player
	v     conversation
	beats []beat

	index    int    // of the open block
	open     string // its kind: think, text or ""
	calls    int
	thought  strings.Builder
	said     strings.Builder
	override map[string]int
}

// step adds the beats of one step; ended says that nothing comes after.
func (w *writer) step(st step) (ended bool) {
	switch st.kind {
	case "expect":
		if ok, found := st.expect.holds(w.v); !ok {
			w.beats = append(w.beats, beat{err: strayed(fmt.Sprintf("script line %d expects %s: %s", st.line, st.expect, found))})
			return true
		}
	case "pause":
		w.beats = append(w.beats, beat{pause: st.pause, forever: st.always})
		return st.always
	case "usage":
		w.override = st.usage
	case "error":
		return w.fail(st)
	case "think":
		w.words("think", st.words, &w.thought, func(i int, s string) provider.Event { return provider.ThinkingDelta{Index: i, Text: s} })
	case "text":
		w.words("text", st.words, &w.said, func(i int, s string) provider.Event { return provider.TextDelta{Index: i, Text: s} })
	case "call":
		w.index++
		w.open = ""
		id := fmt.Sprintf("demo_%08x_%d", uint32(w.v.id), w.calls)
		w.calls++
		w.said.WriteString(st.name + canonical(st.words))
		w.beats = append(w.beats, beat{words: 1, event: provider.ToolUseStart{Index: w.index, ID: id, WireID: id, Name: st.name}})
		for _, piece := range pieces(st.words) {
			w.beats = append(w.beats, beat{words: 1, event: provider.ToolUseDelta{Index: w.index, JSON: piece}})
		}
	}
	return false
}

// words streams text word by word. Steps of one kind in a row are one block, the
// later on a new line.
func (w *writer) words(kind, text string, count *strings.Builder, event func(int, string) provider.Event) {
	if w.open != kind {
		w.index++
		w.open = kind
	} else {
		text = "\n" + text
	}
	count.WriteString(text)
	for _, piece := range splitWords(text) {
		w.beats = append(w.beats, beat{words: 1, event: event(w.index, piece)})
	}
}

// fail adds a scripted failure, as often as the script wants it in one conversation.
func (w *writer) fail(st step) bool {
	if !st.always {
		key := occasion{w.v.id, st.line}
		w.mu.Lock()
		w.times[key]++
		n := w.times[key]
		w.mu.Unlock()
		if n > st.times {
			return false
		}
	}
	e := st.err
	w.beats = append(w.beats, beat{err: &e, cut: st.cut})
	return true
}

// stop ends the turn with its figures.
func (w *writer) stop(reason provider.StopReason) provider.Stop {
	if reason == provider.StopNone {
		reason = provider.StopEnd
		if w.calls > 0 {
			reason = provider.StopToolUse
		}
	}
	u := provider.Usage{Input: w.v.input, CacheRead: w.v.cached, CacheWrite: w.v.input - w.v.cached, Reasoning: countTokens(w.thought.String()), Reported: true}
	u.Output = u.Reasoning + countTokens(w.said.String())
	for k, n := range w.override {
		switch k {
		case "input":
			u.Input = n
		case "output":
			u.Output = n
		case "cache_read":
			u.CacheRead = n
		case "cache_write":
			u.CacheWrite = n
		case "reasoning":
			u.Reasoning = n
		}
	}
	// Figures that contradict each other would be read differently by each wire.
	u.CacheRead = min(u.CacheRead, u.Input)
	u.CacheWrite = min(u.CacheWrite, u.Input-u.CacheRead)
	u.Output = max(u.Output, u.Reasoning)
	return provider.Stop{Reason: reason, Usage: u}
}

// splitWords cuts text after each run of white space, so that the pieces add up to it.
func splitWords(s string) []string {
	var out []string
	start, space := 0, false
	for i, r := range s {
		if sp := unicode.IsSpace(r); sp {
			space = true
		} else if space {
			out = append(out, s[start:i])
			start, space = i, false
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// pieces cuts arguments the way servers stream them: a dozen bytes, whole letters.
func pieces(s string) []string {
	var out []string
	for len(s) > 0 {
		n := min(12, len(s))
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}
