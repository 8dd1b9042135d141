package linear

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"forge/agent"
	"forge/agent/mark"
	"forge/provider"
	"forge/tools"
	"forge/ui/found"
	"forge/ui/lang"
	"forge/ui/safe"
)

const (
	// outputLines is how much of a tool's output is said by itself.
	outputLines = 6
	// kept is how many outputs /output can say.
	kept = 20
)

// teller says the events of a run.
type teller struct {
	say func(string)

	split   provider.ThinkSplitter
	text    strings.Builder // of the answer, up to the next end of line
	opened  bool            // an answer has begun in this turn
	thought bool            // that the model thinks was said in this turn
	waiting string          // what was said last of a wait
	titles  map[string]string
	running map[string]time.Time // since when a call was allowed: waiting for an answer is no work of its
	outputs []output             // the newest last
	sent    string               // for the last command from a file
	failed  bool                 // the run's error was told
	began   time.Time
	cost    float64
	priced  bool
}

type output struct{ title, text string }

func (t *teller) begin() {
	t.failed, t.began, t.titles, t.waiting = false, time.Now(), map[string]string{}, ""
	t.running = map[string]time.Time{}
	t.cost, t.priced = 0, false
}

// event says one event, if there is something to say of it.
func (t *teller) event(e agent.Event) {
	switch e := e.(type) {
	case agent.TextDelta:
		_, text := t.split.Feed(e.Text)
		t.write(text)
		return
	case agent.ThinkingDelta:
		if !t.thought {
			t.thought = true
			t.flush()
			t.say(lang.T("thinking"))
		}
		return
	case agent.ToolInput, agent.ToolOutput, agent.CacheMissed:
		return
	case agent.ToolRunning:
		if t.running != nil {
			t.running[e.ID] = time.Now()
		}
		return
	case agent.Waiting:
		t.wait(e)
		return
	}
	t.flush()
	switch e := e.(type) {
	case agent.UserMessage:
		if e.Steer {
			t.say(lang.T("the run takes in: %s", safe.Output(e.Text)))
		}
		if e.Line != "" {
			t.sent = safe.Output(strings.TrimSpace(mark.Short(e.Text)))
			t.say(lang.T("%s is sent as %s; /sent says all of it", safe.Line(mark.Short(e.Line)), lang.Count(strings.Count(t.sent, "\n")+1, "1 line", "%d lines")))
		}
	case agent.TurnStart:
		t.split, t.opened, t.thought, t.waiting = provider.ThinkSplitter{}, false, false, ""
	case agent.Attached:
		e.Label = lang.As(e.Label, "instructions of %s")
		if e.Err != nil {
			t.say(lang.T("not attached: %s: %s", safe.Line(e.Label), safe.Line(e.Err.Error())))
			return
		}
		t.say(lang.T("attached: %s", safe.Line(e.Label)))
	case agent.TurnEnd:
		t.cost += e.Cost
		t.priced = t.priced || e.CostKnown
		switch e.Stop {
		case provider.StopRefusal:
			t.say(strings.TrimSuffix(lang.T("the model declined to answer: %s", safe.Line(e.Detail)), ": "))
		case provider.StopMaxTokens:
			t.say(lang.T("the answer was cut at the output limit"))
		}
	case agent.Retrying:
		t.opened = false
		t.say(lang.T("error: %s; trying again in %s, %d of %d, and this answer begins anew",
			safe.Line(lang.Said(e.Err.Error())), e.After.Round(time.Second), e.Attempt, e.Attempts))
	case agent.Notice:
		t.say(lang.T("note: %s", safe.Output(lang.Said(e.Text))))
	case agent.Compacting:
		t.say(lang.T("shortening the conversation"))
	case agent.Compacted:
		if e.Err != nil {
			t.say(lang.T("error: %s", safe.Line(lang.Said(e.Err.Error()))))
			return
		}
		t.say(lang.T("the conversation is shortened from %d to %d tokens", e.Before, e.After))
	case agent.Uncompacted:
		t.say(lang.T("the conversation is as long as before again, %d tokens", e.After))
	case agent.BudgetWarned:
		t.say(lang.T("warning: a limit of what may be spent is nearly reached"))
	case agent.Unfinished:
		switch {
		case e.Run:
			t.say(lang.T("note: %s", lang.T("forge ended in the middle of this; write: go on")))
		case e.Stopped:
			t.say(lang.T("note: %s", lang.T("/continue goes on from here")))
		}
	case agent.ToolStart, agent.ToolEnd, agent.Nested:
		t.call("", "", e)
	case agent.RunEnd:
		t.end(e)
	}
}

// write says the whole lines of an answer and keeps the rest.
func (t *teller) write(text string) {
	t.text.WriteString(text)
	all := t.text.String()
	i := strings.LastIndexByte(all, '\n')
	if i < 0 {
		return
	}
	t.text.Reset()
	t.text.WriteString(all[i+1:])
	t.lines(all[:i])
}

func (t *teller) lines(text string) {
	for _, l := range strings.Split(safe.Output(text), "\n") {
		if !t.opened {
			if strings.TrimSpace(l) == "" {
				continue
			}
			t.opened = true
			t.say(lang.T("answer:"))
		}
		t.say(strings.TrimRight(l, " "))
	}
}

// flush says what is left of an answer, before anything else is said.
func (t *teller) flush() {
	_, text := t.split.Flush()
	t.text.WriteString(text)
	if rest := t.text.String(); strings.TrimSpace(rest) != "" {
		t.lines(rest)
	}
	t.text.Reset()
}

// wait says a wait that may be long; that the model is asked needs no words.
func (t *teller) wait(e agent.Waiting) {
	what := ""
	switch e.For {
	case "", string(provider.WaitConnect), string(provider.WaitFirstByte):
	case string(provider.WaitBytes):
		what = lang.T("the server is silent; it is given %s", e.Limit)
	case string(provider.WaitLimit):
		what = lang.T("held back by the server's rate limit")
	default:
		what = safe.Line(lang.Said(e.For))
	}
	if what != "" && what != t.waiting {
		t.waiting = what
		t.flush()
		t.say(lang.T("waiting: %s", what))
	}
}

// call says the beginning and the end of a tool call; who is the agent it is of, under
// the calls that agent runs as: each conversation numbers its calls for itself.
func (t *teller) call(under, who string, e agent.Event) {
	switch e := e.(type) {
	case agent.ToolStart:
		title := e.Effect.Title
		if title == "" {
			title = e.Name
		}
		title = safe.Line(lang.Title(title))
		if who != "" {
			title = who + ": " + title
		}
		if t.titles == nil {
			t.titles = map[string]string{}
		}
		t.titles[under+e.ID] = title
		t.say(lang.T("tool started: %s", title))
	case agent.ToolEnd:
		t.toolEnd(under, who, e)
	case agent.Nested:
		title := t.titles[under+e.ID]
		if who != "" {
			title = strings.TrimPrefix(title, who+": ")
		}
		name, _, _ := strings.Cut(title, ":")
		switch e.Event.(type) {
		case agent.ToolStart, agent.ToolEnd, agent.Nested:
			t.call(under+e.ID+"\x00", strings.TrimSpace(name), e.Event)
		}
	}
}

func (t *teller) toolEnd(under, who string, e agent.ToolEnd) {
	title := t.titles[under+e.ID]
	if title == "" {
		title = safe.Line(e.Name)
	}
	how := safe.Line(e.Result.Display)
	if !e.Result.Own {
		how = safe.Line(lang.Outcome(e.Result.Display))
	}
	took := e.Took
	if since, ok := t.running[e.ID]; ok && who == "" {
		took = min(took, time.Since(since))
	}
	if took >= time.Second && (e.Result.Own || !strings.HasSuffix(how, " s")) { // it says how long it took
		how = strings.TrimPrefix(how+", "+seconds(took), ", ")
	}
	if how != "" {
		how = lang.T("; ") + how
	}
	said := strings.TrimRight(safe.Output(tools.Unrepeated(e.Result)), "\n ")
	switch {
	case e.Result.Refused:
		t.say(lang.T("tool not allowed: %s", title) + refusal(e.Result.Text))
		return
	case e.Result.IsError:
		t.say(lang.T("tool failed: %s", title) + how)
	default:
		t.say(lang.T("tool done: %s", title) + how)
	}
	t.outputs = append(t.outputs, output{title, said})
	if len(t.outputs) > kept {
		t.outputs = slices.Delete(t.outputs, 0, 1)
	}
	if who == "" && (e.Result.IsError || e.Name == agent.OwnCommand) {
		if t.sayOutput(strings.TrimRight(strings.TrimSuffix(said, tools.TerminalNote), "\n ")); said != "" && strings.HasSuffix(said, tools.TerminalNote) {
			t.say(lang.T("it wanted a terminal: !i and the command runs it on yours"))
		}
	}
	for _, f := range e.Result.Found {
		for _, l := range found.Lines(f) {
			t.say(safe.Line(l))
		}
	}
	if e.Result.Review != "" {
		t.say(lang.T("not all of it is what was proposed"))
	}
}

// sayOutput says the end of an output.
func (t *teller) sayOutput(text string) {
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	if over := len(lines) - outputLines; over > 1 {
		t.say(lang.T("output, the last %d of %d lines; /output says all:", outputLines, len(lines)))
		lines = lines[over:]
	} else {
		t.say(lang.T("output:"))
	}
	for _, l := range lines {
		t.say(l)
	}
}

// output says all of one: "", the last, or the nth last.
func (t *teller) output(arg string) {
	n := 1
	if arg != "" {
		n, _ = strconv.Atoi(arg)
	}
	if n < 1 || n > len(t.outputs) {
		t.say(lang.T("there is no such output; %d are kept", len(t.outputs)))
		return
	}
	o := t.outputs[len(t.outputs)-n]
	t.say(lang.T("output of %s:", o.title))
	for _, l := range strings.Split(o.text, "\n") {
		t.say(l)
	}
	t.say(lang.T("end of output"))
}

// whole says what was sent for the last command from a file.
func (t *teller) whole() {
	if t.sent == "" {
		t.say(lang.T("no command from a file was sent yet"))
		return
	}
	t.say(lang.T("sent was:"))
	for _, l := range strings.Split(t.sent, "\n") {
		t.say(l)
	}
	t.say(lang.T("end of what was sent"))
}

func (t *teller) end(e agent.RunEnd) {
	if e.Err != nil {
		t.failed = true
		t.say(errorLine(e.Err))
		return
	}
	line := lang.T("done, %s", seconds(time.Since(t.began)))
	if t.priced {
		line += lang.T(", ") + fmt.Sprintf("$%.2f", t.cost)
	}
	t.say(line)
}

// seconds is a time in words.
func seconds(d time.Duration) string {
	return lang.Count(int(d.Seconds()), "1 second", "%d seconds")
}

// said of an effect that a title says nothing of.
func titleOf(name string, e tools.Effect) string {
	if title := strings.Join(strings.Fields(safe.Prompt(e.Title)), " "); title != "" {
		return lang.Title(title)
	}
	return safe.Prompt(name)
}

// refusal is why a call was not allowed, behind that it was not; nothing, where the person
// said no: they know.
func refusal(text string) string {
	why, _, _ := strings.Cut(strings.TrimPrefix(text, "not run: "), "\n")
	if why == "" || strings.HasPrefix(why, "the user declined") {
		return ""
	}
	return lang.T("; ") + safe.Line(lang.Said(why))
}
